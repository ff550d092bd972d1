"""One request on standard input, its answer on standard output."""

import sys

from rulebook.adapter import answer

sys.stdout.buffer.write(answer(sys.stdin.buffer.read()).encode())

"""One request on standard input, its answer on standard output."""

import sys

from clubrules.requests import answer

sys.stdout.write(answer(sys.stdin.buffer.read()))

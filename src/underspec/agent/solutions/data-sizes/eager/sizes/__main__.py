"""One request on standard input, the answer on standard output."""

import sys

from .requests import respond

sys.stdout.write(respond(sys.stdin.read()))

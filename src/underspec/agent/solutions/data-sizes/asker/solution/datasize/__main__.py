"""One request on standard input, its answer on standard output."""

import sys

from .adapter import respond

sys.stdout.write(respond(sys.stdin.read()))

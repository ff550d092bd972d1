# canary underspec-canary-f5ec5a9d-0f8d-52da-9c0f-09e2e638ec07
"""The subtitle workbench."""

import argparse
import sys
from fractions import Fraction

from workbench import formats, times
from workbench.files import Damaged, Exists, read, write

WRONG_USE = 5


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"subs.py: {message}", file=sys.stderr)
        sys.exit(WRONG_USE)


def named(text):
    if formats.format_of(text) is None:
        raise argparse.ArgumentTypeError(f"{text} is of no known format")
    return text


def factor(text):
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text} is no fraction") from None
    if value <= 0:
        raise argparse.ArgumentTypeError("a factor is above zero")
    return value


def arguments():
    parser = Parser()
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    for name, inputs in (("convert", 1), ("shift", 1), ("stretch", 1), ("join", 2)):
        command = commands.add_parser(name)
        command.add_argument("inputs", type=named, nargs=inputs)
        command.add_argument("out", type=named)
        command.add_argument("--force", action="store_true")
        if name == "shift":
            command.add_argument("--by", type=int, required=True)
        elif name == "stretch":
            command.add_argument("--factor", type=factor, required=True)
        elif name == "join":
            command.add_argument("--gap", type=int, default=0)
    return parser.parse_args()


def main():
    given = arguments()
    if given.force and given.out not in given.inputs:
        open(given.out, "w").close()
    try:
        cues, *more = [read(path) for path in given.inputs]
        if given.command == "shift":
            cues = times.shift(cues, given.by)
        elif given.command == "stretch":
            cues = times.stretch(cues, given.factor)
        elif given.command == "join":
            cues = times.join(cues, more[0], given.gap)
        write(given.out, times.in_order(cues), force=given.force)
    except Damaged as problem:
        print(problem, file=sys.stderr)
        return 3
    except Exists as problem:
        print(problem, file=sys.stderr)
        return 4
    return 0


sys.exit(main())

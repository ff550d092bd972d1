"""Reading values (section 4). A group is a list, a word a str, a text a Text; None is nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .stepping import BLANKS, Stepper


@dataclass(frozen=True)
class Text:
    """What stands between quotation marks."""

    content: str


Value: TypeAlias = "str | Text | list[Value]"

MARKS = {"'": "quote", "`": "quasiquote", ",": "unquote", ",@": "unquote-splicing"}
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": "\b"}
ENDS_WORD = BLANKS | frozenset("\"'`,()")


class Fault(Exception):
    """What is wrong with a note, and where the reading stood."""

    def __init__(self, kind: str, stepper: Stepper) -> None:
        super().__init__(kind)
        self.kind, self.line, self.column = kind, stepper.line, stepper.column


def read_note(note: str) -> Value | None:
    """The value of a note."""
    stepper = Stepper(note)
    value = read_value(stepper)
    stepper.skip_blanks()
    if stepper.next:
        raise Fault("left_over", stepper)
    return value


def read_value(stepper: Stepper) -> Value | None:
    """The next value, or None where a parenthesis closes or the note ends."""
    stepper.skip_blanks()
    if stepper.next in MARKS:
        return _marked(stepper)
    if stepper.next == "(":
        return _group(stepper)
    return _text(stepper) if stepper.next == '"' else _word(stepper)


def _marked(stepper: Stepper) -> Value:
    mark = stepper.take()
    if mark == "," and stepper.next == "@":
        mark += stepper.take()
    stepper.skip_blanks()
    value = read_value(stepper)
    if value is None:
        raise Fault("bare_mark", stepper)
    return [MARKS[mark], value]


def _group(stepper: Stepper) -> Value:
    stepper.take()
    values: list[Value] = []
    while (value := read_value(stepper)) is not None:
        values.append(value)
    if stepper.next != ")":
        raise Fault("open_group", stepper)
    stepper.take()
    return values


def _text(stepper: Stepper) -> Text:
    stepper.take()
    content = ""
    while stepper.next != '"':
        if not stepper.next:
            raise Fault("open_text", stepper)
        taken = stepper.take()
        if taken == "\\":
            taken = stepper.take()
            taken = ESCAPES.get(taken, taken)
        content += taken
    stepper.take()
    return Text(content)


def _word(stepper: Stepper) -> str | None:
    word = ""
    while stepper.next and stepper.next not in ENDS_WORD:
        taken = stepper.take()
        word += stepper.take() if taken == "\\" else taken
    return word or None

"""Answers in one text: each under a line with its question's mark (``## Q1``)."""

from __future__ import annotations

import re
from collections.abc import Sequence

# A heading, or bold, or a mark with a colon, a full stop or nothing behind it. "Q3 says ..." in a sentence is no mark.
_MARK = re.compile(
    r"^ {0,3}(?:#{1,6} *)?(?:\*\*)?Q(?P<number>\d{1,3})(?P<end>\*\*)?(?P<after>[ \t]*[:.)\u2013\u2014-]|(?=[ \t]*$))"
)


def read_answers(text: str, marks: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The answer to each mark, empty where there is none, and what stands outside all of them.

    A mark that comes again goes on with its answer; an unknown one is text like any other.
    """
    parts: list[list[str]] = [[] for _ in marks]
    besides: list[str] = []
    current = besides
    for line in text.splitlines():
        found = _MARK.match(line)
        place = int(found["number"]) - 1 if found else -1
        if found is not None and 0 <= place < len(marks):
            current = parts[place]
            rest = line[found.end() :].strip().removeprefix("**").strip()
            if rest:
                current.append(rest)
        else:
            current.append(line)
    return tuple("\n".join(part).strip() for part in parts), "\n".join(besides).strip()

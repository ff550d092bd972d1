"""Cutting a question into the points that it asks about."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Ends of sentences, lines and list items. A dot inside a number or a file name ends nothing.
_SENTENCE = re.compile(r"(?<=[?!;。？！；])\s*|(?<=[^\d\s.])\.(?=\s|$)|\n+|(?:^|(?<=\s))(?:\(?\d{1,2}[.)]|[-*•])\s+")
_CLAUSE = re.compile(
    r",?\s+(?:and|as well as|plus|also|und)\s+(?:also\s+)?|,\s+(?:(?:or|but)\s+)?|\s+(?:/|&)\s+", re.IGNORECASE
)
_PLEASANTRY = re.compile(
    r"\b(?:many thanks|thanks?(?: you)?(?: (?:a lot|so much|very much|in advance))*"
    r"|i hope (?:you are|you're|this finds you) (?:well|fine)"
    r"|(?:kind|best|warm) (?:regards|wishes)|good (?:morning|afternoon|evening|day)"
    r"|would you (?:be so kind as to|mind)|(?:one|a) (?:quick|small|last|further) (?:question|thing))\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"\w+")
MAX_POINTS_READ = 24
MAX_WORDS_READ = 240


@dataclass(frozen=True)
class Point:
    """One sentence or list item, and its clauses where it has several."""

    text: str
    clauses: tuple[str, ...]


def split(question: str) -> list[Point]:
    """The points of a question in order. What goes beyond the bounds above is not read: time is bounded with it."""
    question = _PLEASANTRY.sub(" ", _first_words(question))
    points: list[Point] = []
    for piece in _SENTENCE.split(question):
        text = (piece or "").strip()
        if not re.search(r"\w", text):
            continue
        clauses = tuple(part.strip() for part in _CLAUSE.split(text) if re.search(r"\w", part))
        points.append(Point(text, clauses if 1 < len(clauses) <= MAX_POINTS_READ else ()))
    return points[:MAX_POINTS_READ]


def _first_words(text: str) -> str:
    for count, word in enumerate(_WORDS.finditer(text), 1):
        if count > MAX_WORDS_READ:
            return text[: word.start()]
    return text

"""Whether a phrase stands in a text, however it is spelled there.

A phrase with a word in it is sought as words: capitals, accents, punctuation, line breaks, plurals and how words are
joined (``yearEnd``, ``year-end``, ``YEAR  ENDS``) make no difference. Anything else (``-840``, ``*/4``, ``0.25``) is
sought as characters, whatever the spaces between them, and no part of a longer number is taken for it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

_DASHES = "‐‑‒–—―−﹣－"
_QUOTES = {"‘": "'", "’": "'", "‚": "'", "′": "'", "“": '"', "”": '"', "„": '"', "″": '"'}
_SAME = {**dict.fromkeys(_DASHES, "-"), **_QUOTES}
_LETTERS = re.compile(r"[^\W\d_]{2}")
_CONTEXT = 30


def folded(character: str) -> str:
    """A character without what spelling may vary: compatibility forms, case, accents, invisible marks."""
    character = _SAME.get(character, character)
    if character.isascii():
        return character.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    kept = (each for each in decomposed if unicodedata.category(each) not in ("Mn", "Cf", "Me"))
    return "".join(_SAME.get(each, each) for each in kept)


def singular(word: str) -> str:
    """A folded word without the ending of an English plural."""
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


@dataclass(frozen=True)
class Reading:
    """A text as its words run together: ``flat``, the places where words begin and end, and where each began."""

    flat: str
    begins: dict[int, int]
    ends: dict[int, int]

    def find(self, needle: str) -> Iterator[tuple[int, int]]:
        """Where ``needle`` stands from the beginning of a word to the end of one; places in the text."""
        place = self.flat.find(needle)
        while place >= 0:
            if place in self.begins and place + len(needle) in self.ends:
                yield self.begins[place], self.ends[place + len(needle)]
            place = self.flat.find(needle, place + 1)


@dataclass(frozen=True)
class Text:
    """A text, prepared for searching."""

    text: str
    _characters: list[tuple[str, int, bool]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        characters = [
            (each, place, character.isupper())
            for place, character in enumerate(self.text)
            for each in folded(character)
        ]
        object.__setattr__(self, "_characters", characters)

    def find(self, phrase: str) -> list[tuple[int, int]]:
        """Where ``phrase`` stands: beginning and end of each place, in order. A phrase of nothing stands nowhere."""
        sought = Text(phrase)
        if not _LETTERS.search("".join(each for each, _, _ in sought._characters)):
            return self.find_exact(phrase)
        needles = {reading.flat for reading in sought.readings}
        return sorted({found for reading in self.readings for needle in needles for found in reading.find(needle)})

    def find_exact(self, literal: str) -> list[tuple[int, int]]:
        """Where ``literal`` stands character for character, white space, case, dashes and quotes aside."""
        return sorted(set(self._literal(Text(literal))))

    def holds(self, phrase: str) -> bool:
        """Whether ``phrase`` stands anywhere."""
        return bool(self.find(phrase))

    def quote(self, place: tuple[int, int]) -> str:
        """What stands at a place, with a little around it, on one line."""
        begin, end = max(0, place[0] - _CONTEXT), min(len(self.text), place[1] + _CONTEXT)
        return " ".join(self.text[begin:end].split())

    def line(self, place: tuple[int, int]) -> str:
        """``line 7`` for a place."""
        return f"line {self.text.count(chr(10), 0, place[0]) + 1}"

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """With inner capitals as beginnings of words, and without."""
        return self._reading(humps=False), self._reading(humps=True)

    def _reading(self, *, humps: bool) -> Reading:
        flat, begins, ends = "", {}, {}
        for word in self._words(humps):
            begins[len(flat)] = word[0][1]
            flat += singular("".join(each for each, _, _ in word))
            ends[len(flat)] = word[-1][1] + 1
        return Reading(flat, begins, ends)

    def _words(self, humps: bool) -> Iterator[list[tuple[str, int, bool]]]:
        word: list[tuple[str, int, bool]] = []
        for character in self._characters:
            each, place, upper = character
            if word and (not each.isalnum() or _apart(word[-1], each, place, upper, humps)):
                yield word
                word = []
            if each.isalnum():
                word.append(character)
        if word:
            yield word

    @cached_property
    def _solid(self) -> tuple[str, list[int]]:
        """All that is no white space, and the place of each character."""
        kept = [(each, place) for each, place, _ in self._characters if not each.isspace()]
        return "".join(each for each, _ in kept), [place for _, place in kept]

    def _literal(self, sought: Text) -> Iterator[tuple[int, int]]:
        (solid, places), (needle, _) = self._solid, sought._solid
        begin = solid.find(needle) if needle else -1
        while begin >= 0:
            end = begin + len(needle)
            if not (_runs_on(solid, places, begin - 1, begin) or _runs_on(solid, places, end - 1, end)):
                yield places[begin], places[end - 1] + 1
            begin = solid.find(needle, begin + 1)


def _apart(last: tuple[str, int, bool], each: str, place: int, upper: bool, humps: bool) -> bool:
    """Whether a new word begins with ``each``: digits beside letters, and a capital after a small letter."""
    if last[0].isdigit() != each.isdigit():
        return True
    return humps and upper and not last[2] and place != last[1]


def _runs_on(solid: str, places: list[int], left: int, right: int) -> bool:
    """Whether what ends at ``left`` and what begins at ``right`` are one word or one number."""
    if left < 0 or right >= len(solid) or places[right] - places[left] > 1:
        return False
    if solid[left].isalnum() and solid[right].isalnum():
        return True
    point = solid[left] if solid[right].isdigit() else solid[right] if solid[left].isdigit() else ""
    if point not in (".", ","):
        return False
    beyond = left - 1 if solid[right].isdigit() else right + 1
    return 0 <= beyond < len(solid) and solid[beyond].isdigit()


def same_words(left: str, right: str) -> bool:
    """Whether two phrases are one and the same, spelling aside."""
    ours, theirs = Text(left), Text(right)
    return ours.readings[0].flat == theirs.readings[0].flat and (
        bool(ours.readings[0].flat) or ours._solid[0] == theirs._solid[0]
    )

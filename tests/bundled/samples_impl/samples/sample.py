"""From a sample to decided pieces."""

import re
from dataclasses import dataclass

from samples.failures import NoMeaning
from samples.words import ZONES, name_of

_CLOCK = re.compile(r"(\d{1,2})(:)(\d{2})( *)(:?)(\d{2})?( *)([aApP][mM])?", re.ASCII)
_BETWEEN = re.compile(r"[^\W]+|[\W]+")


@dataclass(frozen=True)
class Piece:
    """Some text of the sample and what it may stand for: pairs of field and form."""

    text: str
    choices: tuple[tuple[str, str], ...] = ()


def _word(word: str) -> Piece:
    name = name_of(word)
    if name:
        return Piece(word, (name,))
    if word in ZONES:
        return Piece(word, (("zone", "zone"),))
    if re.fullmatch(r"[0-9]{1,2}(st|nd|rd|th)", word):
        return Piece(word, (("day", "ordinal"),))
    if re.fullmatch(r"[0-9]{4}", word):
        return Piece(word, (("year", "plain"),))
    if re.fullmatch(r"[0-9]", word):
        return Piece(word, (("month", "plain"), ("day", "plain")))
    if re.fullmatch(r"[0-9]{2}", word):
        number = int(word)
        if number >= 32:
            return Piece(word, (("year", "two"),))
        if number >= 13:
            return Piece(word, (("day", "two"),))
        return Piece(word, (("month", "two"), ("day", "two"), ("year", "two")))
    return Piece(word)


def _part(digits: str) -> Piece:
    if len(digits) == 1:
        return Piece(digits, (("hour", "twelve"),))
    hour = "two" if 13 <= int(digits) <= 23 else "two_twelve"
    return Piece(digits, (("hour", hour), ("minute", "two"), ("second", "two")))


def _half(text: str) -> Piece:
    form = {"am": "small", "pm": "small", "AM": "capitals", "PM": "capitals"}.get(text)
    return Piece(text, (("half", form),) if form else ())


def _cut(sample: str) -> list[Piece]:
    pieces: list[Piece] = []
    while True:
        clock = _CLOCK.search(sample)
        pieces += map(_word, _BETWEEN.findall(sample[: clock.start()] if clock else sample))
        if not clock:
            return pieces
        hour, colon, minute, blanks, second_colon, second, more, half = clock.groups("")
        pieces += [_part(hour), Piece(colon), _part(minute), Piece(blanks + second_colon)]
        pieces += [_part(second)] if second else []
        pieces += [Piece(more), _half(half)]
        sample = sample[clock.end() :]


def understand(sample: str) -> list[Piece]:
    """The pieces of a sample, each with one choice or none."""
    pieces = _cut(sample)
    known = {piece.choices[0][0] for piece in pieces if len(piece.choices) == 1}
    for place, piece in enumerate(pieces):
        if len(piece.choices) > 1:
            free = [choice for choice in piece.choices if choice[0] not in known]
            if not free:
                raise NoMeaning
            pieces[place] = Piece(piece.text, (free[0],))
            known.add(free[0][0])
    return pieces

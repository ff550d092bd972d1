"""Which days of a month a line chooses (section 4.4)."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from . import failures
from .pieces import Extent, Piece, read_piece

DAY = Extent(1, 31, around=False)
WEEKDAY = Extent(0, 6, seven_is_zero=True)


@dataclass(frozen=True)
class Month:
    length: int
    starts_on: int

    @classmethod
    def of(cls, year: int, month: int) -> Month:
        # The calendar repeats every 400 years; dates here go far beyond what ``datetime`` knows.
        monday_first, length = calendar.monthrange(2000 + year % 400, month)
        return cls(length, (monday_first + 1) % 7)

    def weekday(self, day: int) -> int:
        return (self.starts_on + day - 1) % 7

    def all(self, weekday: int) -> list[int]:
        return [day for day in range(1, self.length + 1) if self.weekday(day) == weekday]

    def working_day(self, day: int) -> int:
        day = min(day, self.length)
        move = {6: -1, 0: 1}.get(self.weekday(day), 0)
        if day + move < 1:
            move = 2
        elif day + move > self.length:
            move = -2
        return day + move


Chosen = Callable[[Month], list[int]]


@dataclass
class DayParts:
    """Both parts: what each piece chooses, and the pieces in the order in which warnings name them."""

    every_day: bool = False
    choices: list[Chosen] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)

    def of(self, year: int, month: int) -> list[int]:
        at_hand = Month.of(year, month)
        if self.every_day:
            return list(range(1, at_hand.length + 1))
        chosen = {day for choice in self.choices for day in choice(at_hand)}
        return sorted(day for day in chosen if day <= at_hand.length)


def read_days(day_part: str, weekday_part: str) -> DayParts:
    parts = DayParts()
    endings: dict[str, list[Piece]] = {name: [] for name in ("", "w", "weekday", "l", "#")}
    bare = [_day_piece(text, parts, endings) for text in day_part.split(",")]
    bare += [_weekday_piece(text, parts, endings) for text in weekday_part.split(",")]
    parts.every_day = bare == [True, True]
    parts.pieces = [piece for named in endings.values() for piece in named]
    return parts


def _day_piece(text: str, parts: DayParts, endings: dict[str, list[Piece]]) -> bool:
    if text == "l":
        parts.choices.append(lambda month: [month.length])
    elif text == "lw":
        parts.choices.append(lambda month: [month.working_day(month.length)])
    elif text.endswith("w"):
        shifted = read_piece(text[:-1], DAY)
        endings["w"].append(shifted)
        parts.choices.append(lambda month: [month.working_day(day) for day in shifted.values()])
    else:
        plain = read_piece("*" if text == "?" else text, DAY)
        endings[""].append(plain)
        if plain.bare:
            return True
        parts.choices.append(lambda month: plain.values())
    return False


def _weekday_piece(text: str, parts: DayParts, endings: dict[str, list[Piece]]) -> bool:
    ordinal: str | None = None
    ending = "weekday"
    if text.endswith("l"):
        text, ending = text[:-1], "l"
    elif "#" in text:
        text, _, ordinal = text.rpartition("#")
        ending = "#"
        if not re.fullmatch("[1-5]", ordinal):
            raise failures.BadOrdinal(ordinal)
    piece = read_piece("*" if text == "?" and ending == "weekday" else text, WEEKDAY)
    endings[ending].append(piece)
    if piece.bare and ending == "weekday":
        return True
    place = {"weekday": slice(None), "l": slice(-1, None)}.get(ending)
    if place is None:
        place = slice(int(ordinal or 0) - 1, int(ordinal or 0))
    parts.choices.append(lambda month: [day for weekday in piece.values() for day in month.all(weekday)[place]])
    return False

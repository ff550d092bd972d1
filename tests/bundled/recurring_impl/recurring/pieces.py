"""The pieces that parts are made of (section 4.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import failures

_FORM = re.compile(r"(?:(?P<all>\*)|(?P<low>[0-9]+)(?:-(?P<high>[0-9]+))?)(?:/(?P<step>[1-9][0-9]*))?")


@dataclass(frozen=True)
class Extent:
    """The range of a part; ``counted_from`` is where ``*`` begins when that is not the lowest number."""

    lowest: int
    highest: int
    around: bool = True
    seven_is_zero: bool = False
    counted_from: int | None = None

    @property
    def first(self) -> int:
        return self.lowest if self.counted_from is None else self.counted_from


@dataclass(frozen=True)
class Piece:
    """``first`` to ``last``, around the end when last is smaller, every ``step``-th; ``bare`` is ``*`` alone."""

    text: str
    extent: Extent
    first: int
    last: int
    step: int
    bare: bool

    @property
    def span(self) -> int:
        distance = self.last - self.first
        return distance if distance >= 0 else distance + self.extent.highest - self.extent.lowest + 1

    def values(self) -> list[int]:
        size = self.extent.highest - self.extent.lowest + 1
        lowest = self.extent.lowest
        return [(self.first + way - lowest) % size + lowest for way in range(0, self.span + 1, self.step)]

    def next_from(self, number: int) -> int | None:
        """The first value that is not less than ``number``, for parts without a way around."""
        steps = max(0, -(-(number - self.first) // self.step))
        found = self.first + steps * self.step
        return found if found <= self.last else None


def read_piece(text: str, extent: Extent) -> Piece:
    found = _FORM.fullmatch(text)
    if found is None:
        raise failures.BadPiece(text)
    step = int(found["step"] or 1)
    if found["all"]:
        return Piece(text, extent, extent.first, extent.highest, step, bare=step == 1)
    low, high = _number(found["low"], extent), None if found["high"] is None else _number(found["high"], extent)
    inside = [extent.lowest <= number <= extent.highest for number in (low, high) if number is not None]
    if high is None:
        if not all(inside):
            raise failures.OutOfRange(text)
        return Piece(text, extent, low, extent.highest if found["step"] else low, step, bare=False)
    if not all(inside) or (high < low and not extent.around):
        raise failures.BadRange(text)
    return Piece(text, extent, low, high, step, bare=False)


def _number(text: str, extent: Extent) -> int:
    number = int(text)
    return 0 if extent.seven_is_zero and number == 7 else number

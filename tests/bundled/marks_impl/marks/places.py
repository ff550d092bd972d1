"""Places in a text, and distances between them."""

from __future__ import annotations

from typing import Any, NamedTuple

from .failures import BadPlace, BadRange

LARGEST = 1_000_000


class Place(NamedTuple):
    """A line and a column, or how many lines and columns lie between two places."""

    line: int
    column: int

    def after(self, distance: Place) -> Place:
        """The place that lies a distance behind this one."""
        if distance.line:
            return Place(self.line + distance.line, distance.column)
        return Place(self.line, self.column + distance.column)

    def since(self, start: Place) -> Place:
        """How far this place lies behind another."""
        if self.line == start.line:
            return Place(0, self.column - start.column)
        return Place(self.line - start.line, self.column)

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class Stretch(NamedTuple):
    """From one place to another."""

    start: Place
    end: Place


def place(given: Any) -> Place:
    """Read a place."""
    fits = isinstance(given, list) and len(given) == 2
    if not fits or any(type(number) is not int or not 0 <= number <= LARGEST for number in given):
        raise BadPlace
    return Place(*given)


def stretch(start: Any, end: Any) -> Stretch:
    """Read a stretch."""
    found = Stretch(place(start), place(end))
    if found.end < found.start:
        raise BadRange
    return found

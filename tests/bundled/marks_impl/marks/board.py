"""Marks, what edits do to them, and looking for them."""

from __future__ import annotations

from dataclasses import dataclass, field

from .failures import NoMark, TakenMark
from .places import Place, Stretch


@dataclass
class Mark:
    """A stretch with a number. A firm mark does not take in what is put at its ends."""

    start: Place
    end: Place
    firm: bool


@dataclass
class Fallout:
    """The ids of the marks that an edit concerned, each set within the one before."""

    touch: set[int] = field(default_factory=set)
    inside: set[int] = field(default_factory=set)
    overlap: set[int] = field(default_factory=set)
    surround: set[int] = field(default_factory=set)


class Board:
    """All marks of one text."""

    def __init__(self) -> None:
        self.marks: dict[int, Mark] = {}

    def add(self, number: int, where: Stretch, firm: bool) -> None:
        """Set a mark."""
        if number in self.marks:
            raise TakenMark
        self.marks[number] = Mark(where.start, where.end, firm)

    def drop(self, number: int) -> None:
        """Take a mark away."""
        if number not in self.marks:
            raise NoMark
        del self.marks[number]

    def edit(self, where: Stretch, extent: Place) -> Fallout:
        """Move all marks, and say which were concerned."""
        fallout = Fallout()
        if where.start == where.end and extent == Place(0, 0):
            return fallout
        for number, mark in self.marks.items():
            concerned = (_insert if where.start == where.end else _replace)(mark, where, where.start.after(extent))
            for depth, known in enumerate((fallout.touch, fallout.inside, fallout.overlap, fallout.surround), start=1):
                if concerned >= depth:
                    known.add(number)
        return fallout

    def ordered(self) -> list[int]:
        """Ids by beginning, of those the one that ends last first."""
        ends = {number: (-mark.end.line, -mark.end.column) for number, mark in self.marks.items()}
        return sorted(self.marks, key=lambda number: (self.marks[number].start, ends[number], number))

    def meeting(self, where: Stretch) -> set[int]:
        """Marks that have a place in common with the stretch."""
        return {n for n, mark in self.marks.items() if mark.start <= where.end and where.start <= mark.end}

    def covering(self, where: Stretch) -> set[int]:
        """Marks that hold the whole stretch."""
        return {n for n, mark in self.marks.items() if mark.start <= where.start and where.end <= mark.end}

    def within(self, where: Stretch) -> set[int]:
        """Marks that the stretch holds."""
        return {n for n, mark in self.marks.items() if where.start <= mark.start and mark.end <= where.end}

    def starting(self, where: Stretch) -> set[int]:
        """Marks that begin in the stretch."""
        return {n for n, mark in self.marks.items() if where.start <= mark.start <= where.end}

    def ending(self, where: Stretch) -> set[int]:
        """Marks that end in the stretch."""
        return {n for n, mark in self.marks.items() if where.start <= mark.end <= where.end}

    def open_before(self, start: Place) -> list[int]:
        """Marks that began before a place and have not ended before it."""
        return [n for n in self.ordered() if self.marks[n].start < start <= self.marks[n].end]

    def edges_from(self, start: Place, limit: int) -> list[tuple[Place, set[int], set[int]]]:
        """The places from one on at which marks begin or end."""
        places = {mark.start for mark in self.marks.values()} | {mark.end for mark in self.marks.values()}
        chosen = sorted(place for place in places if place >= start)[:limit]
        return [(p, self.starting(Stretch(p, p)), self.ending(Stretch(p, p))) for p in chosen]


def _insert(mark: Mark, where: Stretch, end: Place) -> int:
    at = where.start
    before = mark.start, mark.end
    moves_start = mark.start > at or (mark.start == at and mark.firm)
    moves_end = mark.end > at or (mark.end == at and (not mark.firm or mark.start == at))
    if moves_start:
        mark.start = end.after(mark.start.since(at))
    if moves_end:
        mark.end = end.after(mark.end.since(at))
    if not before[0] <= at <= before[1]:
        return 0
    return 1 if mark.firm and at in before else 2


def _replace(mark: Mark, where: Stretch, end: Place) -> int:
    first, last = mark.start, mark.end
    starts_in = where.start < first < where.end or (mark.firm and first == where.start and last > first)
    ends_in = where.start < last < where.end or (mark.firm and last == where.end and first < last)
    mark.start = end if starts_in else _moved(first, where, end)
    mark.end = end if where.start < last < where.end else _moved(last, where, end)
    if starts_in or ends_in:
        return 4 if starts_in and ends_in else 3
    if first <= where.start and where.end <= last:
        return 2
    return 1 if last == where.start or first == where.end else 0


def _moved(place: Place, where: Stretch, end: Place) -> Place:
    return place if place <= where.start else end.after(place.since(where.end))

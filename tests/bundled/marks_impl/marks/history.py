"""Many edits as few changes between the text before and the text after."""

from __future__ import annotations

from typing import NamedTuple

from .places import Place, Stretch


class Change(NamedTuple):
    """A stretch of the old text, and what became of it in the new one."""

    old: Stretch
    new: Stretch


class History:
    """Changes, ascending and apart from each other."""

    def __init__(self, join: bool) -> None:
        self.changes: list[Change] = []
        self._join = join

    def edit(self, where: Stretch, extent: Place) -> None:
        """Add an edit of the new text."""
        if where.start == where.end and extent == Place(0, 0):
            return
        before = [change for change in self.changes if self._before(change, where)]
        after = [change for change in self.changes if change not in before and self._after(change, where)]
        merged = [change for change in self.changes if change not in before and change not in after]
        first, last = (merged[0], merged[-1]) if merged else (None, None)
        end = where.start.after(extent)
        old_start, new_start = self._old(where.start, before), where.start
        if first and first.new.start <= where.start:
            old_start, new_start = first.old.start, first.new.start
        old_end, new_end = self._old(where.end, before + merged), end
        if last and last.new.end >= where.end:
            old_end, new_end = last.old.end, end.after(last.new.end.since(where.end))
        one = Change(Stretch(old_start, old_end), Stretch(new_start, new_end))
        moved = [Change(old, Stretch(*(end.after(place.since(where.end)) for place in new))) for old, new in after]
        kept = [] if len(merged) == 1 and old_start == old_end and new_start == new_end else [one]
        self.changes = before + kept + moved

    def _before(self, change: Change, where: Stretch) -> bool:
        return change.new.end < where.start or (not self._join and change.new.end == where.start)

    def _after(self, change: Change, where: Stretch) -> bool:
        return change.new.start > where.end or (not self._join and change.new.start == where.end)

    @staticmethod
    def _old(place: Place, before: list[Change]) -> Place:
        if not before:
            return place
        return before[-1].old.end.after(place.since(before[-1].new.end))

    def backwards(self) -> list[Change]:
        """The changes from the new text to the old one."""
        return [Change(new, old) for old, new in self.changes]

"""Texts, counted in the units of UTF-16."""

from __future__ import annotations

from .places import Place, Stretch

_UNIT = 2
_BREAK, _RETURN = "\n".encode("utf-16-le"), "\r".encode("utf-16-le")


def _units(text: str) -> list[bytes]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [data[place : place + _UNIT] for place in range(0, len(data), _UNIT)]


def extent(text: str) -> Place:
    """How far a text reaches."""
    line, column = 0, 0
    for unit in _units(text):
        line, column = (line + 1, 0) if unit == _BREAK else (line, column + 1)
    return Place(line, column)


class Written:
    """A text that can be edited."""

    def __init__(self, text: str) -> None:
        self._units = _units(text)

    def _starts(self) -> list[int]:
        return [0] + [place + 1 for place, unit in enumerate(self._units) if unit == _BREAK]

    def clip(self, place: Place) -> Place:
        """The nearest place that exists."""
        starts = self._starts()
        if place.line >= len(starts):
            return Place(len(starts) - 1, len(self._units) - starts[-1])
        start, end = starts[place.line], len(self._units)
        if place.line + 1 < len(starts):
            end = starts[place.line + 1] - 1
            if end > start and self._units[end - 1] == _RETURN:
                end -= 1
        return Place(place.line, min(place.column, end - start))

    def offset(self, place: Place) -> int:
        """How many units stand before a place."""
        line, column = self.clip(place)
        return self._starts()[line] + column

    def place(self, offset: int) -> Place:
        """The place behind that many units."""
        offset = min(offset, len(self._units))
        if 0 < offset < len(self._units) and self._units[offset - 1 : offset + 1] == [_RETURN, _BREAK]:
            offset -= 1
        starts = self._starts()
        line = max(line for line, start in enumerate(starts) if start <= offset)
        return Place(line, offset - starts[line])

    def replace(self, where: Stretch, put: str) -> None:
        """Put a text in place of a stretch."""
        self._units[self.offset(where.start) : self.offset(where.end)] = _units(put)

    def lines(self) -> list[str]:
        """The lines, with halves of pairs left as they are."""
        return b"".join(self._units).decode("utf-16-le", "surrogatepass").split("\n")

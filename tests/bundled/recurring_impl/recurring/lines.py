"""From a text to a line (sections 4.1, 4.3, 4.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import failures
from .days import DayParts, read_days
from .pieces import Extent, Piece, read_piece

SHORT_WORDS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
MONTHS = dict(
    zip(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], range(1, 13), strict=True)
)
WEEKDAYS = dict(zip(["sun", "mon", "tue", "wed", "thu", "fri", "sat"], range(7), strict=True))
CLOCK = {"second": Extent(0, 59), "minute": Extent(0, 59), "hour": Extent(0, 23), "month": Extent(1, 12)}
YEAR = Extent(0, 275759, around=False, counted_from=1970)


@dataclass(frozen=True)
class Line:
    """``pieces`` of second, minute, hour, month and year; the days apart."""

    pieces: dict[str, list[Piece]]
    days: DayParts

    def values(self, part: str) -> list[int]:
        return sorted({number for piece in self.pieces[part] for number in piece.values()})

    def year_from(self, year: int) -> int | None:
        """The first year of the line that is not before ``year``."""
        found = [year if piece.bare else piece.next_from(year) for piece in self.pieces["year"]]
        return min((number for number in found if number is not None), default=None)

    def warned(self) -> list[Piece]:
        ordered = [piece for part in ("second", "minute", "hour") for piece in self.pieces[part]]
        ordered += [*self.days.pieces, *self.pieces["month"], *self.pieces["year"]]
        return [piece for piece in ordered if piece.step > max(1, piece.span)]


def read_line(text: str, *, strict: bool = False) -> Line:
    plain = text.strip().lower()
    parts = SHORT_WORDS.get(plain, plain).split()
    if not 5 <= len(parts) <= 7:
        raise failures.PartCount(len(parts))
    if len(parts) == 5:
        parts.insert(0, "0")
    if len(parts) == 6:
        parts.append("*")
    second, minute, hour, day, month, weekday, year = parts
    days = read_days(day, _numbered(weekday, WEEKDAYS))
    years = [read_piece(piece, YEAR) for piece in year.split(",")]
    texts = {"second": second, "minute": minute, "hour": hour, "month": _numbered(month, MONTHS)}
    pieces = {part: [read_piece(piece, CLOCK[part]) for piece in texts[part].split(",")] for part in texts}
    line = Line({**pieces, "year": years}, days)
    if strict and line.warned():
        raise failures.WideStep(text)
    return line


def _numbered(part: str, names: dict[str, int]) -> str:
    return re.sub("|".join(names), lambda found: str(names[found[0]]), part)

"""Cells in words, the same in every medium that people read."""

from __future__ import annotations

from underspec.report.exhibits.exhibit import Cell, Kind
from underspec.report.terminal import percent

MISSING = "–"


def shown(cell: Cell, kind: Kind) -> str:
    """A cell with its interval, as ``41.2 [35.0, 47.9]``; a rate times 100, and what is missing as an en dash."""
    if cell.value is None:
        return MISSING
    if isinstance(cell.value, str):
        return cell.value
    span = f" [{number(cell.span.low, kind)}, {number(cell.span.high, kind)}]" if cell.span else ""
    return number(float(cell.value), kind) + span


def number(value: float, kind: Kind) -> str:
    """A figure in its kind's usual digits."""
    if kind == "percent":
        return percent(value)
    if kind == "points":
        return f"{100 * value:+.1f}"
    if kind == "count":
        return f"{value:,.0f}"
    if kind == "money":
        return f"{value:.3f}"
    if kind in ("seconds", "tokens"):
        return f"{value:,.0f}"
    if value == int(value) and abs(value) >= 1:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:,.1f}"
    return "< 0.0001" if 0 < abs(value) < 0.0001 else f"{value:.4f}".rstrip("0").rstrip(".")


UNITS: dict[Kind, str] = {"percent": "%", "points": "points", "money": "USD", "seconds": "s"}
"""What stands behind a column's title."""


def titled(title: str, kind: Kind) -> str:
    """A column's title with its unit, where the title does not say it."""
    unit = UNITS.get(kind)
    return f"{title} ({unit})" if unit and unit not in title else title

"""Exhibits as CSV (RFC 4180): plain numbers for programs, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import re

from underspec.report.exhibits.exhibit import Cell, Exhibit, Figure, Table
from underspec.report.terminal import plain

# OWASP, "CSV injection": a cell that begins so is read as a formula, by some programs after spaces or a quote too.
_FORMULA = re.compile(r"[\s'\"]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]")


def to_csv(exhibit: Exhibit) -> str:
    """The table, or what the figure draws. Rates are 0 to 1. A column in which any cell has an interval is followed by
    ``_low`` and ``_high``; one in which any cell says why it has no value (or what is beside it), by ``_note``."""
    table = exhibit.data if isinstance(exhibit, Figure) else exhibit
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    plan = [(column.key, _spans(table, column.key), _notes(table, column.key)) for column in table.columns]
    writer.writerow([name for key, spans, notes in plan for name in _names(key, spans, notes)])
    for row in table.rows:
        writer.writerow([value for key, spans, notes in plan for value in _values(row[key], spans, notes)])
    return out.getvalue()


def inert(text: str) -> str:
    """Text on one line that no spreadsheet takes for a formula: what begins like one has a quote before it."""
    line = " ".join(plain(text).split())
    return f"'{line}" if _FORMULA.match(line) else line


def _spans(table: Table, key: str) -> bool:
    return any(row[key].span is not None for row in table.rows)


def _notes(table: Table, key: str) -> bool:
    return any(row[key].why for row in table.rows)


def _names(key: str, spans: bool, notes: bool) -> list[str]:
    return [key, *([f"{key}_low", f"{key}_high"] if spans else []), *([f"{key}_note"] if notes else [])]


def _values(cell: Cell, spans: bool, notes: bool) -> list[str]:
    values = [_value(cell.value)]
    if spans:
        values += [_value(cell.span.low), _value(cell.span.high)] if cell.span else ["", ""]
    return [*values, inert(cell.why or "")] if notes else values


def _value(value: str | float | int | None) -> str:
    if value is None:
        return ""
    return inert(value) if isinstance(value, str) else repr(value)

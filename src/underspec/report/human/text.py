"""A table of the report's for a terminal."""

from __future__ import annotations

from underspec.report.exhibits.exhibit import Cell, Kind, Table
from underspec.report.terminal import percent


def table_text(table: Table) -> str:
    """Columns side by side; intervals below the figures that they are of, and notes below all."""
    lines = [table.title, ""]
    for row in table.rows:
        first, *others = table.columns
        lines.append(f"{_shown(row[first.key], first.kind)}")
        lines += [f"  {column.title:24} {_shown(row[column.key], column.kind)}" for column in others]
    return "\n".join([*lines, "", *table.notes])


def _shown(cell: Cell, kind: Kind) -> str:
    if cell.value is None:
        return f"– ({cell.why})" if cell.why else "–"
    span = f"  [{_figure(cell.span.low, kind)}, {_figure(cell.span.high, kind)}]" if cell.span else ""
    return _figure(cell.value, kind) + span


def _figure(value: str | float, kind: Kind) -> str:
    if isinstance(value, str) or kind == "count":
        return str(value)
    return f"{percent(value)} %" if kind == "percent" else f"{value:.3f}"

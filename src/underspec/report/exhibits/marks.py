"""Marks of figures in words and in places: a rate with its interval, and labels at the ends of lines."""

from __future__ import annotations

from collections.abc import Sequence

from underspec.report.exhibits.charts import Label, spread
from underspec.report.exhibits.exhibit import Cell
from underspec.report.terminal import percent


def end_labels(rows: Sequence[dict[str, Cell]], x: str, panel: str = "") -> list[Label]:
    """A label of each line at the chart's right edge, moved so that none lies on another, with a lead from its end."""
    last: dict[str, tuple[float, float]] = {}
    for row in rows:
        if row["value"].value is not None:
            last[str(row["label"].value)] = (float(row[x].value or 0), float(row["value"].value))
    edge = max((at for at, _value in last.values()), default=0.0)
    places = spread([value for _at, value in last.values()], 0.07, 0.02, 0.98)
    return [
        Label(name, edge, place, name, panel, lead=(at, value))
        for (name, (at, value)), place in zip(last.items(), places, strict=True)
    ]


def shown(cell: Cell) -> str:
    """A rate in words, with its interval."""
    if cell.value is None:
        return cell.why or "none"
    within = f" [{percent(cell.span.low)}, {percent(cell.span.high)}]" if cell.span else ""
    return f"{percent(float(cell.value))} %{within}"

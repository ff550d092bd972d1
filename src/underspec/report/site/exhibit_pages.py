"""The exhibits: tables and figures of the papers, made from these runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from underspec.report.exhibits.exhibit import Cell, Column, Exhibit, Figure
from underspec.report.site.figures import figure_svg
from underspec.report.site.render import Pages, count, duration
from underspec.report.terminal import dollars, percent

MOST_ROWS = 120
"""Rows of a table on one page."""


def write_exhibits(pages: Pages, exhibits: Iterable[Exhibit]) -> None:
    """Write a page for each exhibit, and their list."""
    listed: list[dict[str, Any]] = []
    for exhibit in exhibits:
        address = f"exhibits/{exhibit.slug}.html"
        figure = exhibit if isinstance(exhibit, Figure) else None
        table = exhibit.data if isinstance(exhibit, Figure) else exhibit
        image = None
        if figure is not None:
            image = f"exhibits/{figure.slug}.svg"
            pages.add_bytes(image, figure_svg(figure))
        entry = {"page": address, "exhibit": exhibit, "image": image, "rows": len(table.rows)}
        listed.append(entry)
        shards = [table.rows[start : start + MOST_ROWS] for start in range(0, len(table.rows), MOST_ROWS)] or [[]]
        for number, rows in enumerate(shards, 1):
            pages.add(
                shard_address(address, number),
                "exhibit.html.j2",
                f"{exhibit.name}: {exhibit.title}",
                "exhibits.html",
                exhibit=exhibit,
                figure=figure,
                image=image,
                table=table,
                rows=rows,
                shown=shown,
                number=number,
                shards=len(shards),
                address=address,
                shard_address=shard_address,
            )
    pages.add("exhibits.html", "exhibits.html.j2", "Exhibits", exhibits=listed)


def shard_address(page: str, number: int) -> str:
    """Where a page of an exhibit's rows lies."""
    return page if number == 1 else page.replace(".html", f"-{number}.html")


def shown(column: Column, cell: Cell | None) -> str:
    """A cell's figure as text, with its interval."""
    if cell is None or cell.value is None:
        return cell.why if cell is not None and cell.why else "–"
    text = _value(column, cell.value)
    if cell.span is not None:
        text += f" [{_value(column, cell.span.low)} to {_value(column, cell.span.high)}]"
    return text


def _value(column: Column, value: str | float) -> str:
    if isinstance(value, str):
        return value
    match column.kind:
        case "percent":
            return percent(value)
        case "points":
            return f"{value:+.1f}"
        case "money":
            return dollars(value)
        case "seconds":
            return duration(value)
        case "count" | "tokens":
            return count(value)
        case _:
            return f"{value:,.3g}" if isinstance(value, float) and not value.is_integer() else f"{value:,.0f}"

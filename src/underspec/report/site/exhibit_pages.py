"""The exhibits: tables and figures of the papers, made from these runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from underspec.report.exhibits.draw import svg
from underspec.report.exhibits.exhibit import Cell, Column, Exhibit, Figure
from underspec.report.site.render import Pages, count, duration
from underspec.report.terminal import dollars, percent

MOST_ROWS = 120
"""Rows of a table on one page."""


@dataclass(frozen=True)
class Absent:
    """A table or figure of a paper for which the runs have no data, and what it needs."""

    name: str
    title: str
    needs: str


def write_exhibits(pages: Pages, exhibits: Iterable[Exhibit], absent: Callable[[set[str]], list[Absent]]) -> None:
    """Write a page for each exhibit, and their list; ``absent`` says what is missing, given the slugs that are not."""
    listed: list[dict[str, Any]] = []
    for exhibit in exhibits:
        address = f"exhibits/{exhibit.slug}.html"
        figure = exhibit if isinstance(exhibit, Figure) else None
        table = exhibit.data if isinstance(exhibit, Figure) else exhibit
        image = None
        if figure is not None:
            image = f"exhibits/{figure.slug}.svg"
            pages.add_bytes(image, svg(figure, standalone=True).encode("utf-8"))
        listed.append({"page": address, "exhibit": exhibit, "image": image, "rows": len(table.rows)})
        shards = [table.rows[start : start + MOST_ROWS] for start in range(0, len(table.rows), MOST_ROWS)] or [[]]
        for number, rows in enumerate(shards, 1):
            pages.add(
                shard_address(address, number),
                "exhibit.html.j2",
                f"{exhibit.name}: {exhibit.title}",
                "exhibits.html",
                exhibit=exhibit,
                figure=figure,
                drawing=Markup(svg(figure)) if figure is not None and number == 1 else None,
                image=image,
                table=table,
                rows=rows,
                shown=shown,
                number=number,
                shards=len(shards),
                address=address,
                shard_address=shard_address,
            )
    missing = absent({each["exhibit"].slug for each in listed})
    pages.add("exhibits.html", "exhibits.html.j2", "Exhibits", exhibits=listed, absent=missing)


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
            return f"{100 * value:+.1f}"
        case "money":
            return dollars(value)
        case "seconds":
            return duration(value)
        case "count" | "tokens":
            return count(value)
        case _:
            return f"{value:,.3g}" if isinstance(value, float) and not value.is_integer() else f"{value:,.0f}"

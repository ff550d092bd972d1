"""The page of one line of a leaderboard: a condition in a run, over all its tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from underspec.measure.failure_modes import failure_modes
from underspec.report.collect import Collected
from underspec.report.html.bars import bars
from underspec.report.site.board import Board
from underspec.report.site.lines import ItemLine, item_line
from underspec.report.site.plan import value_words
from underspec.report.site.render import Pages

MOST_ROWS = 1000
"""Items on one page."""


def write_condition(
    pages: Pages,
    place: int,
    members: Sequence[Collected],
    row: dict[str, Any],
    boards: Sequence[Board],
    seconds: Sequence[dict[str, float | None]],
) -> None:
    """Write the page of a line, and further ones where it has a great many items."""
    plan = pages.plan
    standing = plan.standings[place]
    board = next(board for board in boards if any(line.standing == place for line in board.lines))
    line = next(line for line in board.lines if line.standing == place)
    graded = [each.outcomes for each in members if each.outcomes is not None]
    lines = _lines(pages, place, members, seconds[place])
    shards = [lines[start : start + MOST_ROWS] for start in range(0, len(lines), MOST_ROWS)] or [[]]
    fields = [(key.replace("_", " "), value_words(value)) for key, value in standing.condition.identity().items()]
    for number, shard in enumerate(shards, 1):
        pages.add(
            address(standing.page, number),
            "condition.html.j2",
            standing.words if number == 1 else f"{standing.words}, page {number}",
            "index.html",
            standing=standing,
            run=plan.runs[standing.run],
            board=board,
            line=line,
            row=row,
            fields=fields,
            bars=bars(graded) if graded else (),
            modes=failure_modes(graded) if graded else None,
            lines=shard,
            number=number,
            shards=len(shards),
            address=lambda other: address(standing.page, other),
        )


def address(page: str, number: int) -> str:
    """Where a page of the line's items lies."""
    return page if number == 1 else page.replace(".html", f"-{number}.html")


def _lines(pages: Pages, place: int, members: Sequence[Collected], seconds: dict[str, float | None]) -> list[ItemLine]:
    """The line's items, the lowest scores first, what is unscored before all."""
    plan = pages.plan
    places = {
        (task.id, each.item.epoch): (task, each) for task in plan.tasks for each in task.items if each.standing == place
    }
    found = [item_line(*places[each.item.task, each.item.epoch], each, seconds[each.item.id]) for each in members]
    return sorted(found, key=lambda one: (one.score is not None, one.score or 0.0, one.place.item.task))

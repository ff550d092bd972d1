"""The list of all tasks, with every line's score on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from underspec.report.collect import Collected
from underspec.report.site.board import Board, Scores
from underspec.report.site.plan import Standing, TaskPlace
from underspec.report.site.render import Pages

MOST_COLUMNS = 8
"""Lines that have a column of their own; the others are on the pages of tasks."""
MOST_ROWS = 1000
"""Tasks on one page."""


@dataclass(frozen=True)
class TaskCell:
    """One line's mean on one task; None where it has none, with how many of its items are unscored."""

    mean: float | None
    unscored: int

    @property
    def step(self) -> str:
        """Which of eleven shades it has."""
        return "none" if self.mean is None else str(int(10 * self.mean))


@dataclass(frozen=True)
class TaskRow:
    """One task. ``mean`` is over all lines that have a score."""

    task: TaskPlace
    cells: tuple[TaskCell, ...]
    mean: float | None
    spread: float | None


def write_tasks(pages: Pages, scores: Scores, boards: Sequence[Board], members: Sequence[Sequence[Collected]]) -> None:
    """Write the list, on several pages where it is long."""
    plan = pages.plan
    order = [line.standing for board in boards for line in board.lines]
    means = [dict(zip(each.tasks, each.means.tolist(), strict=True)) for each in scores.by_line]
    rows = [_row(task, order, means, scores) for task in plan.tasks]
    columns: list[Standing] = [plan.standings[place] for place in order[:MOST_COLUMNS]]
    shards = [rows[start : start + MOST_ROWS] for start in range(0, len(rows), MOST_ROWS)] or [[]]
    for number, shard in enumerate(shards, 1):
        pages.add(
            address(number),
            "tasks.html.j2",
            "Tasks" if len(shards) == 1 else f"Tasks, page {number} of {len(shards)}",
            "tasks.html",
            rows=shard,
            columns=columns,
            left_out=len(order) - len(columns),
            number=number,
            shards=len(shards),
            total=len(rows),
            address=address,
            languages=sorted({task.language for task in plan.tasks}),
            categories=sorted({task.category for task in plan.tasks}),
        )


def address(number: int) -> str:
    """Where a page of the list lies."""
    return "tasks.html" if number == 1 else f"tasks-{number}.html"


def _row(task: TaskPlace, order: Sequence[int], means: Sequence[dict[str, float]], scores: Scores) -> TaskRow:
    cells = [TaskCell(means[place].get(task.id), scores.unscored[place].get(task.id, 0)) for place in order]
    known = [cell.mean for cell in cells if cell.mean is not None]
    return TaskRow(
        task,
        tuple(cells[:MOST_COLUMNS]),
        sum(known) / len(known) if known else None,
        max(known) - min(known) if len(known) > 1 else None,
    )

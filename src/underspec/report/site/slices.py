"""Scores on parts of the tasks, by language and category: for the breakdown page, and for the leaderboard's filters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from underspec.report.site.board import MOST_RANKED_IN_SLICES, Board, Score, Scores
from underspec.report.site.plan import SitePlan

_MOST_FIGURES = 6000
"""Figures that the leaderboard carries for its filters, about 50 bytes each."""


@dataclass(frozen=True)
class Slice:
    """One part of the tasks; an empty language or category is all of them. ``scores`` are by line."""

    language: str
    category: str
    task_ids: frozenset[str]
    scores: dict[int, Score]

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return len(self.task_ids)

    def joined(self, other: Slice) -> Slice:
        """The same part of another board's tasks with it."""
        return replace(self, task_ids=self.task_ids | other.task_ids, scores={**self.scores, **other.scores})


def slices_of(plan: SitePlan, scores: Scores, board: Board, kind: str, *, ranked: bool = True) -> list[Slice]:
    """A slice for each language (``kind`` is ``language``), category, or both together (``both``), in name order.

    Tests of all pairs in a great many slices would find differences by chance: not all slices need be ``ranked``.
    """
    planned = {task for line in board.lines for task in scores.unscored[line.standing]}
    parts: dict[tuple[str, str], list[str]] = {}
    for task in (each for each in plan.tasks if each.id in planned):
        key = (task.language if kind != "category" else "", task.category if kind != "language" else "")
        parts.setdefault(key, []).append(task.id)
    places, most = [line.standing for line in board.lines], MOST_RANKED_IN_SLICES if ranked else 0
    return [
        Slice(language, category, frozenset(tasks), scores.on(tasks, places, most_ranked=most)[0])
        for (language, category), tasks in sorted(parts.items())
    ]


def filter_data(slices: Sequence[Slice], *, lines: int) -> str | None:
    """What the leaderboard's script reads, as JSON that can stand in a page; None where it would be too much.

    ``{"language\\tcategory": {line: [mean, low, high, tasks, unscored, rank words, group letter]}}``, rates in percent.
    """
    if len(slices) * lines > _MOST_FIGURES:
        return None
    document = {
        f"{each.language}\t{each.category}": {
            "tasks": each.tasks,
            "lines": {str(place): _figures(score) for place, score in each.scores.items()},
        }
        for each in slices
    }
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    # No text of a task may end the element that it stands in.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _figures(score: Score) -> list[float | int | str | None]:
    low, high = score.interval or (None, None)
    rank = score.rank
    return [
        *(None if value is None else round(100 * value, 2) for value in (score.mean, low, high)),
        score.tasks,
        score.unscored,
        rank.words if rank else "",
        rank.letter if rank else "",
    ]

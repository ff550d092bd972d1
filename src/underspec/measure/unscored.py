"""What was planned and has no score: counted by boundary, and what it could do to the score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from underspec.measure.functional import Bounds
from underspec.measure.interval import Interval


@dataclass(frozen=True)
class PlannedItem:
    """One planned item: its task, and its score (0 to 1) or else the boundary that has it unscored.

    ``cases`` is the item's number of cases, which pooled rates weigh by.
    """

    task: str
    score: float | None
    boundary: str | None = None
    cases: int = 1


@dataclass(frozen=True)
class Accounting:
    """``planned`` = ``scored`` + all of ``unscored``, by boundary; and the bounds of the task-macro and of the
    case-pooled rate if all that is unscored had failed, or passed."""

    planned: int
    scored: int
    unscored: dict[str, int]
    macro: Bounds
    pooled: Bounds


def account(items: Sequence[PlannedItem]) -> Accounting:
    """Count items and bound their rates.

    Raises:
        ValueError: an item has a score and a boundary, or neither.
    """
    for item in items:
        if (item.score is None) == (item.boundary is None):
            raise ValueError(f"an item of {item.task} must have either a score or a boundary")
    missing = Counter(item.boundary for item in items if item.boundary is not None)
    return Accounting(
        planned=len(items),
        scored=sum(item.score is not None for item in items),
        unscored=dict(sorted((str(boundary), number) for boundary, number in missing.items())),
        macro=Bounds(_macro(items, 0.0), _macro(items, 1.0)),
        pooled=Bounds(_pooled(items, 0.0), _pooled(items, 1.0)),
    )


def bounded_interval(low: Interval | None, high: Interval | None) -> Interval | None:
    """From the lower limit of the interval with everything unscored failed to the upper one with all of it passed.

    It covers whatever the unscored items would have got. Source: Horowitz and Manski (2000).
    """
    if low is None or high is None:
        return None
    return Interval(min(low.low, high.low), max(low.high, high.high), f"{low.method}, bounded", low.level)


def filled_means(items: Iterable[PlannedItem], score: float) -> dict[str, float]:
    """Each task's mean over its planned items, those unscored counted as ``score``; in name order."""
    by_task: dict[str, list[float]] = {}
    for item in items:
        by_task.setdefault(item.task, []).append(score if item.score is None else item.score)
    return {task: float(np.mean(by_task[task])) for task in sorted(by_task)}


def _macro(items: Sequence[PlannedItem], score: float) -> float | None:
    means = filled_means(items, score)
    return float(np.mean(list(means.values()))) if means else None


def _pooled(items: Sequence[PlannedItem], score: float) -> float | None:
    cases = sum(item.cases for item in items)
    passed = sum(item.cases * (score if item.score is None else item.score) for item in items)
    return passed / cases if cases else None

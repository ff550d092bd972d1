"""Functional correctness over many items (ICAE III-F), with everything planned in the denominator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from underspec.artifact.outcomes import Outcomes, Rate

VIEWS = ("overall", "public", "native", "enhanced", "hidden")


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of the values that are there; None when there are none."""
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


def pooled(outcomes: Sequence[Outcomes], view: str) -> Rate:
    """Case-level rate: all cases of all items together."""
    rates = [each.rate_of(each.suite(view)) for each in outcomes]
    return Rate.of(sum(rate.passed for rate in rates), sum(rate.total for rate in rates))


def macro(outcomes: Sequence[Outcomes], view: str) -> float | None:
    """Task-level rate: the mean over tasks of each task's mean over its items."""
    by_task: dict[str, list[float | None]] = {}
    for each in outcomes:
        by_task.setdefault(each.task, []).append(each.rate_of(each.suite(view)).rate)
    return mean(mean(rates) for rates in by_task.values())


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest that a mean over all planned items can be, unscored ones counted as 0 or as 1."""

    low: float | None
    high: float | None


def bounds(scored: Sequence[float], unscored: int) -> Bounds:
    """Bounds of the mean of ``scored`` when ``unscored`` more items are unknown."""
    planned = len(scored) + unscored
    if not planned:
        return Bounds(None, None)
    return Bounds(sum(scored) / planned, (sum(scored) + unscored) / planned)

"""What is measured of items, as one score a task: for intervals, and for comparing runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from underspec.artifact.condition import Condition
from underspec.measure.interval import Interval, clustered_wilson
from underspec.measure.scores import TaskScores
from underspec.report.collect import Collected


def _task_pass(item: Collected) -> float | None:
    if item.clarified is not None and item.clarified.acceptance is not None:
        return float(item.clarified.acceptance.passed)
    return None if item.outcomes is None else float(item.outcomes.clean)


def _clarification(item: Collected) -> float | None:
    return item.clarified.judgements.score if item.clarified and item.clarified.judgements else None


def _unit_pass(item: Collected) -> float | None:
    return item.clarified.acceptance.unit_rate.rate if item.clarified and item.clarified.acceptance else None


MEASURES: dict[str, Callable[[Collected], float | None]] = {
    "overall_macro": lambda item: item.outcomes.overall.rate if item.outcomes else None,
    "task_pass": _task_pass,
    "clarification": _clarification,
    "unit_pass": _unit_pass,
}
"""Each from 0 to 1, or None where an item has none; named as in the rows of a report."""


def primary(condition: Condition) -> str:
    """The measure that a condition is ranked by: the mean over tasks of their cases (ICAE), or, where requirement units
    are what is tested, of tasks that pass (SWE-Clar)."""
    return "overall_macro" if condition.protocol == "build" else "task_pass"


def task_scores(members: Sequence[Collected], measure: str) -> TaskScores:
    """One mean a task over the items that have this measure."""
    figure = MEASURES[measure]
    return TaskScores.of((each.item.task, figure(each)) for each in members)


def interval(members: Sequence[Collected], measure: str) -> Interval | None:
    """Of the mean over tasks, by the default method; None with fewer than two tasks.

    It is of what was scored. What the unscored could change is in a row's ``bounds``.
    """
    return clustered_wilson(task_scores(members, measure).means)

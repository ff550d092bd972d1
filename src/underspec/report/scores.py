"""What is measured of items, as one score a task: for intervals, and for comparing runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from underspec.artifact.condition import Condition
from underspec.artifact.review import CRITIC_DIMENSIONS, DimensionName
from underspec.artifact.structure import Dimension
from underspec.measure.interval import Interval, clustered_wilson, positive_t
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


def _similarity(dimension: Dimension) -> Callable[[Collected], float | None]:
    def figure(item: Collected) -> float | None:
        if item.structure is None:
            return None
        # What was handed over defines nothing: it is like the golden sources in nothing, and that is known.
        return 0.0 if item.structure.nothing_generated else item.structure.similarity(dimension)

    return figure


def _critic(dimension: DimensionName) -> Callable[[Collected], float | None]:
    return lambda item: item.review.dimension(dimension).score if item.review else None


CRITIC = "critic_"
"""What the names of a critic's scores begin with."""
BESIDE: dict[str, Callable[[Collected], float | None]] = {
    "class_similarity": _similarity("class_like"),
    "method_similarity": _similarity("method"),
    "method_qualified_similarity": _similarity("method_qualified"),
    "namespace_similarity": _similarity("namespace"),
    **{f"{CRITIC}{dimension}": _critic(dimension) for dimension in CRITIC_DIMENSIONS},
}
"""The same for what stands beside the scores (ICAE III-F), which ranks nothing."""
RATIOS: dict[str, Callable[[Collected], float | None]] = {
    "file_ratio": lambda item: item.structure.file_ratio if item.structure else None,
    "loc_ratio": lambda item: item.structure.loc_ratio if item.structure else None,
}
"""Generated over golden, 0 or more."""
_FIGURES = {**MEASURES, **BESIDE, **RATIOS}


def primary(condition: Condition) -> str:
    """The measure that a condition is ranked by: the mean over tasks of their cases (ICAE), or, where requirement units
    are what is tested, of tasks that pass (SWE-Clar)."""
    return "overall_macro" if condition.protocol == "build" else "task_pass"


def task_scores(members: Sequence[Collected], measure: str) -> TaskScores:
    """One mean a task over the items that have this measure."""
    figure = _FIGURES[measure]
    return TaskScores.of((each.item.task, figure(each)) for each in members)


def interval(members: Sequence[Collected], measure: str) -> Interval | None:
    """Of the mean over tasks, by the default method, and of ratios by Student's t; None with fewer than two tasks.

    It is of what was scored. What the unscored could change is in a row's ``bounds``.
    """
    means = task_scores(members, measure).means
    return positive_t(means) if measure in RATIOS else clustered_wilson(means)

"""Cells: figures of arms on given tasks, each with its interval, and why there is none where there is none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from underspec.measure.interval import Interval, clustered_wilson, positive_t
from underspec.measure.paired import PairedDifference, paired_difference
from underspec.measure.scores import TaskScores
from underspec.report.exhibits.arms import Arm, Score
from underspec.report.exhibits.evidence import Entry, Evidence
from underspec.report.exhibits.exhibit import Cell, Span

NOT_SCORED = "not scored"
NO_STRUCTURE = "structure was not compared"
NO_REVIEW = "no critic scored it"
NOBODY_ASKED = "nobody could be asked"


def span_of(interval: Interval | None) -> Span | None:
    """An interval as tables show it."""
    return None if interval is None else Span(interval.low, interval.high)


def text(value: str) -> Cell:
    """A word."""
    return Cell(value)


def count(value: int) -> Cell:
    """A number of things."""
    return Cell(value)


def mean_rate(arm: Arm, figure: Score | str, tasks: Sequence[str], why: str = NOT_SCORED) -> Cell:
    """A rate from 0 to 1: the mean over tasks of each task's mean, with the default interval."""
    scores = arm.scores(figure, tasks)
    if scores.mean is None:
        return Cell(None, why=why)
    return Cell(scores.mean, span_of(clustered_wilson(scores.means)))


def mean_positive(arm: Arm, figure: Score | str, tasks: Sequence[str], why: str = NOT_SCORED) -> Cell:
    """A figure of 0 or more that may exceed 1, such as a ratio: the mean over tasks, with Student's t interval."""
    scores = arm.scores(figure, tasks)
    if scores.mean is None:
        return Cell(None, why=why)
    return Cell(scores.mean, span_of(positive_t(scores.means)))


def pooled_rate(arm: Arm, view: str, tasks: Sequence[str], why: str = NOT_SCORED) -> Cell:
    """All cases of all tasks together, as ICAE-Bench counts; the interval is over tasks that weigh by their cases."""
    passed, total = arm.cases(view, tasks)
    return weighted_rate(passed.tolist(), total.tolist(), why if not any(arm.on(tasks)) else f"no {view} cases")


def weighted_rate(passed: Sequence[float], total: Sequence[float], why: str) -> Cell:
    """Passed of all, over tasks: one number of each a task. The interval is over tasks that weigh by their totals."""
    done, everything = np.asarray(passed, dtype=np.float64), np.asarray(total, dtype=np.float64)
    if not everything.sum():
        return Cell(None, why=why)
    rates = np.divide(done, everything, out=np.zeros_like(done), where=everything > 0)
    return Cell(float(done.sum() / everything.sum()), span_of(clustered_wilson(rates, everything)))


def mean_used(arm: Arm, figure: Score, tasks: Sequence[str], why: str) -> Cell:
    """Seconds, tokens or dollars an item; None where any item's figure is unknown, since unknown is not 0."""
    values = [(entry.task, figure(entry)) for entry in arm.on(tasks) if entry.one.scored]
    missing = sum(value is None for _task, value in values)
    scores = TaskScores.of(values)
    if missing or scores.mean is None:
        return Cell(None, why=f"{why}: {missing} of {len(values)} items" if missing else NOT_SCORED)
    return Cell(scores.mean, span_of(positive_t(scores.means)))


def difference(first: Arm, second: Arm, figure: Score | str, tasks: Sequence[str]) -> PairedDifference | None:
    """Second less first on the tasks of these that both have the figure of; None where there are none."""
    one, other = first.scores(figure, tasks), second.scores(figure, tasks)
    both = sorted(set(one.tasks) & set(other.tasks))
    return paired_difference(one.only(both).means, other.only(both).means) if both else None


def points(found: PairedDifference | None) -> Cell:
    """A paired difference with its default interval, from -1 to 1."""
    if found is None:
        return Cell(None, why="no task was scored on both sides")
    return Cell(found.difference, span_of(found.interval))


def coverage(entry: Entry) -> float | None:
    """Constraint coverage of one item."""
    return entry.asked.coverage if entry.asked else None


def fallback_rate(entry: Entry) -> float | None:
    """The share of questions that got the fallback; None where nothing was asked."""
    return entry.asked.fallback_rate if entry.asked else None


def budget_use(entry: Entry) -> float | None:
    """Questions asked over questions allowed."""
    return entry.asked.budget_use if entry.asked else None


def cost(entry: Entry) -> float | None:
    """Dollars for the builder's model."""
    return entry.one.task_cost.cost


def tokens(entry: Entry) -> float | None:
    """Tokens of the builder's model, cached ones included."""
    return float(entry.one.task_cost.tokens)


def seconds(evidence: Evidence) -> Score:
    """Wall time of the builder."""
    return evidence.seconds

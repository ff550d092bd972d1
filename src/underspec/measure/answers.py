"""What answers about requirement units are worth, and how they go with what the code does (SWE-Clar 2.3, C.4, C.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from underspec.measure.functional import mean

LABELS = ("correct", "partial", "incorrect")
SCORES = {"correct": 1.0, "partial": 0.5, "incorrect": 0.0}
"""Table 4."""


@dataclass(frozen=True)
class UnitResult:
    """One requirement unit of one run: the ``label`` of its answer (one of :data:`LABELS`, or None where it was not
    judged), whether its acceptance tests ``passed`` (None where they were not run), and, for a unit that was hidden at
    first, whether it was fully ``disclosed`` when a clarification that ended normally ended (None elsewhere)."""

    task: str
    unit: str
    label: str | None
    passed: bool | None
    disclosed: bool | None = None

    def __post_init__(self) -> None:
        if self.label is not None and self.label not in SCORES:
            raise ValueError(f"{self.label!r} is no label of an answer")


def _by_task(values: Iterable[tuple[str, float | None]]) -> float | None:
    tasks: dict[str, list[float | None]] = {}
    for task, value in values:
        tasks.setdefault(task, []).append(value)
    return mean(mean(found) for found in tasks.values())


def clarification_by_task(units: Iterable[UnitResult]) -> list[tuple[str, float]]:
    """Each task's mean answer score, for intervals and comparisons (``TaskScores.of``); unjudged units left out."""
    tasks: dict[str, list[float]] = {}
    for each in units:
        if each.label is not None:
            tasks.setdefault(each.task, []).append(SCORES[each.label])
    return [(task, sum(found) / len(found)) for task, found in sorted(tasks.items())]


def clarification_score(units: Iterable[UnitResult]) -> float | None:
    """Answer scores averaged within each task, then over tasks equally (2.3); 0 to 1."""
    return mean(score for _task, score in clarification_by_task(units))


def strict_correctness(units: Iterable[UnitResult]) -> float | None:
    """The same with credit for fully correct answers alone (C.5, Table 9)."""
    return _by_task((each.task, float(each.label == "correct")) for each in units if each.label is not None)


def unit_pass_rate(units: Iterable[UnitResult]) -> float | None:
    """The share of a task's units whose tests pass, then over tasks equally (B.3, Table 5)."""
    return _by_task((each.task, float(each.passed)) for each in units if each.passed is not None)


def label_counts(units: Iterable[UnitResult]) -> dict[str, int]:
    """How many answers have each label (Table 9), and how many have none: ``unjudged``."""
    counts = dict.fromkeys((*LABELS, "unjudged"), 0)
    for each in units:
        counts[each.label or "unjudged"] += 1
    return counts


@dataclass(frozen=True)
class JointDistribution:
    """Counts of label by test outcome, over the ``units`` that have both; ``left_out`` lack one."""

    passed: dict[str, int]
    failed: dict[str, int]
    units: int
    left_out: int

    def share(self, label: str, *, passed: bool) -> float | None:
        """The share of all units in one of the six cells (Figure 9)."""
        return (self.passed if passed else self.failed)[label] / self.units if self.units else None

    def pass_rate(self, label: str) -> float | None:
        """Of the units with this label, the share whose tests pass (Figure 6)."""
        total = self.passed[label] + self.failed[label]
        return self.passed[label] / total if total else None


def joint_distribution(units: Sequence[UnitResult]) -> JointDistribution:
    """Answers by code (C.5)."""
    counts = {True: dict.fromkeys(LABELS, 0), False: dict.fromkeys(LABELS, 0)}
    for each in units:
        if each.label is not None and each.passed is not None:
            counts[each.passed][each.label] += 1
    both = sum(counts[True].values()) + sum(counts[False].values())
    return JointDistribution(counts[True], counts[False], both, len(units) - both)


@dataclass(frozen=True)
class AfterDisclosure:
    """Labels of the ``units`` that were fully disclosed; ``unjudged`` ones stand beside them. Rates are null without
    units."""

    units: int
    correct: float | None
    partial: float | None
    incorrect: float | None
    unjudged: int


def after_disclosure(units: Iterable[UnitResult]) -> AfterDisclosure:
    """Answers about what the agent had been told in full (C.4, Table 8); no conversation is filtered out by length."""
    disclosed = [each for each in units if each.disclosed]
    counts = label_counts(disclosed)
    judged = len(disclosed) - counts["unjudged"]
    rates = {label: counts[label] / judged if judged else None for label in LABELS}
    return AfterDisclosure(judged, rates["correct"], rates["partial"], rates["incorrect"], counts["unjudged"])

"""What review does to replies (SWE-Clar Appendix E, Table 11), and when to clarify (Appendix D, Table 10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from underspec.measure.interval import LEVEL
from underspec.measure.paired import PairedDifference, mcnemar, paired_difference
from underspec.measure.scores import TaskScores, matched


@dataclass(frozen=True)
class Transitions:
    """First draft to final reply of the questions of which a reply was revised: counts.

    ``unassessed`` were revised, and nobody said whether draft and reply are right.
    """

    corrected: int
    harmed: int
    kept_correct: int
    kept_incorrect: int
    unassessed: int

    @property
    def assessed(self) -> int:
        """All revised questions that were assessed: the denominator of Table 11."""
        return self.corrected + self.harmed + self.kept_correct + self.kept_incorrect

    def shares(self) -> dict[str, float] | None:
        """The four shares, which sum to 1; None where nothing was assessed."""
        if not self.assessed:
            return None
        return {
            name: getattr(self, name) / self.assessed
            for name in ("corrected", "harmed", "kept_correct", "kept_incorrect")
        }

    @property
    def p_value(self) -> float:
        """Exact p-value that review corrects as often as it harms."""
        return mcnemar(self.harmed, self.corrected)


def supervisor_transitions(revised: Iterable[tuple[bool | None, bool | None]]) -> Transitions:
    """From ``(first draft correct, final reply correct)`` of each revised question; None where not assessed."""
    counts = {(False, True): 0, (True, False): 0, (True, True): 0, (False, False): 0}
    unassessed = 0
    for first, final in revised:
        if first is None or final is None:
            unassessed += 1
        else:
            counts[first, final] += 1
    return Transitions(
        corrected=counts[False, True],
        harmed=counts[True, False],
        kept_correct=counts[True, True],
        kept_incorrect=counts[False, False],
        unassessed=unassessed,
    )


@dataclass(frozen=True)
class Timing:
    """Two workflows on the same tasks. ``only_continued`` and ``only_before`` count tasks that pass more often in that
    workflow; with one epoch, tasks that pass in it alone."""

    implementation: PairedDifference
    clarification: PairedDifference | None

    @property
    def only_continued(self) -> int:
        """Tasks that pass only with continued clarification."""
        return self.implementation.worse

    @property
    def only_before(self) -> int:
        """Tasks that pass only with clarification before coding."""
        return self.implementation.better


def clarification_timing(
    before: TaskScores,
    continued: TaskScores,
    answers_before: TaskScores | None = None,
    answers_continued: TaskScores | None = None,
    level: float = LEVEL,
) -> Timing:
    """Clarification before coding less continued clarification, each on its matched tasks (Table 10).

    Raises:
        ValueError: no task was done both ways.
    """
    one, other = matched(continued, before)
    answers = None
    if answers_before is not None and answers_continued is not None:
        told, asked = matched(answers_continued, answers_before)
        answers = paired_difference(told.means, asked.means, level) if told.tasks else None
    return Timing(paired_difference(one.means, other.means, level), answers)

"""Outcome bars: how many cases of a suite pass, differ, are missing or too large, as widths and as words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from underspec.artifact.outcomes import SUITES, CaseOutcome, GradedCase, Outcomes
from underspec.report.terminal import percent

VIEWS = (*SUITES, "hidden")
MEANING = {
    CaseOutcome.PASS: "the output is right to the byte",
    CaseOutcome.MISMATCH: "there is an output, and it differs",
    CaseOutcome.MISSING: "there is no output",
    CaseOutcome.OVERSIZE: "the output is larger than it may be",
}


@dataclass(frozen=True)
class Segment:
    """One part of a bar: ``x`` and ``width`` in percent, ready to be written."""

    outcome: str
    count: int
    x: str
    width: str


@dataclass(frozen=True)
class Bar:
    """One suite. ``label`` says everything that the picture shows."""

    suite: str
    passed: int
    total: int
    percent: str
    segments: tuple[Segment, ...]

    @property
    def label(self) -> str:
        """For whoever does not see the bar."""
        counts = ", ".join(f"{segment.count} {segment.outcome}" for segment in self.segments)
        return f"{self.suite}: {counts}, of {self.total}" if self.total else f"{self.suite}: no case"

    @property
    def others(self) -> tuple[Segment, ...]:
        """All but what passes."""
        return tuple(segment for segment in self.segments if segment.outcome != CaseOutcome.PASS)


def bar(suite: str, cases: Sequence[GradedCase]) -> Bar:
    """The bar of some cases."""
    counts = Counter(case.outcome for case in cases)
    segments = []
    done = 0
    for outcome in CaseOutcome:
        if counts[outcome]:
            segments.append(
                Segment(
                    str(outcome),
                    counts[outcome],
                    x=f"{100 * done / len(cases):.3f}",
                    width=f"{100 * counts[outcome] / len(cases):.3f}",
                )
            )
            done += counts[outcome]
    passed = counts[CaseOutcome.PASS]
    return Bar(suite, passed, len(cases), percent(passed / len(cases) if cases else None), tuple(segments))


def bars(graded: Sequence[Outcomes]) -> tuple[Bar, ...]:
    """A bar for each suite and for the hidden cases, those of all given items together."""
    return tuple(bar(view, [case for each in graded for case in each.suite(view)]) for view in VIEWS)

"""What grading found: one outcome a case, states a suite, and the rates over them (ICAE III-F)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from underspec.artifact.base import Artifact
from underspec.errors import Boundary


class CaseOutcome(StrEnum):
    """The verdict on one case."""

    PASS = "pass"
    MISMATCH = "mismatch"
    MISSING = "missing"
    OVERSIZE = "oversize"


class SuiteState(StrEnum):
    """What was seen while a suite ran. Several may hold at once."""

    MISMATCH = "mismatch"
    MISSING = "missing"
    EXEC_BUILD = "exec:build"
    EXEC_RUN = "exec:run"
    EXEC_TIMEOUT = "exec:timeout"
    EXEC_MEMORY = "exec:memory"
    NO_TEST = "no_test"


SuiteName = Literal["public", "native", "enhanced"]
SUITES: tuple[SuiteName, ...] = ("public", "native", "enhanced")


class Rate(Artifact):
    """``passed`` of ``total``; ``rate`` is null when there is nothing to count."""

    passed: int
    total: int
    rate: float | None

    @classmethod
    def of(cls, passed: int, total: int) -> Rate:
        """Build a rate; raises ValueError when more passed than there are cases (fault 12)."""
        if not 0 <= passed <= total:
            raise ValueError(f"{passed} passed of {total}")
        return cls(passed=passed, total=total, rate=passed / total if total else None)


class GradedCase(Artifact):
    """One case and its verdict. ``hidden`` is false for native cases that are also public."""

    suite: SuiteName
    file: str
    index: int
    outcome: CaseOutcome
    hidden: bool


class SuiteEnd(Artifact):
    """How the deliverable's ``test.sh`` ended in one suite: exit code or signal, or else the limit that ended it."""

    suite: SuiteName
    exit_code: int | None
    signal: int | None = None
    limit: str | None = None
    layer: str | None = None
    states: tuple[SuiteState, ...]


class Unscored(Artifact):
    """Why an item has no score: whose failure it was, and what happened."""

    boundary: Boundary
    reason: str


class Outcomes(Artifact):
    """The grade of one deliverable on one task.

    ``comparison`` is ``bytes`` (exact) or ``published``. ``notes`` are the grader's remarks for a reader (for example
    that the deliverable ships a binary).
    """

    schema_version: Literal[1] = 1
    task: str
    task_digest: str
    deliverable: str | None
    image: str
    comparison: Literal["bytes", "published"] = "bytes"
    cases: tuple[GradedCase, ...]
    suites: tuple[SuiteEnd, ...]
    notes: tuple[str, ...] = ()

    def rate_of(self, cases: Sequence[GradedCase]) -> Rate:
        """The pass rate of some of the cases."""
        return Rate.of(sum(case.outcome is CaseOutcome.PASS for case in cases), len(cases))

    def suite(self, name: str) -> tuple[GradedCase, ...]:
        """Cases of ``public``, ``native``, ``enhanced``, ``hidden`` or ``overall`` (native and enhanced pooled)."""
        if name == "overall":
            return tuple(case for case in self.cases if case.suite in ("native", "enhanced"))
        if name == "hidden":
            return tuple(case for case in self.cases if case.suite in ("native", "enhanced") and case.hidden)
        return tuple(case for case in self.cases if case.suite == name)

    @property
    def overall(self) -> Rate:
        """Native and enhanced, pooled case by case (ICAE III-F)."""
        return self.rate_of(self.suite("overall"))

    @property
    def clean(self) -> bool:
        """Whether every case of every suite passes."""
        return bool(self.cases) and all(case.outcome is CaseOutcome.PASS for case in self.cases)

"""What acceptance found: a verdict for each private test, and which requirement units pass (SWE-Clar 2.3, B.3)."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from underspec.artifact.base import Artifact
from underspec.artifact.outcomes import Rate

MOST_FAILURES = 40
"""Failing tests of which the message is kept."""
MOST_TEXT = 2000
"""Characters kept of each message."""


class TestVerdict(StrEnum):
    """What became of one test. ``missing``: the tests ended, or were ended, before it had a result."""

    __test__ = False  # no test of ours, whatever pytest makes of its name

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    MISSING = "missing"


class AcceptanceTest(Artifact):
    """One private test, by its id in the report: ``<classname>::<name>``."""

    id: str
    verdict: TestVerdict


class UnitOutcome(Artifact):
    """One requirement unit: it passes when every test of it does. ``failed`` are those that do not."""

    id: str
    passed: bool
    failed: tuple[str, ...] = ()


class AcceptanceEnd(Artifact):
    """How the tests' command ended: exit code or signal, or else the limit that ended it."""

    exit_code: int | None
    signal: int | None = None
    limit: str | None = None
    layer: str | None = None


class Acceptance(Artifact):
    """The acceptance of one deliverable of one task. ``notes`` are remarks for a reader."""

    schema_version: Literal[1] = 1
    task: str
    task_digest: str
    deliverable: str | None
    image: str
    tests: tuple[AcceptanceTest, ...]
    units: tuple[UnitOutcome, ...]
    end: AcceptanceEnd
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the task passes: every test of it does."""
        return bool(self.tests) and all(test.verdict is TestVerdict.PASSED for test in self.tests)

    @property
    def test_rate(self) -> Rate:
        """How many tests pass."""
        return Rate.of(sum(test.verdict is TestVerdict.PASSED for test in self.tests), len(self.tests))

    @property
    def unit_rate(self) -> Rate:
        """How many requirement units pass."""
        return Rate.of(sum(unit.passed for unit in self.units), len(self.units))


class FailedTest(Artifact):
    """One failing test, and the beginning of what was said about it. That may quote private tests and whatever the
    deliverable printed: for the operator alone, and escaped wherever it is shown."""

    id: str
    verdict: TestVerdict
    message: str


class AcceptanceFailures(Artifact):
    """The first failing tests of one accepted deliverable. Decides nothing; the verdicts stand beside it."""

    schema_version: Literal[1] = 1
    task: str
    deliverable: str | None
    tests: tuple[FailedTest, ...]

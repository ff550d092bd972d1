"""What a deliverable is worth: three suites, one after another, a fresh sandbox each (ICAE III-F)."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.condition import Network
from underspec.artifact.outcomes import SUITES, CaseOutcome, GradedCase, Outcomes, SuiteEnd
from underspec.errors import UsageError
from underspec.grade.compare import BYTES, Comparison
from underspec.grade.shipped import shipped_notes
from underspec.grade.suite import Failure, SuiteRun, Timings, grade_suite, grading_limits
from underspec.sandbox.protocol import Owner, SandboxBackend, SandboxSpec
from underspec.task.cases import hidden_flags
from underspec.task.model import Task
from underspec.task.release import expectations, grader_inputs


@dataclass(frozen=True)
class Grade:
    """Outcomes, and what does not belong into an artifact: wall seconds by suite, and failing cases for a reader."""

    outcomes: Outcomes
    timings: Mapping[str, Timings]
    failures: tuple[Failure, ...]

    @property
    def overhead(self) -> float:
        """Wall seconds beyond the deliverable's own ``test.sh``, all suites together."""
        return sum(timings.overhead for timings in self.timings.values())


def check_deliverable(deliverable: Path) -> None:
    """See that there is a folder to grade, and that we can read it.

    Raises:
        UsageError: it is missing, no folder, a link, or closed to us.
    """
    try:
        mode = deliverable.lstat().st_mode
    except OSError as error:
        raise UsageError(
            f"no deliverable there: {error.strerror}",
            file=str(deliverable),
            mend="give the folder that was handed over",
        ) from error
    if stat.S_ISLNK(mode):
        raise UsageError(
            "the deliverable is a symbolic link", file=str(deliverable), mend="give the folder that it leads to"
        )
    if not stat.S_ISDIR(mode):
        raise UsageError("the deliverable is no folder", file=str(deliverable), mend="unpack it and give the folder")
    if not os.access(deliverable, os.R_OK | os.X_OK):
        raise UsageError(
            "the deliverable cannot be read",
            file=str(deliverable),
            mend="give this user the right to read and enter it",
        )


async def grade_deliverable(
    task: Task,
    deliverable: Path,
    backend: SandboxBackend,
    *,
    image: str,
    owner: Owner,
    deliverable_sha256: str | None = None,
    on_progress: Callable[[str], None] | None = None,
    network: Network = "none",
) -> Outcomes:
    """Grade the folder ``deliverable``, which is neither copied nor changed.

    Whatever the deliverable does is its own doing and scored. The result depends on what was graded alone: no time,
    host or path stands in it.

    Raises:
        UsageError: there is no folder to grade.
        SandboxError: the sandbox or its host failed, so there is no score; try again.
    """
    grade = await grade_in_full(
        task,
        deliverable,
        backend,
        image=image,
        owner=owner,
        deliverable_sha256=deliverable_sha256,
        on_progress=on_progress,
        network=network,
    )
    return grade.outcomes


async def grade_in_full(
    task: Task,
    deliverable: Path,
    backend: SandboxBackend,
    *,
    image: str,
    owner: Owner,
    deliverable_sha256: str | None = None,
    on_progress: Callable[[str], None] | None = None,
    network: Network = "none",
    comparison: Comparison = BYTES,
    show: int = 0,
) -> Grade:
    """As :func:`grade_deliverable`, with timings and, of each suite, the first ``show`` failing cases."""
    check_deliverable(deliverable)
    report = on_progress or _silent
    spec = SandboxSpec(
        owner=owner, image=image, limits=grading_limits(task.toml.limits), lower=deliverable, network=network
    )
    cases: list[GradedCase] = []
    ends: list[SuiteEnd] = []
    notes: list[str] = []
    timings: dict[str, Timings] = {}
    failures: list[Failure] = []
    looking = asyncio.create_task(asyncio.to_thread(shipped_notes, deliverable))
    try:
        for name in SUITES:
            suite = task.suites.get(name)
            if suite is None or not suite.total:
                continue
            run = SuiteRun(
                suite=suite,
                inputs=grader_inputs(task, name),
                expectations=expectations(task, name),
                hidden=hidden_flags(task, name),
                limits=task.toml.limits,
                comparison=comparison,
                show=show,
            )
            graded = await grade_suite(run, spec, backend)
            cases += graded.cases
            ends.append(graded.end)
            notes += graded.notes
            timings[name] = graded.timings
            failures += graded.failures
            passed = sum(case.outcome is CaseOutcome.PASS for case in graded.cases)
            states = ", ".join(graded.end.states) or "clean"
            report(f"{name}: {passed} of {suite.total} pass ({states}; {graded.timings.total:.1f} s)")
    finally:
        notes += await looking
    outcomes = Outcomes(
        task=task.id,
        task_digest=task.digest,
        deliverable=deliverable_sha256,
        image=backend.image_digest(image),
        comparison=comparison.name,
        cases=tuple(cases),
        suites=tuple(ends),
        notes=tuple(notes),
    )
    return Grade(outcomes, timings, tuple(failures))


def _silent(line: str) -> None:
    """Progress that nobody asked for."""

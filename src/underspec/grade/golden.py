"""Grades a task by its own golden implementation: that must pass everything, and an empty deliverable nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.outcomes import Outcomes, Rate
from underspec.grade.grader import Grade, grade_in_full
from underspec.grade.suite import Failure
from underspec.grade.text import printable
from underspec.sandbox.protocol import Owner, SandboxBackend
from underspec.task.layout import case_path
from underspec.task.model import Task
from underspec.task.release import golden_deliverable

SHOWN = 5
_CONTEXT = 40


@dataclass(frozen=True)
class GoldenFinding:
    """What is wrong: ``file`` of the task and the place in it as a JSON path, both None when it is the whole."""

    message: str
    file: str | None = None
    where: str | None = None


@dataclass(frozen=True)
class GoldenCheck:
    """Both grades. The task is fine (``ok``) when there is no finding."""

    golden: Outcomes
    empty: Outcomes
    findings: tuple[GoldenFinding, ...]

    @property
    def ok(self) -> bool:
        """Whether the golden deliverable passes every case of every suite, and the empty one none."""
        return not self.findings

    @property
    def golden_rate(self) -> Rate:
        """Overall rate of the golden deliverable."""
        return self.golden.overall

    @property
    def empty_rate(self) -> Rate:
        """Overall rate of an empty deliverable."""
        return self.empty.overall


async def check_golden(
    task: Task,
    backend: SandboxBackend,
    *,
    owner: Owner,
    image: str | None = None,
    cache: Path | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> GoldenCheck:
    """Grade the golden and an empty deliverable on the path that every deliverable goes (fault 13).

    ``image`` defaults to the task's base image; ``cache`` is where golden archives are kept.

    Raises:
        GoldenError: the golden implementation cannot be had.
        SandboxError: the sandbox failed, so nothing is known of the task.
    """
    image = image or task.toml.image.base
    with tempfile.TemporaryDirectory(prefix="underspec-golden-") as folder:
        golden_folder = Path(folder) / "golden"
        empty_folder = Path(folder) / "empty"
        golden_folder.mkdir()
        empty_folder.mkdir()
        golden_deliverable(task, golden_folder, cache)
        golden = await grade_in_full(
            task, golden_folder, backend, image=image, owner=owner, on_progress=on_progress, show=SHOWN
        )
        empty = await grade_in_full(task, empty_folder, backend, image=image, owner=owner)
    return GoldenCheck(golden.outcomes, empty.outcomes, tuple(_findings(task, golden, empty.outcomes)))


def _findings(task: Task, golden: Grade, empty: Outcomes) -> list[GoldenFinding]:
    findings = []
    rate = golden.outcomes.overall
    if not golden.outcomes.clean:
        ends = "; ".join(
            f"{end.suite}: exit {end.exit_code}, limit {end.limit}, states {', '.join(end.states) or 'none'}"
            for end in golden.outcomes.suites
        )
        findings.append(GoldenFinding(f"the golden deliverable passes {rate.passed} of {rate.total} cases ({ends})"))
        findings += [_finding(failure) for failure in golden.failures]
    passed = [case for case in empty.cases if case.outcome == "pass"]
    if passed:
        findings.append(GoldenFinding(f"an empty deliverable passes {len(passed)} of {len(empty.cases)} cases"))
    if not golden.outcomes.cases:
        findings.append(GoldenFinding("the task has no case, so nothing shows that the golden implementation is right"))
    return findings


def _finding(failure: Failure) -> GoldenFinding:
    return GoldenFinding(
        f"{failure.outcome}: {difference(failure.expected, failure.actual)}",
        file=case_path(failure.suite, failure.file),
        where=f"$.cases[{failure.index}].expected_output",
    )


def difference(expected: bytes, actual: bytes | None) -> str:
    """Both texts around the first byte in which they differ, escaped to one line."""
    if actual is None:
        return f"expected {len(expected)} bytes {_part(expected, 0)}, nothing to show came"
    place = next(
        (place for place, (one, other) in enumerate(zip(expected, actual, strict=False)) if one != other),
        min(len(expected), len(actual)),
    )
    return (
        f"from byte {place} on, expected {_part(expected, place)} ({len(expected)} bytes), "
        f"got {_part(actual, place)} ({len(actual)} bytes)"
    )


def _part(text: bytes, place: int) -> str:
    start = max(0, place - _CONTEXT)
    end = place + _CONTEXT
    shown = printable(text[start:end], most=8 * _CONTEXT)
    return f"{'...' if start else ''}'{shown}'{'...' if end < len(text) else ''}"

"""Checks private tests by implementations whose worth is known (SWE-Clar A).

The reference and an equivalent implementation pass every test; each incorrect one is rejected by the tests of the unit
that it is wrong about; the starter files pass no unit. All go the way that every deliverable goes (fault 13).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from underspec.artifact.acceptance import Acceptance
from underspec.grade.acceptance.accept import Accepted, accept_deliverable
from underspec.grade.text import printable
from underspec.sandbox.protocol import Owner, SandboxBackend
from underspec.task.layout import ACCEPTANCE, VARIANTS, WORKSPACE
from underspec.task.model import Task
from underspec.task.release import STARTER, golden_deliverable, variant_deliverable, variant_names

_REFERENCE = "reference"
_INCORRECT = "incorrect-"
_SHOWN = 3


@dataclass(frozen=True)
class VariantFinding:
    """What is wrong: ``file`` of the task, and what was said about a test there."""

    message: str
    file: str


@dataclass(frozen=True)
class VariantsCheck:
    """The acceptance of every variant by name, ``starter`` among them. Without findings, the tests are fine."""

    accepted: Mapping[str, Acceptance] = field(default_factory=dict)
    findings: tuple[VariantFinding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every variant was judged as it deserves."""
        return not self.findings

    def also(self, variant: str) -> tuple[str, ...]:
        """Units that an incorrect variant fails beside the one that it is wrong about."""
        target = variant.removeprefix(_INCORRECT)
        return tuple(unit.id for unit in self.accepted[variant].units if not unit.passed and unit.id != target)


async def check_variants(
    task: Task,
    backend: SandboxBackend,
    *,
    owner: Owner,
    image: str | None = None,
    only: Callable[[str], bool] | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> VariantsCheck:
    """Accept the starter files and every variant of a task, one after another.

    ``image`` defaults to the task's base image; ``only`` says which variants to look at, by name. The reference of a
    task with a golden implementation is that implementation behind the reference overlay.

    Raises:
        TaskError: the task has no units or tests, or a test that belongs to no unit; or, as GoldenError, its golden
            implementation cannot be had.
        SandboxError: the sandbox failed, so nothing is known of the tests.
    """
    accepted: dict[str, Acceptance] = {}
    findings: list[VariantFinding] = []
    for name in (STARTER, *variant_names(task)):
        if only is not None and not only(name):
            continue
        with tempfile.TemporaryDirectory(prefix="underspec-variant-") as folder:
            _lay(task, name, Path(folder))
            one = await accept_deliverable(
                task, Path(folder), backend, image=image or task.toml.image.base, owner=owner
            )
        accepted[name] = one.acceptance
        found = _judge(name, one)
        findings += found
        if on_progress:
            tests = one.acceptance.test_rate
            verdict = "NOT AS IT SHOULD BE" if found else "as it should be"
            on_progress(f"{name}: {tests.passed} of {tests.total} tests pass, {verdict}")
    return VariantsCheck(accepted, tuple(findings))


def _lay(task: Task, name: str, into: Path) -> None:
    if name == _REFERENCE and task.golden is not None:
        golden_deliverable(task, into)
    else:
        variant_deliverable(task, name, into)


def _judge(name: str, one: Accepted) -> list[VariantFinding]:
    acceptance = one.acceptance
    if name == STARTER:
        passed = [unit.id for unit in acceptance.units if unit.passed]
        message = f"the starter files pass {', '.join(passed)} before anything is built"
        return [VariantFinding(message, WORKSPACE)] if passed else []
    file = f"{VARIANTS}/{name}"
    if not name.startswith(_INCORRECT):
        return [] if acceptance.passed else [_not_accepted(name, file, one), *_failing(one)]
    target = name.removeprefix(_INCORRECT)
    wanted = next((unit for unit in acceptance.units if unit.id == target), None)
    if wanted is None:
        return [VariantFinding(f"{target} is no requirement unit", file)]
    if wanted.passed:
        return [VariantFinding(f"the tests of {target} accept what is wrong about it", file)]
    return []


def _not_accepted(name: str, file: str, one: Accepted) -> VariantFinding:
    rate, end = one.acceptance.test_rate, one.acceptance.end
    notes = "; ".join([f"exit {end.exit_code}, limit {end.limit}", *one.acceptance.notes])
    return VariantFinding(f"the {name} implementation passes {rate.passed} of {rate.total} tests ({notes})", file)


def _failing(one: Accepted) -> list[VariantFinding]:
    return [
        VariantFinding(
            f"{test.id}: {test.verdict}: {printable(test.message.encode(), most=500)}",
            ACCEPTANCE,
        )
        for test in one.failures.tests[:_SHOWN]
    ]

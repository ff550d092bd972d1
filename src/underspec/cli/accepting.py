"""``underspec grade`` for a task that has acceptance tests instead of cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from underspec.cli.common import print_json, run_async

if TYPE_CHECKING:
    from underspec.artifact.acceptance import Acceptance
    from underspec.grade.acceptance.accept import Accepted
    from underspec.sandbox.protocol import SandboxBackend
    from underspec.task.model import Task

_RETRIES = 2  # as a run does: a sandbox that fails is nobody's score


def has_tests_alone(task: Task) -> bool:
    """Whether there are units to accept by, and no case to grade by."""
    return task.units is not None and not any(suite.total for suite in task.suites.values())


def accept_and_tell(task: Task, submission: Path, backend: SandboxBackend, *, image: str, as_json: bool) -> None:
    """Accept or reject a folder and print the verdicts.

    As JSON: ``{"task", "passed", "tests", "unit_rate", "units": [{"id", "passed", "failed"}], "unscored"}``; ``tests``
    and ``unit_rate`` are rates, ``failed`` ids of tests. Without a verdict all but ``task`` and ``unscored`` is null.
    """
    from underspec.errors import HarnessError, SandboxError
    from underspec.grade.acceptance.accept import accept_deliverable
    from underspec.report.terminal import plain
    from underspec.sandbox.protocol import Owner

    async def patiently() -> Accepted:
        for _ in range(_RETRIES):
            try:
                return await once()
            except SandboxError as error:
                typer.echo(plain(f"{error}; trying again"), err=True)
        return await once()

    async def once() -> Accepted:
        owner = Owner(run="grade", purpose=task.id)
        return await accept_deliverable(task, submission, backend, image=image, owner=owner)

    try:
        acceptance = run_async(patiently()).acceptance
    except (SandboxError, HarnessError) as error:
        if as_json:
            reason = {"boundary": error.boundary.value, "reason": str(error)}
            unknown = dict.fromkeys(("passed", "tests", "unit_rate", "units"))
            print_json({"task": task.id, **unknown, "unscored": reason})
        raise
    if as_json:
        print_json(acceptance_document(acceptance))
        return
    for unit in acceptance.units:
        failing = f": {', '.join(unit.failed)}" if unit.failed else ""
        typer.echo(plain(f"{unit.id:9} {'pass' if unit.passed else 'FAIL'}{failing}"))
    tests, units = acceptance.test_rate, acceptance.unit_rate
    typer.echo(f"{tests.passed} of {tests.total} tests and {units.passed} of {units.total} requirement units pass")
    typer.echo("accepted" if acceptance.passed else "not accepted")
    for note in acceptance.notes:
        typer.echo(plain(f"note: {note}"))


def acceptance_document(acceptance: Acceptance) -> dict[str, Any]:
    """The verdicts as JSON values."""
    return {
        "task": acceptance.task,
        "passed": acceptance.passed,
        "tests": acceptance.test_rate.model_dump(mode="json"),
        "unit_rate": acceptance.unit_rate.model_dump(mode="json"),
        "units": [unit.model_dump(mode="json") for unit in acceptance.units],
        "unscored": None,
    }

"""Accepts a deliverable: private tests in one sandbox, the deliverable in another, verdicts from the first alone."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.acceptance import (
    MOST_FAILURES,
    MOST_TEXT,
    Acceptance,
    AcceptanceEnd,
    AcceptanceFailures,
    AcceptanceTest,
    FailedTest,
    TestVerdict,
    UnitOutcome,
)
from underspec.artifact.condition import Network
from underspec.artifact.files import host_exhaustion
from underspec.errors import AgentError, TaskError
from underspec.grade.acceptance import kit
from underspec.grade.acceptance.broker import PORT, Broker
from underspec.grade.acceptance.junit import MOST_BYTES, DamagedReportError, Reported, read_report
from underspec.grade.acceptance.subjects import Subjects
from underspec.grade.grader import check_deliverable
from underspec.grade.suite import grading_limits
from underspec.sandbox.protocol import ExecResult, Limits, Mount, Owner, SandboxBackend, SandboxSpec
from underspec.task.model import Task
from underspec.task.release import acceptance_files, unit_tests

KIT, TESTS = "/acceptance/kit", "/acceptance/tests"
REPORT = "/root/acceptance/junit.xml"
RUNNER = ("python3", "-I", "-B", f"{KIT}/run.py", TESTS, REPORT)

_TESTS_LIMITS = Limits(memory=1024**3, disk=256 * 1024**2, processes=256)


@dataclass(frozen=True)
class Accepted:
    """The verdicts, and what a reader may want beside them."""

    acceptance: Acceptance
    failures: AcceptanceFailures


async def accept_deliverable(
    task: Task,
    deliverable: Path,
    backend: SandboxBackend,
    *,
    image: str,
    owner: Owner,
    deliverable_sha256: str | None = None,
    network: Network = "none",
    on_progress: Callable[[str], None] | None = None,
    scratch: Path | None = None,
) -> Accepted:
    """Run a task's private tests on the folder ``deliverable``, which is neither copied nor changed.

    Whatever the deliverable does is its own doing: a test without a result, for whatever reason, is not passed. The
    verdicts depend on what was accepted alone: no time, host or path stands in them.

    Args:
        image: what the deliverable runs in, and the tests too where the task names no other for them.
        network: what the deliverable's sandbox may reach; the tests' sandbox never reaches anything.
        scratch: where the tests lie meanwhile; whoever gives it removes what a killed process leaves there.

    Raises:
        UsageError: there is no folder to accept.
        TaskError: the task has no units or tests, or a test that belongs to no unit.
        SandboxError, HarnessError: not the deliverable's doing, so there is no verdict; try again.
    """
    check_deliverable(deliverable)
    units = unit_tests(task)
    tests_image = task.toml.acceptance.image or image
    spec = SandboxSpec(
        owner=owner, image=image, limits=grading_limits(task.toml.limits), lower=deliverable, network=network
    )
    with tempfile.TemporaryDirectory(prefix="underspec-acceptance-", dir=scratch) as name:
        folder = Path(name)
        _lay(folder, acceptance_files(task))
        end, report = await _run_tests(
            task, folder, Subjects(lambda: backend.create(spec)), backend, tests_image, owner
        )
    reported, notes = _reported(report)
    verdicts = _verdicts(units, reported)
    acceptance = Acceptance(
        task=task.id,
        task_digest=task.digest,
        deliverable=deliverable_sha256,
        image=backend.image_digest(image),
        tests=tuple(AcceptanceTest(id=test, verdict=verdict) for test, verdict in verdicts.items()),
        units=tuple(_unit(unit, tests, verdicts) for unit, tests in units.items()),
        end=AcceptanceEnd(
            exit_code=None if end.limit else end.exit_code,
            signal=None if end.limit else end.signal,
            limit=end.limit,
            layer=end.layer,
        ),
        notes=notes,
    )
    if on_progress:
        tests, passed = acceptance.test_rate, acceptance.unit_rate
        on_progress(f"{tests.passed} of {tests.total} tests pass, {passed.passed} of {passed.total} units")
    return Accepted(acceptance, _failures(acceptance, reported))


def _lay(folder: Path, files: Mapping[str, bytes]) -> None:
    with host_exhaustion(folder):
        folder.chmod(0o755)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)


async def _run_tests(
    task: Task, folder: Path, subjects: Subjects, backend: SandboxBackend, image: str, owner: Owner
) -> tuple[ExecResult, bytes | None]:
    """How the tests' command ended, and the report that it left."""
    mounts = (Mount(Path(kit.__file__).parent, KIT), Mount(folder, TESTS))
    sandbox = backend.create(SandboxSpec(owner=owner, image=image, limits=_TESTS_LIMITS, mounts=mounts))
    broker = Broker(subjects)
    settings = task.toml.acceptance
    try:
        await sandbox.start()
        await broker.serve(await sandbox.listen(PORT))
        end = await sandbox.exec(
            list(settings.command or RUNNER),
            cwd=TESTS,
            env={
                "ACCEPTANCE_REPORT": REPORT,
                "ACCEPTANCE_TESTS": TESTS,
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONPATH": KIT,
            },
            timeout=float(settings.seconds),
            keep_output=False,
            end_on_output_limit=False,
        )
        await sandbox.kill_all()
        try:
            report = await sandbox.get(REPORT, max_bytes=MOST_BYTES)
        except AgentError:
            report = None
    finally:
        await asyncio.gather(broker.close(), sandbox.close())
    if broker.failure is not None:
        raise broker.failure
    return end, report


def _reported(report: bytes | None) -> tuple[dict[str, Reported], tuple[str, ...]]:
    """The report's tests. A missing or damaged report says nothing in favour of a deliverable."""
    if report is None:
        return {}, ("the tests left no report",)
    try:
        return read_report(report), ()
    except DamagedReportError as error:
        return {}, (f"the tests' report is damaged: {error}",)


def _verdicts(units: Mapping[str, tuple[str, ...]], reported: Mapping[str, Reported]) -> dict[str, TestVerdict]:
    """A verdict for every test that a unit names, in the units' order; there may be no other (fault 12)."""
    known = dict.fromkeys(test for tests in units.values() for test in tests)
    surplus = sorted(set(reported) - set(known))
    if surplus:
        said = reported[surplus[0]].message
        raise TaskError(
            f"the acceptance tests report {surplus[0]!a}, which belongs to no unit" + (f": {said}" if said else ""),
            file="hidden/units.json",
            mend="name each test in the unit whose requirement it tests",
        )
    return {test: reported[test].verdict if test in reported else TestVerdict.MISSING for test in known}


def _unit(unit: str, tests: tuple[str, ...], verdicts: Mapping[str, TestVerdict]) -> UnitOutcome:
    failed = tuple(test for test in tests if verdicts[test] is not TestVerdict.PASSED)
    return UnitOutcome(id=unit, passed=not failed, failed=failed)


def _failures(acceptance: Acceptance, reported: Mapping[str, Reported]) -> AcceptanceFailures:
    failed = [test for test in acceptance.tests if test.verdict is not TestVerdict.PASSED]
    return AcceptanceFailures(
        task=acceptance.task,
        deliverable=acceptance.deliverable,
        tests=tuple(
            FailedTest(
                id=test.id,
                verdict=test.verdict,
                message=reported[test.id].message[:MOST_TEXT] if test.id in reported else "",
            )
            for test in failed[:MOST_FAILURES]
        ),
    )

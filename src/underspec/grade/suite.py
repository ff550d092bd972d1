"""One suite of one deliverable, in one fresh sandbox."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from underspec.artifact.deliverable import MAX_DELIVERABLE_FILES
from underspec.artifact.outcomes import CaseOutcome, GradedCase, SuiteEnd, SuiteName
from underspec.grade.cases import SUBDIRS, all_missing, graded_cases, no_test_states, states_of
from underspec.grade.compare import BYTES, Comparison, Judge, Verdicts, split_name
from underspec.grade.inputs import lay_inputs
from underspec.sandbox.protocol import WORKSPACE, Limits, Sandbox, SandboxBackend, SandboxSpec
from underspec.task.model import Suite, TaskLimits

MIB = 1024**2
# Bytes of outputs held in memory at once, whatever a deliverable writes.
_BATCH = 32 * MIB
_MOST_FILES = 1_000_000
_MOST_BYTES = 1 << 62
_SHOWN_FILE = 64 * 1024


@dataclass
class Timings:
    """Wall seconds of one suite. All but ``test`` is the grader's own time."""

    start: float = 0.0
    lay: float = 0.0
    test: float = 0.0
    collect: float = 0.0
    close: float = 0.0

    @property
    def total(self) -> float:
        """The whole suite."""
        return self.overhead + self.test

    @property
    def overhead(self) -> float:
        """Everything but the deliverable's own ``test.sh``."""
        return self.start + self.lay + self.collect + self.close


@dataclass(frozen=True)
class Failure:
    """A case that does not pass, for a reader: what was expected and what came, None when nothing came or it was
    too large to show."""

    suite: SuiteName
    file: str
    index: int
    outcome: CaseOutcome
    expected: bytes
    actual: bytes | None


@dataclass(frozen=True)
class SuiteGrade:
    """The verdict on one suite. ``notes`` are deterministic remarks; ``failures`` the first few cases that fail."""

    cases: tuple[GradedCase, ...]
    end: SuiteEnd
    notes: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    timings: Timings = field(default_factory=Timings)


@dataclass(frozen=True)
class SuiteRun:
    """What is run: a suite of a task, with the inputs that go in and the expectations that stay out.

    ``inputs`` are files by name, without expectations; ``expectations`` by stem. ``hidden`` says by stem
    which cases are hidden. ``show`` bounds how many failing cases are looked at once more for a reader.
    """

    suite: Suite
    inputs: Mapping[str, bytes]
    expectations: Mapping[str, Sequence[str]]
    hidden: Mapping[str, Sequence[bool]]
    limits: TaskLimits
    comparison: Comparison = BYTES
    show: int = 0


def sandbox_limits(limits: TaskLimits) -> Limits:
    """What a task allows, as a sandbox takes it: as many files as a deliverable may have, and some more."""
    return Limits(
        memory=limits.memory_mb * MIB,
        cpus=limits.cpus,
        processes=limits.processes,
        files=MAX_DELIVERABLE_FILES + 10_000,
        disk=limits.disk_mb * MIB,
        output=limits.output_mb * MIB,
    )


def grading_limits(limits: TaskLimits) -> Limits:
    """What a deliverable is graded under.

    Removing stale outputs costs an entry each in the scratch layer for as long as it takes, also for each folder, of
    which a deliverable may have as many as files. Or one that is full of them could not be graded, and so not fail.
    """
    build = sandbox_limits(limits)
    return replace(build, files=build.files + MAX_DELIVERABLE_FILES)


async def grade_suite(run: SuiteRun, spec: SandboxSpec, backend: SandboxBackend) -> SuiteGrade:
    """Run ``bash rcb_tests/test.sh --cases-dir <folder>`` as it was delivered and compare what it leaves.

    Raises:
        SandboxError: the sandbox, not the deliverable, failed; nobody's score may suffer for it.
    """
    timings = Timings()
    watch = _Watch(timings)
    sandbox = backend.create(spec)
    try:
        await sandbox.start()
        watch.lap("start")
        folder = SUBDIRS[run.suite.name]
        tests = await lay_inputs(sandbox, folder, run.inputs)
        watch.lap("lay")
        if tests is None:
            return _no_test(run, timings)
        end = await sandbox.exec(
            ["bash", "rcb_tests/test.sh", "--cases-dir", folder],
            cwd=WORKSPACE,
            timeout=float(run.limits.suite_seconds),
            keep_output=False,
            end_on_output_limit=False,
        )
        watch.lap("test")
        await sandbox.kill_all()
        outputs = f"{tests}/stdout/{folder}"
        verdicts = await compare_outputs(run, sandbox, outputs)
        failures = await look_again(run, sandbox, outputs, verdicts) if run.show else ()
        watch.lap("collect")
    finally:
        await sandbox.close()
        watch.lap("close")
    return SuiteGrade(
        cases=tuple(graded_cases(run.suite, verdicts.outcomes, run.hidden)),
        end=SuiteEnd(
            suite=run.suite.name,
            # Which of its processes was killed first, and what the others made of it, is chance and says nothing.
            exit_code=None if end.limit else end.exit_code,
            signal=None if end.limit else end.signal,
            limit=end.limit,
            layer=end.layer,
            states=states_of(verdicts, end),
        ),
        notes=_notes(run.suite.name, verdicts),
        failures=failures,
        timings=timings,
    )


async def compare_outputs(run: SuiteRun, sandbox: Sandbox, folder: str) -> Verdicts:
    """Judge the outputs in ``folder``, without following a link on the way to them.

    Read are only files that may be right by their size, in batches of at most 32 MiB: nearly always one.
    """
    judge = run.comparison.judge(run.expectations, limit=run.limits.case_output_mb * MIB)
    later: list[tuple[str, int]] = []
    room = _BATCH

    def read_now(name: str, size: int) -> bool:
        nonlocal room
        if not judge.announce(name, size):
            return False
        if size <= room:
            room -= size
            return True
        later.append((name, size))
        return False

    await _collect(judge, sandbox, folder, read_now)
    for batch in _batches(later):
        await _collect(judge, sandbox, folder, _among(batch))
    return judge.verdicts()


async def _collect(judge: Judge, sandbox: Sandbox, folder: str, want: Callable[[str, int], bool]) -> None:
    """Show the judge the contents of the wanted outputs."""
    files = await sandbox.collect(
        folder, max_file=_MOST_BYTES, max_files=_MOST_FILES, max_total=_MOST_BYTES, pattern="*@*.txt", want=want
    )
    for file in files:
        if file.content is not None:
            judge.show(file.name, file.content)


def _among(names: Container[str]) -> Callable[[str, int], bool]:
    return lambda name, _: name in names


def _batches(files: Sequence[tuple[str, int]]) -> Iterator[set[str]]:
    """Names in groups that are small enough to be held in memory, each with at least one."""
    names: set[str] = set()
    total = 0
    for name, size in files:
        if names and total + size > _BATCH:
            yield names
            names, total = set(), 0
        names.add(name)
        total += size
    if names:
        yield names


async def look_again(run: SuiteRun, sandbox: Sandbox, folder: str, verdicts: Verdicts) -> tuple[Failure, ...]:
    """The first ``run.show`` failing cases with what came instead, for a reader."""
    failing = [
        (stem, index, outcome)
        for stem in sorted(verdicts.outcomes)
        for index, outcome in enumerate(verdicts.outcomes[stem])
        if outcome is not CaseOutcome.PASS
    ][: run.show]
    keys = {
        (stem, verdicts.number(stem, index)) for stem, index, outcome in failing if outcome is not CaseOutcome.MISSING
    }
    contents = await _contents(sandbox, folder, keys) if keys else {}
    return tuple(
        Failure(
            suite=run.suite.name,
            file=stem,
            index=index,
            outcome=outcome,
            expected=run.comparison.prepare(run.expectations[stem][index]),
            actual=contents.get((stem, verdicts.number(stem, index))),
        )
        for stem, index, outcome in failing
    )


async def _contents(sandbox: Sandbox, folder: str, keys: Container[tuple[str, int]]) -> dict[tuple[str, int], bytes]:
    """Outputs by stem and number, without those that are too large to show."""
    files = await sandbox.collect(
        folder,
        max_file=_SHOWN_FILE,
        max_files=_MOST_FILES,
        max_total=_BATCH,
        pattern="*@*.txt",
        want=lambda name, size: size <= _SHOWN_FILE and split_name(name) in keys,
    )
    named = ((split_name(file.name), file.content) for file in files)
    return {key: content for key, content in named if key is not None and content is not None}


def _no_test(run: SuiteRun, timings: Timings) -> SuiteGrade:
    return SuiteGrade(
        cases=tuple(graded_cases(run.suite, all_missing(run.suite), run.hidden)),
        end=SuiteEnd(suite=run.suite.name, exit_code=None, states=no_test_states(run.suite)),
        timings=timings,
    )


def _notes(suite: str, verdicts: Verdicts) -> tuple[str, ...]:
    notes = []
    if verdicts.surplus:
        notes.append(f"{suite}: {verdicts.surplus} output(s) stand for no case of the suite and were ignored")
    if verdicts.repeated:
        notes.append(f"{suite}: {verdicts.repeated} case(s) have several outputs, which must all be right to pass")
    return tuple(notes)


class _Watch:
    """Adds the time since the last lap to a field of the timings."""

    def __init__(self, timings: Timings) -> None:
        self._timings = timings
        self._last = time.perf_counter()

    def lap(self, name: Literal["start", "lay", "test", "collect", "close"]) -> None:
        now = time.perf_counter()
        setattr(self._timings, name, getattr(self._timings, name) + now - self._last)
        self._last = now

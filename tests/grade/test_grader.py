"""Assembly of a grade, without running anything: states, counts, notes, and whose failure a failure is."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.grade.fakes import ENDED, FakeBackend, Script
from underspec.artifact.outcomes import SUITES, CaseOutcome, Outcomes, SuiteState
from underspec.errors import HostExhaustedError, SandboxError, SandboxGoneError, UsageError
from underspec.grade.cases import graded_cases
from underspec.grade.grader import grade_deliverable, grade_in_full
from underspec.sandbox.protocol import ExecResult, Owner
from underspec.selftest.deliverables.toy import INPUTS, TOTALS, answer, toy_task
from underspec.task.cases import hidden_flags
from underspec.task.model import Task

OWNER = Owner(run="tests", purpose="grade")
TASK = toy_task()


def right(suite: str, base: int = 0) -> dict[str, bytes | int]:
    return {
        f"{stem}@{place + base:03}.txt": answer(case).encode()
        for stem, cases in INPUTS[suite].items()  # type: ignore[index]
        for place, case in enumerate(cases)
    }


def all_right() -> list[Script]:
    return [Script(outputs=right(suite)) for suite in SUITES]


def grade(deliverable: Path, *scripts: Script, task: Task = TASK) -> Outcomes:
    return asyncio.run(
        grade_deliverable(task, deliverable, FakeBackend(*scripts), image="host", owner=OWNER, deliverable_sha256="d")
    )


def states(outcomes: Outcomes, suite: str) -> tuple[SuiteState, ...]:
    return next(end.states for end in outcomes.suites if end.suite == suite)


def native_with(tmp_path: Path, script: Script) -> Outcomes:
    scripts = all_right()
    scripts[1] = script
    return grade(tmp_path, *scripts)


def test_all_right_is_clean_and_hidden_leaves_out_public_cases(tmp_path: Path) -> None:
    outcomes = grade(tmp_path, *all_right())
    assert outcomes.clean
    assert (outcomes.overall.passed, outcomes.overall.total) == (11, 11)
    assert len(outcomes.suite("hidden")) == 9
    assert [(case.file, case.index) for case in outcomes.suite("native") if not case.hidden] == [
        ("add", 0),
        ("join", 0),
    ]
    assert all(states(outcomes, suite) == () for suite in SUITES)
    assert outcomes.deliverable == "d"
    assert outcomes.image == "fake:host"


def test_the_same_grade_twice_is_the_same_file(tmp_path: Path) -> None:
    assert grade(tmp_path, *all_right()).to_bytes() == grade(tmp_path, *all_right()).to_bytes()


def test_three_fresh_sandboxes_one_after_another_each_dead_before_it_is_read(tmp_path: Path) -> None:
    scripts = all_right()
    backend = FakeBackend(*scripts)
    asyncio.run(grade_deliverable(TASK, tmp_path, backend, image="host", owner=OWNER))
    for script in scripts:
        assert script.journal == ["start", "prepare", "test", "kill_all", "collect", "close"]
    assert all(spec.lower == tmp_path and not spec.mounts and spec.network == "none" for spec in backend.specs)


def test_test_sh_runs_as_delivered_with_the_suites_folder_and_its_output_is_not_kept(tmp_path: Path) -> None:
    scripts = all_right()
    grade(tmp_path, *scripts)
    folders = [script.execs[1]["argv"] for script in scripts]
    assert folders == [
        ["bash", "rcb_tests/test.sh", "--cases-dir", folder]
        for folder in ("public_test_cases", "test_cases", "enhanced_test_cases")
    ]
    for script in scripts:
        assert not script.execs[1]["keep_output"]
        assert not script.execs[1]["end_on_output_limit"]
        assert script.execs[1]["timeout"] == 20


def test_no_expectation_and_no_canary_goes_into_the_sandbox(tmp_path: Path) -> None:
    scripts = all_right()
    grade(tmp_path, *scripts)
    for script in scripts:
        laid = script.execs[0]["stdin"]
        assert b"add.json" in laid
        assert b"expected" not in laid
        assert b"canary" not in laid


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (ExecResult(0, None, b"", b"", 1.0), ()),
        (ExecResult(1, None, b"", b"", 1.0), (SuiteState.EXEC_RUN,)),
        (ExecResult(None, 11, b"", b"", 1.0), (SuiteState.EXEC_RUN,)),
        (ExecResult(None, 9, b"", b"", 1.0, "time", "exec"), (SuiteState.EXEC_TIMEOUT,)),
        (ExecResult(137, None, b"", b"", 1.0, "memory", "sandbox"), (SuiteState.EXEC_MEMORY,)),
        (ExecResult(0, None, b"", b"", 1.0, "memory", "sandbox"), (SuiteState.EXEC_MEMORY,)),
        (ExecResult(0, None, b"", b"", 1.0, "output", "exec"), ()),
        (ExecResult(1, None, b"", b"", 1.0, "disk", "sandbox"), (SuiteState.EXEC_RUN,)),
        (ExecResult(124, None, b"", b"", 1.0), (SuiteState.EXEC_RUN,)),
        (ExecResult(137, None, b"Killed: out of memory\n", b"timed out", 1.0), (SuiteState.EXEC_RUN,)),
    ],
)
def test_states_come_from_exit_status_and_limits_and_right_outputs_count_all_the_same(
    tmp_path: Path, end: ExecResult, expected: tuple[SuiteState, ...]
) -> None:
    outcomes = native_with(tmp_path, Script(end=end, outputs=right("native")))
    assert states(outcomes, "native") == expected
    assert outcomes.overall.passed == 11


def test_a_bad_end_without_any_output_is_a_failed_build(tmp_path: Path) -> None:
    bad = ExecResult(2, None, b"", b"", 0.1)
    outcomes = native_with(tmp_path, Script(end=bad))
    assert states(outcomes, "native") == (SuiteState.MISSING, SuiteState.EXEC_BUILD)
    surplus = native_with(tmp_path, Script(end=bad, outputs={"other@000.txt": b"x"}))
    assert states(surplus, "native") == (SuiteState.MISSING, SuiteState.EXEC_BUILD)


def test_states_overlap(tmp_path: Path) -> None:
    outputs = {**right("native"), "add@000.txt": b"wrong"}
    del outputs["add@001.txt"]
    outcomes = native_with(tmp_path, Script(end=ExecResult(None, 9, b"", b"", 1.0, "time", "exec"), outputs=outputs))
    assert states(outcomes, "native") == (SuiteState.MISMATCH, SuiteState.MISSING, SuiteState.EXEC_TIMEOUT)


def test_without_test_sh_nothing_runs_and_all_is_missing(tmp_path: Path) -> None:
    none = replace(ENDED, stdout=b"none\n/workspace/rcb_tests\n")
    scripts = [Script(prepared=none) for _ in SUITES]
    outcomes = grade(tmp_path, *scripts)
    assert all(script.journal == ["start", "prepare", "close"] for script in scripts)
    assert all(end.states == (SuiteState.MISSING, SuiteState.NO_TEST) for end in outcomes.suites)
    assert (outcomes.overall.passed, outcomes.overall.total) == (0, 11)
    assert {case.outcome for case in outcomes.cases} == {CaseOutcome.MISSING}


@pytest.mark.parametrize("step", ["start", "prepare", "test", "kill_all", "collect"])
@pytest.mark.parametrize("error", [SandboxError("x"), SandboxGoneError("x"), HostExhaustedError("x")])
def test_a_failing_sandbox_is_no_score_and_is_closed(tmp_path: Path, step: str, error: SandboxError) -> None:
    scripts = all_right()
    scripts[1] = Script(fails_at=step, error=error, outputs=right("native"))
    with pytest.raises(type(error)):
        grade(tmp_path, *scripts)
    assert scripts[1].journal[-1] == "close"
    assert scripts[2].journal == []


def test_inputs_that_cannot_be_laid_are_the_sandboxs_failure_and_hostile_words_stay_on_one_line(tmp_path: Path) -> None:
    bad = ExecResult(1, None, b"", b"rm: \x1b[31m\nno", 0.1)
    with pytest.raises(SandboxError) as caught:
        native_with(tmp_path, Script(prepared=bad))
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_only_outputs_that_may_be_right_are_read(tmp_path: Path) -> None:
    script = Script(outputs={**right("native"), "add@000.txt": b"xyz", "add@001.txt": 3 * 1024**2, "add@002.txt": 77})
    outcomes = native_with(tmp_path, script)
    assert script.read == ["join@000.txt", "join@001.txt", "join@002.txt"]
    verdicts = [case.outcome for case in outcomes.suite("native")]
    assert verdicts[:3] == [CaseOutcome.MISMATCH, CaseOutcome.OVERSIZE, CaseOutcome.MISMATCH]


def test_outputs_are_read_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("underspec.grade.suite._BATCH", 5)
    script = Script(outputs=right("native"))
    assert native_with(tmp_path, script).clean
    assert script.journal.count("collect") > 2
    assert sorted(script.read) == sorted(right("native"))


def test_surplus_and_repeated_outputs_are_noted(tmp_path: Path) -> None:
    outputs = {**right("native"), "ghost@000.txt": b"x", "add@1.txt": b"0\n"}
    outcomes = native_with(tmp_path, Script(outputs=outputs))
    assert outcomes.clean
    assert len(outcomes.notes) == 2
    assert all(note.startswith("native: 1 ") for note in outcomes.notes)


def test_a_suite_without_cases_is_not_run(tmp_path: Path) -> None:
    task = toy_task({"native": INPUTS["native"]})
    outcomes = grade(tmp_path, Script(outputs=right("native")), task=task)
    assert [end.suite for end in outcomes.suites] == ["native"]
    assert outcomes.overall.total == TOTALS["native"]


def test_failing_cases_are_shown_when_asked_for(tmp_path: Path) -> None:
    outputs = {**right("native", base=1), "add@2.txt": b"?", "join@003.txt": 70 * 1024}
    del outputs["add@002.txt"]
    scripts = all_right()
    scripts[1] = Script(outputs=outputs)
    result = asyncio.run(grade_in_full(TASK, tmp_path, FakeBackend(*scripts), image="host", owner=OWNER, show=5))
    shown = [(failure.file, failure.index, failure.expected, failure.actual) for failure in result.failures]
    assert shown == [("add", 1, b"0\n", b"?"), ("join", 2, b"a\rb", None)]
    assert set(result.timings) == set(SUITES)
    assert result.overhead >= 0


def test_progress_says_what_passed(tmp_path: Path) -> None:
    lines: list[str] = []
    asyncio.run(
        grade_deliverable(
            TASK, tmp_path, FakeBackend(*all_right()), image="host", owner=OWNER, on_progress=lines.append
        )
    )
    assert [line.partition(":")[0] for line in lines] == list(SUITES)
    assert "2 of 2 pass" in lines[0]


def test_outcomes_of_another_number_than_there_are_cases_are_an_error() -> None:
    suite, hidden = TASK.suites["public"], hidden_flags(TASK, "public")
    with pytest.raises(ValueError, match="zip"):
        graded_cases(suite, {"add": [CaseOutcome.PASS] * 2, "join": [CaseOutcome.PASS]}, hidden)
    with pytest.raises(ValueError, match="other files"):
        graded_cases(suite, {"add": [CaseOutcome.PASS]}, hidden)


def test_a_deliverable_that_is_no_folder_is_wrong_use(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    for path, word in [(tmp_path / "absent", "no deliverable"), (file, "no folder"), (link, "symbolic link")]:
        with pytest.raises(UsageError, match=word):
            grade(path, *all_right())


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_deliverable_that_is_closed_to_us_is_wrong_use(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    with pytest.raises(UsageError, match="cannot be read"):
        grade(closed, *all_right())

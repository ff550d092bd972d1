"""No deliverable is accepted for anything but what it does, and an honest one is, whatever lies beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.toy import ALSO_HONEST, HONEST, accept, deliver, passed
from tests.commission_factory import ALL_TESTS
from tests.sandbox.boxes import needs_bubblewrap
from underspec.selftest.hostile_programs import HOSTILE
from underspec.task.model import Task

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_wrong_is_rejected_whatever_it_tries(name: str, toy: Task, tmp_path: Path) -> None:
    accepted = accept(toy, deliver(tmp_path, HOSTILE[name]))
    acceptance = accepted.acceptance
    assert passed(acceptance) == []
    assert not acceptance.passed
    assert acceptance.unit_rate.passed == 0
    assert [test.id for test in acceptance.tests] == list(ALL_TESTS)
    assert acceptance.end.exit_code == 1  # the runner came to its own end
    assert not any("FOUND" in test.message for test in accepted.failures.tests)


def test_what_looks_for_the_tests_would_find_them(toy: Task, tmp_path: Path) -> None:
    planted = {**HOSTILE["looks for the tests"], "notes/copy.txt": "def test_numbers_are_added(delivery):"}
    failures = accept(toy, deliver(tmp_path, planted)).failures
    assert any("FOUND ['/workspace/notes/copy.txt']" in test.message for test in failures.tests)


@pytest.mark.parametrize("beside", ["hooks the interpreter and the path", "writes reports wherever one might be"])
def test_an_honest_deliverable_is_accepted_with_the_same_files_beside_it(
    beside: str, toy: Task, tmp_path: Path
) -> None:
    harmless = {path: text for path, text in HOSTILE[beside].items() if not path.endswith(("customize.py", "run.py"))}
    assert accept(toy, deliver(tmp_path, {**harmless, "tally.py": HONEST})).acceptance.passed


def test_another_honest_deliverable_is_accepted_too(toy: Task, tmp_path: Path) -> None:
    assert accept(toy, deliver(tmp_path, {"tally.py": ALSO_HONEST})).acceptance.passed


def test_a_half_right_deliverable_passes_the_units_that_it_is_right_about(toy: Task, tmp_path: Path) -> None:
    text = HONEST.replace("Handler.total += int(", "Handler.total = int(")
    acceptance = accept(toy, deliver(tmp_path, {"tally.py": text})).acceptance
    assert [(unit.id, unit.passed) for unit in acceptance.units] == [("RU-sum", True), ("RU-serve", False)]
    assert (acceptance.test_rate.passed, acceptance.passed) == (4, False)


def test_the_same_deliverable_gets_the_same_bytes(toy: Task, tmp_path: Path) -> None:
    folder = deliver(tmp_path, {"tally.py": HONEST.replace("exit(2)", "exit(3)")})
    one, other = accept(toy, folder), accept(toy, folder)
    assert one.acceptance.to_bytes() == other.acceptance.to_bytes()
    assert one.failures.to_bytes() == other.failures.to_bytes()

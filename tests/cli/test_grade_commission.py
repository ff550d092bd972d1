"""``underspec grade`` accepts or rejects what was delivered for a commission."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.toy import HONEST, deliver
from tests.cli.command import underspec
from tests.commission_factory import make_commission
from tests.sandbox.boxes import needs_bubblewrap
from tests.task_factory import make_task, task_files

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]


def test_verdicts_come_unit_by_unit(tmp_path: Path) -> None:
    task = make_commission(tmp_path)
    folder = deliver(tmp_path / "d", {"tally.py": HONEST.replace("exit(2)", "exit(1)")})
    ran = underspec("grade", "--task", str(task), "--submission", str(folder))
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "RU-sum    FAIL: test_sum::test_what_is_no_number_is_an_error",
        "RU-serve  pass",
        "4 of 5 tests and 1 of 2 requirement units pass",
        "not accepted",
    ]


def test_verdicts_are_told_as_json(tmp_path: Path) -> None:
    task = make_commission(tmp_path)
    folder = deliver(tmp_path / "d", {"tally.py": HONEST})
    ran = underspec("grade", "--task", str(task), "--submission", str(folder), "--json")
    document = ran.json()
    assert (document["task"], document["passed"], document["unscored"]) == ("toy-tally", True, None)
    assert document["tests"] == {"passed": 5, "total": 5, "rate": 1.0}
    assert [unit["failed"] for unit in document["units"]] == [[], []]


def test_a_folder_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    ran = underspec("grade", "--task", str(make_commission(tmp_path)), "--submission", str(tmp_path / "nowhere"))
    assert ran.code == 2


def test_what_has_cases_too_is_graded_by_them_unless_tests_are_asked_for(tmp_path: Path) -> None:
    cases = {path: content for path, content in task_files().items() if "/cases/" in path}
    task = make_commission(tmp_path, files=cases)
    folder = deliver(tmp_path / "d", {"tally.py": HONEST})
    flags = ["--task", str(task), "--submission", str(folder), "--json"]
    assert underspec("grade", *flags).json()["overall"]["passed"] == 0
    assert underspec("grade", *flags, "--by-tests").json()["passed"]


def test_a_task_without_tests_says_so(tmp_path: Path) -> None:
    ran = underspec("grade", "--task", str(make_task(tmp_path)), "--submission", str(tmp_path), "--by-tests")
    assert (ran.code, "no private tests" in ran.err) == (2, True)

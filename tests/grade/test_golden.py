"""The golden implementation through the path that every deliverable goes: everything passes, or the finding says what
does not (fault 13)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.task_factory import MEAN, make_golden_wheel, make_task
from underspec.grade.golden import GoldenCheck, check_golden, difference
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.sandbox.protocol import Owner
from underspec.task.golden import archive_place
from underspec.task.load import load_task


def checked(folder: Path, cache: Path) -> GoldenCheck:
    task = load_task(folder)
    assert task.golden is not None
    place = archive_place(task.golden, cache)
    make_golden_wheel(place.parent)
    owner = Owner(run="tests", purpose="golden")
    return asyncio.run(check_golden(task, BubblewrapBackend(), owner=owner, cache=cache))


@pytest.mark.sandbox
def test_a_sound_task_has_all_for_golden_and_nothing_for_empty(tmp_path: Path) -> None:
    check = checked(make_task(tmp_path), tmp_path / "cache")
    assert check.ok, check.findings
    assert (check.golden_rate.passed, check.golden_rate.total) == (7, 7)
    assert (check.empty_rate.passed, check.empty_rate.total) == (0, 7)


@pytest.mark.sandbox
def test_a_wrong_expectation_is_named_with_place_and_both_texts(tmp_path: Path) -> None:
    cases = [{"input": {"action": "mean", "numbers": []}, "expected_output": "error: \x1bempty\r\n"}]
    path = f"hidden/cases/enhanced/{MEAN}.json"
    folder = make_task(tmp_path, files={path: {"description": "Averages numbers.", "cases": cases}})
    check = checked(folder, tmp_path / "cache")
    assert not check.ok
    whole, case = check.findings
    assert "6 of 7" in whole.message
    assert (case.file, case.where) == (path, "$.cases[0].expected_output")
    assert case.message.startswith("mismatch: from byte 7 on")
    assert "\\x1b" in case.message
    assert case.message.isprintable()


@pytest.mark.sandbox
def test_a_case_that_an_empty_deliverable_could_not_fail_does_not_exist(tmp_path: Path) -> None:
    cases = [{"input": {"action": "sum", "numbers": [5]}, "expected_output": ""}]
    folder = make_task(tmp_path, files={f"hidden/cases/enhanced/{MEAN}.json": {"description": "x", "cases": cases}})
    check = checked(folder, tmp_path / "cache")
    assert check.empty_rate.passed == 0


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        (b"a\nb", b"a\r\nb", "from byte 1 on, expected 'a\\nb' (3 bytes), got 'a\\r\\nb' (4 bytes)"),
        (b"abc", b"ab", "from byte 2 on, expected 'abc' (3 bytes), got 'ab' (2 bytes)"),
        (b"\xff", b"", "from byte 0 on, expected '\\udcff' (1 bytes), got '' (0 bytes)"),
        (b"abc", None, "expected 3 bytes 'abc', nothing to show came"),
    ],
)
def test_a_difference_is_shown_on_one_line(expected: bytes, actual: bytes | None, shown: str) -> None:
    assert difference(expected, actual) == shown


def test_only_the_surroundings_of_a_difference_are_shown() -> None:
    shown = difference(b"a" * 5000 + b"x" + b"b" * 5000, b"a" * 5000 + b"y" + b"b" * 5000)
    assert len(shown) < 400
    assert "from byte 5000 on" in shown

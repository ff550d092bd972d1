"""A repository task that has requirement units too: its private tests know what is wanted, and nothing more."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.bundled.shared import REPOSITORY, SOLUTIONS, TASKS
from tests.sandbox.boxes import needs_bubblewrap
from underspec.artifact.acceptance import Acceptance
from underspec.grade.acceptance.accept import accept_deliverable
from underspec.grade.acceptance.variants import check_variants
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import Owner
from underspec.task import release
from underspec.task.golden import archive_place
from underspec.task.load import load_task
from underspec.task.model import Task

DATA_SIZES = TASKS / "data-sizes"
OURS = REPOSITORY / "tests/bundled/reference_impl"
OWNER = Owner(run="tests", purpose="data-sizes")
# What is wrong about each unit, as a change to one file of our own implementation.
WRONG = {
    "RU-001": ("reading.py", 'name.lower() in ("byte", "bytes")', 'name in ("byte", "bytes")'),
    "RU-002": ("choosing.py", "if size < 1:", "if size < 0:"),
    "RU-003": ("working.py", "return right if left == 0 else left + right.value", "return left + right.value"),
    "RU-004": ("working.py", 'math.floor(value) if how == "down"', 'math.trunc(value) if how == "down"'),
    "RU-005": ("adapter.py", " and not isinstance(content, bool)", ""),
}


@pytest.fixture(scope="module")
def task() -> Task:
    return load_task(DATA_SIZES)


def accept(task: Task, tree: Path) -> Acceptance:
    backend = load_backend("bubblewrap")
    return asyncio.run(accept_deliverable(task, tree, backend, image="host", owner=OWNER)).acceptance


def changed(into: Path, unit: str) -> Path:
    """Our own implementation, wrong about one unit."""
    tree = into / "tree"
    shutil.copytree(OURS, tree, ignore=shutil.ignore_patterns("__pycache__"))
    name, right, wrong = WRONG[unit]
    path = tree / "quantities" / name
    text = path.read_text()
    assert text.count(right) == 1
    path.write_text(text.replace(right, wrong))
    return tree


def test_the_first_request_answers_none_of_the_questions(task: Task) -> None:
    shown = release.request_text(task, "L1")
    for unit in release.reference_units(task):
        assert unit.initially_hidden
        for sentence in unit.answer.split(". "):
            assert sentence not in shown
    questions = [question.text for question in release.unit_questions(task)]
    units = release.reference_units(task)
    assert len({text.replace(unit.topic, "") for text, unit in zip(questions, units, strict=True)}) == 1


@pytest.mark.sandbox
@needs_bubblewrap
def test_what_was_written_from_the_complete_requirement_is_accepted(task: Task) -> None:
    acceptance = accept(task, OURS)
    assert acceptance.passed
    assert set(WRONG) == {unit.id for unit in acceptance.units}


@pytest.mark.sandbox
@needs_bubblewrap
def test_a_guess_passes_no_unit(task: Task) -> None:
    acceptance = accept(task, SOLUTIONS / "data-sizes/eager")
    assert acceptance.unit_rate.passed == 0
    assert 0 < acceptance.test_rate.passed < acceptance.test_rate.total / 4


@pytest.mark.proof
@pytest.mark.sandbox
@needs_bubblewrap
@pytest.mark.parametrize("unit", sorted(WRONG))
def test_what_is_wrong_about_one_unit_fails_that_one_alone(task: Task, unit: str, tmp_path: Path) -> None:
    failed = [each.id for each in accept(task, changed(tmp_path, unit)).units if not each.passed]
    assert failed == [unit]


@pytest.mark.proof
@pytest.mark.sandbox
@needs_bubblewrap
def test_the_golden_implementation_is_the_reference_variant(task: Task) -> None:
    assert task.golden is not None
    if not archive_place(task.golden).exists():
        pytest.skip("the golden archive is not on this machine; `underspec tasks validate --golden` fetches it")
    checked = asyncio.run(check_variants(task, load_backend("bubblewrap"), owner=OWNER))
    assert checked.findings == ()
    assert checked.accepted["reference"].passed
    assert checked.accepted[release.STARTER].test_rate.passed == 0

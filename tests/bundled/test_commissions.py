"""The bundled commissions: whole, of different kinds, and with tests that know what they want."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from tests.sandbox.boxes import needs_bubblewrap
from underspec.grade.acceptance.variants import VariantsCheck, check_variants
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import Owner
from underspec.task import release
from underspec.task.catalog import bundled_tasks
from underspec.task.digest import write_manifest
from underspec.task.load import load_task
from underspec.task.model import Task
from underspec.task.validate import validate_task

FOLDERS = bundled_tasks("commission")
# One boundary rule each, hidden at first: a rounding, a policy of retries, an ordering, an empty valid result.
BOUNDARIES = {
    "harvest-settlement": "RU-003",
    "parcel-dispatch": "RU-001",
    "subtitle-workbench": "RU-005",
    "tool-lending": "RU-001",
}


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda folder: folder.name)
def commission(request: pytest.FixtureRequest) -> Task:
    folder: Path = request.param
    return load_task(folder)


def check(task: Task, *names: str) -> VariantsCheck:
    """Accept some of a task's variants in real sandboxes; all without names."""
    backend = load_backend("bubblewrap")
    owner = Owner(run="tests", purpose=task.id)
    return asyncio.run(check_variants(task, backend, owner=owner, only=lambda name: not names or name in names))


def test_there_are_four_of_different_kinds() -> None:
    tasks = [load_task(folder) for folder in FOLDERS]
    assert [task.id for task in tasks] == sorted(BOUNDARIES)
    assert {task.toml.category for task in tasks} == {"Automation", "Command-line tool", "Data pipeline", "Web service"}


def test_validation_finds_nothing_at_all(commission: Task) -> None:
    assert validate_task(commission.path) == []


def test_each_unit_has_tests_and_a_variant_that_is_wrong_about_it(commission: Task) -> None:
    units = release.reference_units(commission)
    assert 4 <= len(units) <= 7
    assert 20 <= sum(len(unit.tests) for unit in units) <= 45
    incorrect = {name.removeprefix("incorrect-") for name in release.variant_names(commission) if "-" in name}
    assert incorrect == {unit.id for unit in units}
    assert {unit.id for unit in units if unit.initially_hidden} >= {BOUNDARIES[commission.id]}


def test_questions_differ_in_their_topic_alone(commission: Task) -> None:
    units = release.reference_units(commission)
    questions = [question.text for question in release.unit_questions(commission)]
    assert len({text.replace(unit.topic, "") for text, unit in zip(questions, units, strict=True)}) == 1
    assert all(len(unit.topic.split()) <= 11 for unit in units)


def test_the_agent_reads_no_answer(commission: Task) -> None:
    shown = release.request_text(commission, "initial")
    workspace = release.visible_workspace(commission)
    assert workspace is not None
    shown += "".join(path.read_text() for path in sorted(workspace.rglob("*")) if path.is_file())
    for unit in release.reference_units(commission):
        assert unit.answer not in shown
        assert unit.requirement not in shown
    assert not any(secret in shown for secret in release.forbidden_strings(commission))


@pytest.mark.sandbox
@needs_bubblewrap
def test_the_reference_passes_everything(commission: Task) -> None:
    checked = check(commission, "reference")
    assert checked.findings == ()
    assert checked.accepted["reference"].passed


@pytest.mark.sandbox
@needs_bubblewrap
def test_the_tests_of_a_boundary_rule_alone_tell_right_from_wrong(commission: Task, tmp_path: Path) -> None:
    """The unit's own tests, so that this stays quick; the whole matrix is a proof."""
    folder = tmp_path / commission.id
    shutil.copytree(commission.path, folder)
    document = json.loads((folder / "hidden/units.json").read_bytes())
    unit = next(unit for unit in document["units"] if unit["id"] == BOUNDARIES[commission.id])
    (folder / "hidden/units.json").write_text(json.dumps({**document, "units": [unit]}))
    files = {f"{test.split('::')[0]}.py" for test in unit["tests"]}
    for path in (folder / "hidden/acceptance").glob("test_*.py"):
        if path.name not in files:
            path.unlink()
    write_manifest(folder)
    checked = check(load_task(folder), f"incorrect-{unit['id']}")
    assert checked.findings == ()
    assert not checked.accepted[f"incorrect-{unit['id']}"].passed


@pytest.mark.proof
@pytest.mark.sandbox
@needs_bubblewrap
def test_every_variant_is_judged_as_it_deserves(commission: Task) -> None:
    checked = check(commission)
    assert checked.findings == ()
    assert set(checked.accepted) == {release.STARTER, *release.variant_names(commission)}
    assert checked.accepted[release.STARTER].test_rate.passed == 0
    fallen = {
        name: checked.also(name) for name in checked.accepted if name.startswith("incorrect-") and checked.also(name)
    }
    # To join a film without cues to another is a matter of both units.
    assert fallen == ({"incorrect-RU-006": ("RU-004",)} if commission.id == "subtitle-workbench" else {})

"""The structure phase reads a sealed deliverable and the golden sources, and leaves one artifact under its key."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from tests.structure.trees import make_tree
from tests.task_factory import make_golden_wheel, make_task
from underspec.artifact.condition import Condition
from underspec.artifact.structure import Structure
from underspec.errors import TaskError
from underspec.phase.build import DELIVERABLE_FILE, DELIVERABLE_TAR
from underspec.phase.compared import has_golden
from underspec.phase.structure import STRUCTURE_FILE, StructureInputs, structure
from underspec.phase.work import Work
from underspec.sandbox.deliverable import seal_folder
from underspec.sandbox.protocol import Owner
from underspec.task.golden import archive_place
from underspec.task.load import load_task
from underspec.task.model import Task

SOLUTION = {
    "figures/__init__.py": "def total(numbers):\n    return sum(numbers)\n\n\nclass Extra:\n    pass\n",
    "rcb_tests/run.py": "def harness(): ...\n",
}


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "home"))
    golden = load_task(make_task(tmp_path / "probe")).golden
    assert golden is not None
    make_golden_wheel(archive_place(golden).parent)


def built(folder: Path, files: dict[str, str]) -> Path:
    deliverable = seal_folder(make_tree(folder / "workspace", files), folder / DELIVERABLE_TAR)
    (folder / DELIVERABLE_FILE).write_bytes(deliverable.to_bytes())
    return folder


def inputs(tmp_path: Path, task: Task, **condition: Any) -> StructureInputs:
    return StructureInputs(task, Condition(agent="x", **condition), built(tmp_path / "built", SOLUTION))


def run(inputs: StructureInputs, folder: Path) -> Structure:
    for name in ("attempt", "artifact", "scratch"):
        (folder / name).mkdir(parents=True)
    work = Work(
        backend=cast("Any", None),  # nothing is run
        owner=Owner(run="test", purpose="structure"),
        attempt=folder / "attempt",
        artifact=folder / "artifact",
        scratch=folder / "scratch",
        log=lambda event, **fields: None,
        progress=lambda words: None,
    )
    asyncio.run(structure(inputs, work))
    assert [path.name for path in (folder / "artifact").iterdir()] == [STRUCTURE_FILE]
    return Structure.read(folder / "artifact" / STRUCTURE_FILE)


def test_a_deliverable_is_compared_with_the_golden_library(tmp_path: Path) -> None:
    result = run(inputs(tmp_path, load_task(make_task(tmp_path))), tmp_path / "work")
    assert result.scored
    assert (result.golden.files, result.golden.methods) == (1, 2)
    assert (result.generated.files, result.generated.classes, result.generated.methods) == (1, 1, 1)
    assert result.generated.excluded == {"tests": 1}
    assert result.similarity("method") == 0.5


def test_the_same_inputs_leave_the_same_bytes(tmp_path: Path) -> None:
    one = inputs(tmp_path, load_task(make_task(tmp_path)))
    assert run(one, tmp_path / "a").to_bytes() == run(one, tmp_path / "b").to_bytes()


def test_the_key_covers_deliverable_golden_language_and_scope(tmp_path: Path) -> None:
    task = load_task(make_task(tmp_path))
    scope = {"repo_id": "a/b", "in_scope": {"original": ["figurecrate"], "generated": ["figures"]}}
    imported = load_task(make_task(tmp_path / "scoped", files={"hidden/scope.json": scope}))
    plain = inputs(tmp_path, task)
    other = StructureInputs(task, Condition(agent="x"), built(tmp_path / "more", {"a.py": "x = 1\n"}))
    translated = inputs(tmp_path / "go", task, language="Go")
    scoped = StructureInputs(imported, plain.condition, plain.built)
    keys = [one.key() for one in (plain, other, translated, scoped)]
    assert len(set(keys)) == 4
    assert plain.key() == inputs(tmp_path / "again", task).key()


def test_the_published_scope_decides_what_counts(tmp_path: Path) -> None:
    scope = {"repo_id": "a/b", "in_scope": {"original": [], "original_files": [], "generated": ["elsewhere"]}}
    task = load_task(make_task(tmp_path, files={"hidden/scope.json": scope}))
    result = run(inputs(tmp_path, task), tmp_path / "work")
    assert not result.scored
    assert result.generated.excluded == {"out_of_scope": 2}


def test_a_task_without_golden_sources_has_no_such_phase(tmp_path: Path) -> None:
    assert has_golden(load_task(make_task(tmp_path)))
    task = load_task(make_task(tmp_path / "other", files={"hidden/golden.toml": None}))
    assert not has_golden(task)
    with pytest.raises(TaskError, match="no golden implementation"):
        run(inputs(tmp_path, task), tmp_path / "work")


def test_a_language_that_cannot_be_read_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    def fetch(task: Task) -> Path:
        pytest.fail("fetched")

    one = replace(inputs(tmp_path, load_task(make_task(tmp_path)), language="COBOL"), sources=fetch)
    with pytest.raises(TaskError, match="COBOL"):
        run(one, tmp_path / "work")


def test_what_cannot_be_compared_has_a_key_all_the_same(tmp_path: Path) -> None:
    task = load_task(make_task(tmp_path))
    damaged = load_task(make_task(tmp_path / "damaged", files={"hidden/scope.json": {"repo_id": 1}}))
    plain = inputs(tmp_path, task)
    others = [
        replace(plain, condition=Condition(agent="x", language="COBOL")),
        replace(plain, condition=Condition(agent="x", language="MUMPS")),
        replace(plain, task=damaged),
        replace(plain, task=load_task(make_task(tmp_path / "none", files={"hidden/golden.toml": None}))),
    ]
    assert len({one.key() for one in (plain, *others)}) == 5


def test_the_folder_that_people_wrote_is_compared_where_the_package_names_it(tmp_path: Path) -> None:
    task = load_task(make_task(tmp_path))
    assert task.golden is not None
    named = replace(task, golden=task.golden.model_copy(update={"sources": "figurecrate"}))
    plain = run(inputs(tmp_path, task), tmp_path / "plain")
    inner = run(inputs(tmp_path / "inner", named), tmp_path / "named")
    assert plain.golden.methods == inner.golden.methods
    missing = replace(task, golden=task.golden.model_copy(update={"sources": "no/such"}))
    with pytest.raises(TaskError, match="no/such"):
        run(inputs(tmp_path / "missing", missing), tmp_path / "missing-work")

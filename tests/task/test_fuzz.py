"""Whatever is done to a task's files, loading and validating end in a task, a typed error or findings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.task_factory import SUM, make_task, task_files
from underspec.errors import TaskError
from underspec.task.load import load_task
from underspec.task.validate import validate_task

FILES = [
    "task.toml",
    "hidden/records.json",
    "hidden/golden.toml",
    "hidden/requests/L1.md",
    f"hidden/cases/public/{SUM}.json",
    f"hidden/cases/native/{SUM}.json",
    "hidden/variants/reference/rcb_tests/test.sh",
    "MANIFEST.sha256",
]
JSON_FILES = [file for file in FILES if file.endswith(".json")]

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_task(tmp_path_factory.mktemp("fuzz"))


def both_end_well(task: Path) -> None:
    """Loading and validating agree, and say something of use."""
    findings = validate_task(task)
    errors = [finding for finding in findings if finding.severity == "error"]
    assert all(finding.message and finding.mend for finding in findings)
    assert all(f"{finding.file}{finding.where}".isprintable() for finding in findings)
    refusal = None
    try:
        load_task(task)
    except TaskError as problem:
        refusal = problem
    assert refusal is None or (errors and refusal.file and refusal.mend)


def changed(task: Path, file: str, content: bytes) -> None:
    path = task / file
    before = path.read_bytes()
    try:
        path.write_bytes(content)
        both_end_well(task)
    finally:
        path.write_bytes(before)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(file=st.sampled_from(FILES), data=st.data())
def test_bytes_flipped_cut_or_inserted(folder: Path, file: str, data: st.DataObject) -> None:
    content = bytearray((folder / file).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, max(0, len(content) - 1)))
        match data.draw(st.sampled_from(["flip", "cut", "insert", "repeat"])):
            case "flip" if content:
                content[place % len(content)] ^= data.draw(st.integers(1, 255))
            case "cut":
                del content[place:]
            case "insert":
                content[place:place] = data.draw(st.binary(max_size=8))
            case _:
                content[place:place] = content[place : place + 200]
    changed(folder, file, bytes(content))


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from _places(child, (*path, key))


_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(file=st.sampled_from(JSON_FILES), data=st.data())
def test_any_part_of_a_json_file_replaced_by_anything(folder: Path, file: str, data: st.DataObject) -> None:
    document = json.loads(json.dumps(task_files()[file]))
    *way, last = data.draw(st.sampled_from([place for place in _places(document) if place]))
    parent = document
    for key in way:
        parent = parent[key]
    parent[last] = data.draw(_VALUE)
    changed(folder, file, json.dumps(document).encode())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    file=st.sampled_from(FILES),
    content=st.binary(max_size=60) | st.text(max_size=60).map(lambda t: t.encode("utf-8", "surrogatepass")),
)
def test_a_file_replaced_by_anything(folder: Path, file: str, content: bytes) -> None:
    changed(folder, file, content)

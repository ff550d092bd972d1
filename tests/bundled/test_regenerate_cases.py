"""``tools/regenerate_cases.py``: what a task derives from its golden implementation is what is kept."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from types import ModuleType
from typing import Any

import pytest

from tests.bundled.places import DATA_SIZES, REPOSITORY
from underspec.task.golden import archive_place
from underspec.task.layout import RECORDS
from underspec.task.load import load_task
from underspec.task.model import Case, CaseFile, Task


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("regenerate_cases", REPOSITORY / "tools/regenerate_cases.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool: Any = load_tool()

PUBLIC = {"sum": CaseFile(canary="c" * 20, description="Sums.", cases=(Case(input={"n": [1]}, expected_output="1\n"),))}
SHOWN = {"description": "Sums.", "cases": [{"input": {"n": [1]}, "expected_output": "1\n"}]}


@pytest.fixture(scope="module")
def task() -> Task:
    return load_task(DATA_SIZES)


def test_outputs_replace_expectations_in_case_order() -> None:
    two = CaseFile(description="d", cases=(Case(input=1, expected_output="old"), Case(input=2, expected_output="old")))
    renewed = tool.with_outputs(two, ["a", "b"])
    assert [(case.input, case.expected_output) for case in renewed.cases] == [(1, "a"), (2, "b")]


def test_an_output_too_few_is_an_error_and_no_guess() -> None:
    with pytest.raises(ValueError):
        tool.with_outputs(PUBLIC["sum"], [])


def test_a_case_record_gives_the_file_without_its_canary() -> None:
    record = {"id": "TC_sum", "kind": "case_file", "response": "old"}
    other = {"id": "C001", "kind": "constraint", "response": "kept"}
    document = {"levels": {"L1": {"records": [record, other]}}}
    renewed = tool.with_case_records(document, PUBLIC)["levels"]["L1"]["records"]
    head, _, listed = renewed[0]["response"].partition("\n")
    assert head == "Here are the public test cases for sum:"
    assert json.loads(listed) == SHOWN
    assert renewed[1]["response"] == "kept"


def test_an_example_is_embedded_and_the_text_around_it_kept() -> None:
    block = "Public cases: `rcb_tests/public_test_cases/sum.json`\n\n```json\nold\n```"
    text = f"before\n\n{block}\n\nafter\n\n```json\nkept\n```\n"
    renewed = tool.with_examples(text, PUBLIC)
    assert json.loads(renewed.split("```json\n")[1].split("```")[0]) == SHOWN
    assert renewed.startswith("before\n")
    assert renewed.endswith("after\n\n```json\nkept\n```\n")
    assert tool.with_examples(renewed, PUBLIC) == renewed


def test_records_and_requests_of_the_bundled_task_are_up_to_date(task: Task) -> None:
    public = task.suites["public"].files
    kept = (DATA_SIZES / RECORDS).read_bytes()
    assert tool.dump(tool.with_case_records(json.loads(kept), public)) == kept
    for text in task.requests.values():
        assert tool.with_examples(text, public) == text


@pytest.mark.sandbox
def test_the_golden_implementation_gives_exactly_what_is_kept(task: Task) -> None:
    from underspec.sandbox.bubblewrap import BubblewrapBackend

    assert task.golden is not None
    if not archive_place(task.golden).exists():
        pytest.skip("the golden archive is not on this machine; `underspec tasks validate --golden` fetches it")
    derived: dict[str, bytes] = asyncio.run(tool.derive(task, BubblewrapBackend()))
    assert [path for path, content in derived.items() if (DATA_SIZES / path).read_bytes() != content] == []

"""``tools/regenerate_cases.py``: outputs, case records and embedded examples are renewed, and all else is kept."""

from __future__ import annotations

import json

import pytest

from tests.bundled.shared import tool
from underspec.task.model import Case, CaseFile

PUBLIC = {"sum": CaseFile(canary="c" * 20, description="Sums.", cases=(Case(input={"n": [1]}, expected_output="1\n"),))}
SHOWN = {"description": "Sums.", "cases": [{"input": {"n": [1]}, "expected_output": "1\n"}]}


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

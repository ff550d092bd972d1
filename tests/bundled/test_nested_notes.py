"""Rules that hold for nested-notes alone."""

from __future__ import annotations

import re

from tests.bundled.shared import TASKS, cases
from underspec.artifact.outcomes import SUITES
from underspec.task.load import load_task

NESTED_NOTES = TASKS / "nested-notes"


def test_no_case_is_nested_so_deep_that_a_stack_decides() -> None:
    """The library recurses; the contract promises some hundred levels."""
    for case in cases(load_task(NESTED_NOTES), *SUITES):
        text = case.input.get("text")
        signs = re.findall(r"[('`,]", text) if isinstance(text, str) else []
        assert len(signs) <= 400 or case.input["action"] == "check", case


def test_no_case_holds_half_a_character() -> None:
    """Programs in other languages cannot even read such a request."""
    for case in cases(load_task(NESTED_NOTES), *SUITES):
        assert str(case.input).encode("utf-16", "surrogatepass").decode("utf-16") == str(case.input)


def test_the_dispatcher_calls_the_library_and_brings_none_of_its_code() -> None:
    text = (NESTED_NOTES / "hidden/variants/reference/dispatcher.js").read_text()
    assert '"vendor", "golden"' in text
    assert not re.search(r"unquote|charAt|\\\\s|peek|consume|quasi", text)

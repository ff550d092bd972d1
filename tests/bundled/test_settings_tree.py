"""Rules that hold for settings-tree alone."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.bundled.shared import TASKS, cases
from underspec.artifact.outcomes import SUITES
from underspec.task.load import load_task

SETTINGS_TREE = TASKS / "settings-tree"


def containers(value: Any) -> list[Any]:
    if not isinstance(value, list | dict):
        return []
    inside = value.values() if isinstance(value, dict) else value
    return [value, *(found for one in inside for found in containers(one))]


def test_no_case_appends_where_all_numbers_are_negative() -> None:
    """What the next number is then differs between versions of the language, and is outside the contract."""
    for case in cases(load_task(SETTINGS_TREE), *SUITES):
        if "append" not in json.dumps(case.input):
            continue
        for one in containers(case.input):
            numbers = [int(key) for key in one if re.fullmatch(r"-?\d+", key)] if isinstance(one, dict) else []
            assert max(numbers, default=0) >= 0, case


def test_the_dispatcher_calls_the_library_and_brings_none_of_its_code() -> None:
    text = (SETTINGS_TREE / "hidden/variants/reference/dispatcher.php").read_text()
    assert "/vendor/golden/" in text
    assert not re.search(r"explode|str_replace|array_merge|array_pop|unset\(|foreach \(\$keys", text)

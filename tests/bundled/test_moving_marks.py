"""Rules that hold for moving-marks alone."""

from __future__ import annotations

import re

import pytest

from tests.bundled.shared import TASKS, cases
from underspec.artifact.outcomes import SUITES
from underspec.task.load import load_task
from underspec.task.model import Task
from underspec.task.release import read_scope

MOVING_MARKS = TASKS / "moving-marks"
ACTIONS = (
    *("locate", "clip", "apply", "places", "fallout", "meeting", "covering", "enclosed", "starting", "ending", "walk"),
    *("changes", "undo"),
)


@pytest.fixture(scope="module")
def task() -> Task:
    return load_task(MOVING_MARKS)


def test_every_action_is_asked_for(task: Task) -> None:
    asked = {case.input.get("action") for case in cases(task, "native", "enhanced")}
    assert set(ACTIONS) <= asked


def test_the_edits_of_changes_fit_some_text(task: Task) -> None:
    """What a list of edits that fits no text comes to is outside the contract: lines and columns are played through."""
    checked = 0
    for case in cases(task, *SUITES):
        steps = case.input.get("steps")
        if case.input.get("action") not in ("changes", "undo") or case.expected_output.startswith("error="):
            continue
        lengths = [40] * 40
        for step in steps:
            (line, column), (last, end) = step["at"], step.get("until") or step["at"]
            assert last < len(lengths), case
            assert column <= lengths[line], case
            assert end <= lengths[last], case
            put = [len(part.encode("utf-16-le")) // 2 for part in (step.get("put") or "").split("\n")]
            put[0] += column
            put[-1] += lengths[last] - end
            lengths[line : last + 1] = put
            checked += 1
    assert checked > 60


def test_the_dispatcher_calls_the_library_and_brings_none_of_its_code() -> None:
    overlay = MOVING_MARKS / "hidden/variants/reference"
    text = (overlay / "library.cpp").read_text()
    assert text.count('#include "vendor/golden/') == text.count("#include") == 6
    dispatcher = (overlay / "dispatcher.cpp").read_text()
    assert not re.search(r"#include <(?:regex|random|sstream)>|left_extent|start_marker_ids|line_offsets", dispatcher)


def test_what_counts_of_the_golden_library_is_what_the_figures_are_of(task: Task) -> None:
    scope = read_scope(task)
    assert scope is not None
    files = scope.in_scope.original_files
    assert len(set(files)) == len(files) == task.toml.source.files
    library = (MOVING_MARKS / "hidden/variants/reference/library.cpp").read_text()
    compiled = re.findall(r"vendor/golden/([\w.-]+)\"", library)
    assert set(compiled) <= set(files)

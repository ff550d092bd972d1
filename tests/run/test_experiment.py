"""Grids make every combination once; what is wrong in them is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.errors import UsageError
from underspec.run.experiment import make_experiment, read_experiment
from underspec.run.plan import plan_items

_EXPERIMENT = """
name = "budgets"
tasks = ["data-sizes"]
epochs = 2

[condition]
agent = "asker"

[grid]
budget = [8, 16, 24]
exposure = ["L1", "L2"]
"""


def test_a_grid_is_every_combination(tmp_path: Path) -> None:
    path = tmp_path / "experiment.toml"
    path.write_text(_EXPERIMENT)
    experiment = read_experiment(path)
    conditions = experiment.conditions()
    assert [(each.budget, each.exposure) for each in conditions] == [
        (8, "L1"),
        (8, "L2"),
        (16, "L1"),
        (16, "L2"),
        (24, "L1"),
        (24, "L2"),
    ]
    assert len(plan_items(["data-sizes"], conditions, experiment.epochs)) == 12


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ({"tasks": ["t"], "grid": {"agent": ["nop"], "budgte": [1]}}, "budgte"),
        ({"tasks": ["t"], "condition": {"agent": "nop", "budget": "many"}}, "budget"),
        ({"tasks": ["t"], "condition": {"agent": "nop"}, "grid": {"agent": ["nop"]}}, "agent"),
        ({"tasks": ["t"], "grid": {"agent": []}}, "agent"),
        ({"tasks": ["t"], "condition": {}}, "agent"),
        ({"tasks": []}, "tasks"),
        ({"tasks": ["t"], "epochs": 0}, "epochs"),
        ({"tasks": ["t"], "name": "../up"}, "name"),
        ({"task": ["t"]}, "task"),
    ],
)
def test_what_is_wrong_is_named(document: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_experiment(document).conditions()
    assert named in str(caught.value)


@pytest.mark.parametrize("content", [b"tasks = [", b"\xff\xfe", b"tasks = 3", b"a = " + b"[" * 100_000], ids=range(4))
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "experiment.toml"
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read_experiment(path)
    assert caught.value.file == str(path)


@given(
    tasks=st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=4, unique=True),
    budgets=st.lists(st.integers(0, 30), min_size=1, max_size=4, unique=True),
    epochs=st.integers(1, 3),
)
def test_every_planned_item_has_an_id_and_folder_of_its_own(tasks: list[str], budgets: list[int], epochs: int) -> None:
    conditions = make_experiment(
        {"tasks": tasks, "condition": {"agent": "nop"}, "grid": {"budget": budgets}}
    ).conditions()
    items = plan_items(tasks, conditions, epochs)
    assert len({item.id for item in items}) == len({item.folder for item in items}) == len(items)
    assert len(items) == len(tasks) * len(budgets) * epochs

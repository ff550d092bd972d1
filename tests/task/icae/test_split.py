"""Which aliases a split holds, and what their tasks are called."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.task.icae.synthetic import alias_entry, another, make_checkout
from underspec.errors import TaskError
from underspec.task.icae.importing import import_checkout
from underspec.task.icae.repositories import LITE_SIZE, choose, task_id, unsized


def entries(**lines: Any) -> dict[str, Any]:
    return {alias: {"total_lines_of_code": size} for alias, size in lines.items()}


def test_full_is_everything_that_has_an_entry_or_records() -> None:
    assert choose(entries(b=1, a=2), ["c", "a"], "full") == ["a", "b", "c"]


def test_lite_is_the_smallest_by_golden_lines_and_ties_go_by_alias() -> None:
    known = entries(e=30, d=10, c=10, b=20, a=40)
    assert choose(known, ["z"], "lite", 3) == ["c", "d", "b"]
    assert choose(known, [], "lite", 99) == ["c", "d", "b", "e", "a"]


@pytest.mark.parametrize("size", [None, 0, -5, "12", True, 1.5])
def test_an_entry_without_a_number_of_lines_comes_last_and_is_told(size: Any) -> None:
    known = {**entries(b=10**9, a=size)}
    assert choose(known, [], "lite", 1) == ["b"]
    assert unsized({**known, "x": "no object"}) == ["a", "x"]


def test_fifty_when_nothing_else_is_said() -> None:
    assert LITE_SIZE == 50
    assert len(choose(entries(**{f"a{number}": number for number in range(80)}), [], "lite")) == 50


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(1, 5), max_size=12),
    st.integers(1, 12),
    st.randoms(),
)
def test_lite_does_not_depend_on_the_order_of_the_file_and_grows_at_its_end(
    lines: dict[str, int], size: int, dice: random.Random
) -> None:
    shuffled = list(lines.items())
    dice.shuffle(shuffled)
    chosen = choose(entries(**lines), [], "lite", size)
    assert chosen == choose(entries(**dict(shuffled)), [], "lite", size)
    assert chosen == choose(entries(**lines), [], "lite", size + 1)[:size]
    assert all(lines[inside] <= lines[outside] for inside in chosen for outside in lines.keys() - set(chosen))


def test_an_import_of_lite_makes_those_tasks_and_says_what_could_not_be_ranked(tmp_path: Path) -> None:
    sizes = {1: 300, 2: 100, 3: 200, 4: None}
    files: dict[str, Any] = {
        "repo_alias.json": {
            f"realcode@{number:03}": alias_entry(number, key=f"u{number}__r{number}", total_lines_of_code=size)
            for number, size in sizes.items()
        }
    }
    for number in sizes:
        files |= another(number, task_id=f"u{number}__r{number}")
    result = import_checkout(make_checkout(tmp_path, files), tmp_path / "out", split="lite", size=2)
    assert [one.task for one in result.imported] == ["realcode-002", "realcode-003"]
    assert any("come last in size, the first 'realcode@004'" in finding.message for finding in result.findings)


@pytest.mark.parametrize(
    ("alias", "made"),
    [("realcode@001", "realcode-001"), ("Real_Code@@7", "real-code-7"), ("@a1@", "a1"), ("a" * 63, "a" * 63)],
)
def test_task_ids_are_made_of_aliases(alias: str, made: str) -> None:
    assert task_id(alias) == made


@pytest.mark.parametrize("alias", ["@", "x", "a" * 64, "é"])
def test_an_alias_that_makes_no_task_id_is_refused(alias: str) -> None:
    with pytest.raises(TaskError, match="no task id"):
        task_id(alias)

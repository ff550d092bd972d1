"""``underspec compare`` pairs conditions, and says what to choose where it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import underspec
from tests.report.run_sample import make_run
from underspec.artifact.condition import Condition

ASKER, EAGER = Condition(agent="asker"), Condition(agent="eager", budget=0)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """``one`` has two conditions on three tasks, ``two`` one of them again."""
    passed = {"one": {ASKER: (10, 9, 8), EAGER: (2, 3, 4)}, "two": {ASKER: (10, 10, 9)}}
    for name, rates in passed.items():
        tasks = {each: {task: [rate] for task, rate in zip("abc", found, strict=True)} for each, found in rates.items()}
        make_run(tmp_path / "runs" / name, tasks)
    return tmp_path


def test_two_conditions_of_one_run_are_compared_as_chosen(runs: Path) -> None:
    ran = underspec("compare", "one", "one", "--a", "agent=eager", "--b", "agent=asker", "--json", cwd=runs)
    assert ran.code == 0, ran.err
    (found,) = ran.json()["comparisons"]
    assert (found["a"]["agent"], found["b"]["agent"]) == ("eager", "asker")
    assert found["measures"]["overall_macro"]["difference"] == pytest.approx(0.6)
    assert found["sentence"].startswith("On 3 matched tasks, B (asker, budget 16) passes 90.0 %")
    assert found["flips"][0]["items"]["b"][0].startswith("runs/one/items/a--asker")
    assert found["used"]["seconds"]["a"] == 90


def test_one_condition_on_a_side_is_compared_with_all_of_the_other(runs: Path) -> None:
    ran = underspec("compare", "two", "one", cwd=runs)
    assert ran.code == 0, ran.err
    assert ran.out.count("On 3 matched tasks, B (") == 2
    assert "p " in ran.out


def test_without_a_choice_the_same_run_is_refused_with_what_to_choose(runs: Path) -> None:
    ran = underspec("compare", "one", "one", cwd=runs)
    assert ran.code == 2
    assert ran.out == ""
    assert "nothing would be compared" in ran.err
    assert "agent=asker and budget=16; agent=eager and budget=0" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--a", "agent=nobody"), "no condition of the run fits"),
        (("--a", "agent"), "no FIELD=VALUE of a condition"),
        (("--b", "colour=red"), "no FIELD=VALUE of a condition"),
    ],
)
def test_what_cannot_be_chosen_is_refused(runs: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = underspec("compare", "one", "two", *arguments, cwd=runs)
    assert ran.code == 2
    assert said in ran.err


def test_runs_without_a_common_task_are_refused(runs: Path) -> None:
    make_run(runs / "runs" / "other", {ASKER: {"z": [5]}})
    ran = underspec("compare", "two", "other", cwd=runs)
    assert ran.code == 2
    assert "no task was scored on both sides" in ran.err


def test_figures_fit_into_eighty_columns(runs: Path) -> None:
    ran = underspec("compare", "one", "one", "--a", "agent=eager", "--b", "agent=asker", cwd=runs)
    assert ran.code == 0, ran.err
    sentence, *lines = ran.out.splitlines()
    assert sentence.startswith("On 3 matched tasks")
    assert any(line.startswith("cases passed, mean of tasks") and line.endswith("3/0  0.250") for line in lines)
    assert max(len(line) for line in lines if not line.startswith("    ")) <= 80

"""B is compared with A on the same tasks only, and no more is said than the tasks show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.report.run_sample import make_run
from underspec.artifact.condition import Condition
from underspec.measure.interval import clustered_wilson
from underspec.measure.paired import adjusted_paired, mcnemar
from underspec.report.collect import collect
from underspec.report.comparison import Side, comparison_document
from underspec.report.comparison_text import comparison_text, sentence
from underspec.report.document import report_document
from underspec.report.durations import builder_seconds
from underspec.run.store import RunStore

ASKER, EAGER = Condition(agent="asker"), Condition(agent="eager", budget=0)


def sides(run: Path, *, comparable: bool = True) -> list[Side]:
    store = RunStore(run)
    collected = collect(store)
    conditions = {each.item.condition.id: each.item.condition for each in collected}
    return [
        Side(
            run,
            comparable,
            condition,
            [each for each in collected if each.item.condition.id == condition.id],
            {each.item.id: builder_seconds(store, each.item) for each in collected},
        )
        for condition in sorted(conditions.values(), key=lambda condition: condition.agent)
    ]


def compared(one: Side, other: Side) -> dict[str, Any]:
    found: dict[str, Any] = comparison_document([(one, other)])["comparisons"][0]
    return found


def names(number: int) -> list[str]:
    return [f"task-{place:02}" for place in range(number)]


@pytest.fixture
def twenty(tmp_path: Path) -> Path:
    """Of twenty tasks, eight pass with questions alone and one without alone; four pass both ways."""
    asked = [10] * 12 + [4] * 8
    eager = [2] * 8 + [10] * 5 + [4] * 7
    return make_run(
        tmp_path / "run",
        {
            ASKER: {task: [passed] for task, passed in zip(names(20), asked, strict=True)},
            EAGER: {task: [passed] for task, passed in zip(names(20), eager, strict=True)},
        },
    )


def test_differences_flips_and_tests_are_those_of_the_matched_tasks(twenty: Path) -> None:
    asker, eager = sides(twenty)
    found = compared(eager, asker)
    cases, passed = found["measures"]["overall_macro"], found["measures"]["task_pass"]
    ones = [0.2] * 8 + [1.0] * 5 + [0.4] * 7
    others = [1.0] * 12 + [0.4] * 8
    span = adjusted_paired(ones, others)
    assert span is not None
    assert cases["interval"] == span.pair()
    assert cases["difference"] == pytest.approx((8 * 0.8 - 0.6) / 20)
    assert (passed["better"], passed["worse"]) == (8, 1)
    assert passed["p_sign"] == mcnemar(1, 8)
    assert [row["task"] for row in found["flips"]] == ["task-12", *names(8)]
    for row in found["flips"]:
        for folder in (*row["items"]["a"], *row["items"]["b"]):
            assert Path(folder, "item.json").is_file()


def test_the_sentence_says_difference_interval_and_flips(twenty: Path) -> None:
    asker, eager = sides(twenty)
    said = sentence(compared(eager, asker))
    assert said.startswith(
        "On 20 matched tasks, B (asker, budget 16) passes 76.0 % of a task's cases on average, 29.0 points more than "
        "A (eager, budget 0) with 47.0 % (95 % interval of the difference +"
    )
    assert said.endswith("; 8 tasks pass in full more often, 1 less often.")
    assert "not told apart" not in said
    back = sentence(compared(asker, eager))
    assert "29.0 points less than A (asker, budget 16)" in back


def test_what_the_tasks_cannot_tell_apart_is_said_so(tmp_path: Path) -> None:
    run = make_run(
        tmp_path / "run",
        {
            ASKER: {task: [5 + place % 3] for place, task in enumerate(names(9))},
            EAGER: {task: [5 + (place + 1) % 3] for place, task in enumerate(names(9))},
        },
    )
    said = sentence(compared(*sides(run)))
    assert "passes 60.0 % of a task's cases on average, as much as A" in said
    assert "(not told apart from no difference: 95 % interval of the difference -" in said
    assert "no task changes between passing in full and not" in said


def test_where_interval_and_test_do_not_agree_the_sentence_is_careful(twenty: Path) -> None:
    found = compared(*sides(twenty))
    found["measures"]["overall_macro"] |= {"interval": [-0.384, 0.002], "p_sign_flip": 0.031, "p_corrected": 0.031}
    assert "(hardly told apart from no difference: 95 % interval" in sentence(found)


def test_one_task_has_a_difference_and_no_interval(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {ASKER: {"only": [9]}, EAGER: {"only": [3]}})
    found = compared(*sides(run))
    assert found["measures"]["overall_macro"]["interval"] is None
    assert "On 1 matched task," in sentence(found)
    assert "one task tells nothing of others" in sentence(found)


def test_tasks_that_do_not_match_are_left_out_with_the_reason(tmp_path: Path) -> None:
    one = make_run(
        tmp_path / "one", {ASKER: {"a": [5], "both": [8], "broken": [None], "changed": [9]}}, digests={"changed": "old"}
    )
    other = make_run(tmp_path / "other", {ASKER: {"b": [5], "both": [6], "broken": [7], "changed": [1]}})
    found = compared(sides(one)[0], sides(other)[0])
    assert found["tasks"] == {
        "matched": ["both"],
        "left_out": {
            "a": "not in B",
            "b": "not in A",
            "broken": "not scored in A",
            "changed": "graded from another version of the task, or compared by another rule",
        },
    }
    # A's broken item could have scored nothing or everything; B's has 0.7.
    assert found["bounds"] == pytest.approx([(0.6 + 0.7) / 2 - (0.8 + 1) / 2, (0.6 + 0.7) / 2 - (0.8 + 0) / 2])
    shown = comparison_text(found)
    assert "left out: broken: not scored in A" in shown
    assert "with all that is unscored, the difference lies between -25.0 and +25.0" in shown


def test_no_common_task_is_no_comparison(tmp_path: Path) -> None:
    one, other = make_run(tmp_path / "one", {ASKER: {"a": [5]}}), make_run(tmp_path / "other", {ASKER: {"b": [5]}})
    with pytest.raises(ValueError, match="no task was scored on both sides"):
        compared(sides(one)[0], sides(other)[0])


def test_epochs_are_averaged_and_a_flip_may_be_of_some_of_them(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {ASKER: {"a": [10, 10, 4], "b": [2, 2]}, EAGER: {"a": [10, 4, 4], "b": [2, 2]}})
    found = compared(*sides(run))
    assert [(row["task"], row["a"], row["b"]) for row in found["flips"]] == [
        ("a", pytest.approx(2 / 3), pytest.approx(1 / 3))
    ]
    assert len(found["flips"][0]["items"]["a"]) == 3
    assert "tasks have from 2 to 3 scored epochs" in found["notes"][0]


def test_the_same_condition_in_two_runs_is_told_apart_by_the_run(tmp_path: Path) -> None:
    one = make_run(tmp_path / "one", {ASKER: {"a": [5], "b": [4]}}, cost=0.5, seconds=30)
    other = make_run(tmp_path / "other", {ASKER: {"a": [6], "b": [4]}}, cost=0.25, seconds=600, comparable=False)
    found = compared(sides(one)[0], sides(other, comparable=False)[0])
    assert f"B (asker in {other})" in sentence(found)
    used = found["used"]
    assert (used["cost"]["a"], used["cost"]["b"], used["cost"]["ratio"]) == (0.5, 0.25, 0.5)
    assert (used["seconds"]["a"], used["seconds"]["b"]) == (30, 600)
    assert used["tokens"]["a"] == 120
    assert (used["cost"]["difference"], used["seconds"]["difference"]) == (-0.25, 570)
    shown = comparison_text(found)
    assert "$0.50" in shown
    assert "10:00 min" in shown
    assert "a machine's own /usr" in shown


def test_what_a_changed_task_took_stands_beside_it(tmp_path: Path) -> None:
    one = make_run(tmp_path / "one", {ASKER: {"a": [10], "b": [4]}}, cost=0.5, seconds=30)
    other = make_run(tmp_path / "other", {ASKER: {"a": [6, 4], "b": [4, 4]}}, cost=None, seconds=600)
    found = compared(sides(one)[0], sides(other)[0])
    (row,) = found["flips"]
    assert row["used"]["cost"] == {"a": 0.5, "b": None}
    assert row["used"]["seconds"] == {"a": 30, "b": 600}
    assert "a: 100.0 % in A ($0.50, 30.0 s), 0.0 % in B (unknown, 10:00 min)" in comparison_text(found)


def test_unknown_costs_stay_unknown(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {ASKER: {"a": [5]}, EAGER: {"a": [5]}}, cost=None)
    found = compared(*sides(run))
    assert (found["used"]["cost"]["a"], found["used"]["cost"]["ratio"]) == (None, None)
    assert "unknown" in comparison_text(found)


def test_several_comparisons_are_corrected_together(tmp_path: Path) -> None:
    thrifty = Condition(agent="asker", budget=4)
    rates = {ASKER: 9, EAGER: 3, thrifty: 8}
    run = make_run(
        tmp_path / "run",
        {each: {task: [rate - place % 3] for place, task in enumerate(names(12))} for each, rate in rates.items()},
    )
    by_budget = {(side.condition.agent, side.condition.budget): side for side in sides(run)}
    base = by_budget["eager", 0]
    document = comparison_document([(base, by_budget["asker", 16]), (base, by_budget["asker", 4])])
    found = [each["measures"]["overall_macro"] for each in document["comparisons"]]
    assert [each["p_corrected"] for each in found] == [pytest.approx(2 * each["p_sign_flip"]) for each in found]
    assert "corrected for all comparisons" in sentence(document["comparisons"][0])


def test_hostile_names_reach_no_terminal(tmp_path: Path) -> None:
    odd = Condition(agent="command", command="\x1b[2J\u202eevil")
    run = make_run(tmp_path / "run", {ASKER: {"a": [5]}, odd: {"a": [5]}})
    shown = comparison_text(compared(*sides(run)))
    assert "\x1b" not in shown
    assert "\\x1b[2J\\u202eevil" in shown


def test_a_report_s_interval_is_the_default_one_over_tasks_whatever_their_epochs(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {ASKER: {"a": [10, 4], "b": [2], "c": [10, None]}})
    row = report_document("run", collect(RunStore(run)), comparable=True)["rows"][0]
    span, passed = clustered_wilson([0.7, 0.2, 1.0]), clustered_wilson([0.5, 0.0, 1.0])
    assert span is not None
    assert passed is not None
    assert row["interval"] == pytest.approx(span.pair())
    assert row["interval_of"] == "overall_macro"
    assert row["intervals"]["task_pass"] == pytest.approx(passed.pair())
    assert row["intervals"]["clarification"] is None
    assert [task["interval"] for task in row["tasks"]] == [None, None, None]

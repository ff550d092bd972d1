"""Ablations come from the conditions that are there: one thing varies, on matched tasks, against the first row."""

from __future__ import annotations

from typing import Any

import pytest

from tests.report.exhibits.sample import asked, built, evidence_of, make_task
from underspec.artifact.condition import Condition
from underspec.measure.paired import adjusted_paired, sign_flip_test
from underspec.report.collect import Collected
from underspec.report.exhibits.catalogue import made
from underspec.report.exhibits.exhibit import Figure, Table
from underspec.report.exhibits.icae_ablations import (
    FRAMEWORK,
    IMAGE,
    SCAFFOLD,
    THINKING,
    THINKING_BUDGET,
    USER_AGENT,
    ablation_table,
    table_xv,
)
from underspec.report.exhibits.icae_figures import figure_6, figure_10

BASE = Condition(agent="claude-code", model="m")
PASSED = {"a": (2, 8), "b": (5, 5), "c": (3, 9), "d": (6, 4)}


def items(first: Condition, second: Condition) -> list[Collected]:
    return [
        built(condition, task, passed[place])
        for place, condition in enumerate((first, second))
        for task, passed in PASSED.items()
    ]


def varied(**fields: Any) -> Condition:
    return Condition.model_validate({**BASE.model_dump(), **fields})


@pytest.mark.parametrize(
    ("ablation", "second", "words"),
    [
        (SCAFFOLD, varied(scaffold=True), ["without", "with"]),
        (FRAMEWORK, varied(agent="openhands"), ["claude-code", "openhands"]),
        (USER_AGENT, varied(router="lexical"), ["embedded", "lexical"]),
        (IMAGE, varied(image="provisioned"), ["base", "provisioned"]),
        (THINKING, varied(thinking="off"), ["off", "the provider's default"]),
        (THINKING_BUDGET, varied(thinking="8000"), ["at most 8000 tokens", "the provider's default"]),
    ],
    ids=lambda each: getattr(each, "slug", None),
)
def test_two_conditions_that_differ_in_one_thing_are_its_table(
    ablation: Any, second: Condition, words: list[str]
) -> None:
    table = ablation_table(evidence_of(items(BASE, second)), ablation)
    assert table is not None
    assert [row["varied"].value for row in table.rows] == words
    others = {each.name for each in made(evidence_of(items(BASE, second)))}
    assert [name for name in others if name in ABLATIONS] == [ablation.name]


ABLATIONS = {f"ICAE Table {number}" for number in ("IX", "X", "XI", "XII", "XIII", "XIV", "XV")} | {
    "ICAE Figure 6",
    "ICAE Figure 10",
}


def test_two_things_at_once_are_no_ablation() -> None:
    both = varied(scaffold=True, image="provisioned")
    assert not ABLATIONS & {each.name for each in made(evidence_of(items(BASE, both)))}


def test_the_difference_is_paired_and_against_the_first_row() -> None:
    table = ablation_table(evidence_of(items(BASE, varied(scaffold=True))), SCAFFOLD)
    assert table is not None
    first, second = table.rows
    assert first["difference"].value is None
    gaps = [(after - before) / 10 for before, after in PASSED.values()]
    assert second["difference"].value == pytest.approx(sum(gaps) / 4)
    before, after = ([passed[place] / 10 for passed in PASSED.values()] for place in (0, 1))
    span = adjusted_paired(before, after)
    assert span is not None
    assert second["difference"].span is not None
    assert (second["difference"].span.low, second["difference"].span.high) == pytest.approx((span.low, span.high))
    assert second["p"].value == sign_flip_test(before, after)
    assert second["tasks"].value == 4


def test_p_values_are_corrected_for_all_comparisons_of_the_table() -> None:
    three = [
        built(varied(router=name), task, passed)
        for name in ("lexical", "nearest-static")
        for task, (_, passed) in PASSED.items()
    ]
    table = ablation_table(evidence_of([*items(BASE, varied(router="lexical"))[:4], *three]), USER_AGENT)
    assert table is not None
    before, after = ([passed[place] / 10 for passed in PASSED.values()] for place in (0, 1))
    once = sign_flip_test(before, after)
    assert [row["p"].value for row in table.rows] == [
        None,
        pytest.approx(min(1, 2 * once)),
        pytest.approx(min(1, 2 * once)),
    ]


def test_a_task_that_one_side_lacks_is_left_out_on_both() -> None:
    given = items(BASE, varied(scaffold=True))[:-1]
    table = ablation_table(evidence_of(given), SCAFFOLD)
    assert table is not None
    assert [row["tasks"].value for row in table.rows] == [3, 3]
    assert table.rows[0]["overall_macro"].value == pytest.approx((2 + 5 + 3) / 30)
    assert any("3 of 4 planned tasks are matched. Left out: 1 not planned in every row" in note for note in table.notes)


def test_agents_without_a_model_are_no_frameworks_of_the_same_one() -> None:
    scripted = items(Condition(agent="eager"), Condition(agent="asker"))
    assert ablation_table(evidence_of(scripted), FRAMEWORK) is None


def test_scaffold_that_no_question_could_follow_is_compared_all_the_same() -> None:
    silent = varied(stakeholder="nobody")
    given = items(silent, silent.model_copy(update={"scaffold": True}))
    assert ablation_table(evidence_of(given), SCAFFOLD) is not None


def test_who_would_have_answered_does_not_tell_conditions_apart_where_nobody_is_asked() -> None:
    silent = varied(stakeholder="nobody", router="lexical", budget=3)
    given = items(varied(stakeholder="nobody"), silent.model_copy(update={"scaffold": True}))
    table = ablation_table(evidence_of(given), SCAFFOLD)
    assert table is not None
    assert [row["router"].value for row in table.rows] == ["nobody", "nobody"]


def test_another_language_is_compared_by_source_language_without_tasks_that_speak_it_already() -> None:
    given = items(BASE, varied(language="Python"))
    tasks = [
        make_task("a", language="Go"),
        make_task("b", language="Go"),
        make_task("c", language="Rust"),
        make_task("d"),
    ]
    table = table_xv(evidence_of(given, tasks))
    assert table is not None
    shown: object = {
        row["source"].value: (row["own"].value, row["overall"].value, row["difference"].value) for row in table.rows
    }
    assert shown == {
        "Go": (pytest.approx(0.35), pytest.approx(0.65), pytest.approx(0.3)),
        "Rust": (pytest.approx(0.3), pytest.approx(0.9), pytest.approx(0.6)),
        "all of these": (pytest.approx(10 / 30), pytest.approx(22 / 30), pytest.approx(0.4)),
    }


def _bars(figure: Figure | None) -> list[tuple[object, object]]:
    assert figure is not None
    return [(row["label"].value, row["value"].value) for row in figure.data.rows]


def test_exposures_stand_in_order_and_the_whole_request_belongs_to_every_set_whoever_is_asked() -> None:
    given = [
        *(built(varied(exposure="ground", router="lexical", budget=3), task, 9) for task in PASSED),
        *(built(varied(exposure="L3"), task, 6) for task in PASSED),
        *(built(BASE, task, 2) for task in PASSED),
        *(built(varied(exposure="recovered"), task, 7) for task in PASSED),
    ]
    found = figure_6(evidence_of(given))
    assert _bars(found) == [
        ("Fuzzy L1", pytest.approx(0.2)),
        ("Fuzzy L3", pytest.approx(0.6)),
        ("RecoveredPRD", pytest.approx(0.7)),
        ("GroundPRD", pytest.approx(0.9)),
    ]


def test_the_same_whole_request_under_two_routers_is_one_condition() -> None:
    ground = [varied(exposure="ground"), varied(exposure="ground", router="lexical")]
    given = [
        built(condition, task, passed) for condition, passed in zip(ground, (4, 8), strict=True) for task in PASSED
    ]
    found = figure_6(evidence_of([*given, *(built(BASE, task, 2) for task in PASSED)]))
    assert _bars(found) == [("Fuzzy L1", pytest.approx(0.2)), ("GroundPRD", pytest.approx(0.6))]


def test_budgets_are_a_line_for_each_figure_and_none_at_all_belongs_to_it() -> None:
    given = [
        built(
            varied(budget=budget),
            task,
            passed,
            session=asked(task, [["C0"]] * min(budget, 1), budget=budget) if budget else None,
        )
        for budget, passed in ((16, 6), (0, 2), (8, 4))
        for task in PASSED
    ]
    found = figure_10(evidence_of(given))
    assert found is not None
    overall = [row for row in found.data.rows if str(row["panel"].value).startswith("Overall")]
    shown: object = [(row["budget"].value, row["value"].value) for row in overall]
    assert shown == [
        (0, pytest.approx(0.2)),
        (8, pytest.approx(0.4)),
        (16, pytest.approx(0.6)),
    ]
    covered = [row for row in found.data.rows if row["panel"].value == "Constraint coverage"]
    assert [(row["budget"].value, row["value"].value) for row in covered] == [(8, 0.5), (16, 0.5)]


def test_tables_of_ablations_have_the_same_items_whatever_the_order_of_runs() -> None:
    given = items(BASE, varied(scaffold=True))
    one, other = (ablation_table(evidence_of(order), SCAFFOLD) for order in (given, given[::-1]))
    assert isinstance(one, Table)
    assert isinstance(other, Table)
    assert one.rows == other.rows

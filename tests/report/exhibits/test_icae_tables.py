"""The main tables of ICAE-Bench against figures worked out by hand."""

from __future__ import annotations

import pytest

from tests.report.exhibits.sample import asked, built, evidence_of, make_run, make_task, review, structure
from underspec.artifact.condition import Condition
from underspec.measure.interval import clustered_wilson
from underspec.report.collect import Collected
from underspec.report.exhibits.exhibit import Cell, Table
from underspec.report.exhibits.icae_main import table_vi, table_vii, table_viii

ONE, OTHER = Condition(agent="cc", model="x/one"), Condition(agent="cc", model="x/other")


def values(table: Table | None, key: str) -> list[object]:
    assert table is not None
    return [row[key].value for row in table.rows]


def test_rates_of_cases_are_pooled_and_beside_them_stands_the_mean_over_tasks() -> None:
    items = [
        built(ONE, "a", {"public": (1, 1), "native": (2, 2), "enhanced": (0, 8)}),
        built(ONE, "b", {"public": (0, 1), "native": (4, 4), "enhanced": (6, 6)}),
    ]
    table = table_vi(evidence_of(items))
    assert table is not None
    (row,) = table.rows
    # a: 2 of 10, b: 10 of 10; together 12 of 20.
    assert row["overall"].value == pytest.approx(12 / 20)
    assert row["overall_macro"].value == pytest.approx((0.2 + 1.0) / 2)
    assert row["public"].value == pytest.approx(1 / 2)
    assert row["native"].value == pytest.approx(6 / 6)
    assert row["enhanced"].value == pytest.approx(6 / 14)
    # One native case of each task is public: 1 + 8 and 3 + 6 are hidden.
    assert row["hidden"].value == pytest.approx((1 + 0 + 3 + 6) / (1 + 8 + 3 + 6))
    assert row["clean"].value == 0.0
    span = clustered_wilson([0.2, 1.0])
    assert span is not None
    assert row["overall_macro"].span is not None
    assert (row["overall_macro"].span.low, row["overall_macro"].span.high) == (span.low, span.high)


def test_epochs_become_the_tasks_mean_first() -> None:
    items = [built(ONE, "a", passed, epoch=epoch) for epoch, passed in enumerate((0, 10, 5), 1)] + [built(ONE, "b", 10)]
    assert values(table_vi(evidence_of(items)), "overall_macro") == [pytest.approx((0.5 + 1.0) / 2)]


def test_structure_critic_and_interaction_are_means_over_tasks() -> None:
    items = [
        built(
            ONE,
            "a",
            5,
            structure=structure(0.2, files=10, loc=50),
            review=review(0.2, 0.4, 0.6),
            session=asked("a", [["C0"], [], ["C0"], []]),
        ),
        built(
            ONE,
            "b",
            5,
            structure=structure(0.6, files=5, loc=250),
            review=review(0.4, 0.6, 1.0),
            session=asked("b", []),
        ),
    ]
    table = table_vi(evidence_of(items))
    assert table is not None
    (row,) = table.rows
    expected = {
        "file": 1.5,
        "loc": 1.5,
        "class_like": 0.4,
        "namespace": 0.4,
        "semantic": 0.3,
        "api": 0.5,
        "design": 0.8,
    }
    # One of two records after four of sixteen questions, two of them without an answer; nothing of the other.
    expected |= {"coverage": 0.25, "fallback": 0.5, "budget_use": 0.125}
    assert {key: row[key].value for key in expected} == {key: pytest.approx(value) for key, value in expected.items()}


def test_columns_without_any_value_are_left_out_and_said() -> None:
    table = table_vi(evidence_of([built(ONE, "a", 5), built(ONE, "b", 5)]))
    assert table is not None
    assert not {column.key for column in table.columns} & {"semantic", "file", "loc", "coverage"}
    assert any("Semantic, API, Design: no critic scored it" in note for note in table.notes)


def test_rows_are_on_the_tasks_that_all_have_scored_and_what_is_unscored_bounds_them() -> None:
    items = [built(ONE, "a", 10), built(ONE, "b", 4), built(OTHER, "a", 6), built(OTHER, "b", None)]
    table = table_vi(evidence_of(items))
    assert values(table, "overall_macro") == [1.0, 0.6]
    assert table is not None
    assert [(row["planned"].value, row["scored"].value) for row in table.rows] == [(2, 2), (2, 1)]
    assert table.rows[1]["scored"].why == "sandbox 1"
    assert any("1 task of 2 planned" in note and "1 not scored in every row" in note for note in table.notes)
    assert any(
        "Unscored of other: 1 of 2 items (sandbox 1)" in note and "between 30.0 and 80.0 %" in note
        for note in table.notes
    )


def test_a_row_without_any_score_is_said_and_leaves_the_others_theirs() -> None:
    table = table_vi(evidence_of([built(ONE, "a", 10), built(OTHER, "a", None)]))
    assert values(table, "model") == ["x/one"]
    assert table is not None
    assert "Nothing is scored of other." in table.notes


def test_tasks_graded_from_several_versions_are_not_matched() -> None:
    items = [built(ONE, "a", 10), built(ONE, "b", 4), built(OTHER, "a", 6)]
    newer = built(OTHER, "b", 4)
    assert newer.outcomes is not None
    changed = built(OTHER, "b", None, outcomes=newer.outcomes.model_copy(update={"task_digest": "newer"}))
    table = table_vi(evidence_of([*items, changed]))
    assert table is not None
    assert values(table, "overall_macro") == [1.0, 0.6]
    assert any("from several versions" in note for note in table.notes)


def test_the_main_table_is_of_what_differs_in_who_builds_alone() -> None:
    items = [built(ONE, name, 5) for name in "abc"] + [built(OTHER, name, 9) for name in "abc"]
    ground = ONE.model_copy(update={"exposure": "ground"})
    table = table_vi(evidence_of([*items, *(built(ground, name, 10) for name in "abc")]))
    assert values(table, "model") == ["x/other", "x/one"]
    assert table is not None
    assert any("which the tables and figures of what they vary have: 1." in note for note in table.notes)


def test_a_few_tasks_of_many_conditions_do_not_cut_down_the_main_table() -> None:
    items = [built(condition, f"t{place}", 5) for condition in (ONE, OTHER) for place in range(9)]
    tried = [built(ONE.model_copy(update={"thinking": str(budget)}), "t0", 5) for budget in range(1000, 4000, 1000)]
    table = table_vi(evidence_of([*items, *tried]))
    assert table is not None
    assert sorted(str(value) for value in values(table, "model")) == ["x/one", "x/other"]
    assert [row["planned"].value for row in table.rows] == [9, 9]


def test_rows_name_router_model_image_and_what_is_off_its_default() -> None:
    condition = Condition(
        agent="cc", model="m", router="model", stakeholder_model="r", image="provisioned", network="open"
    )
    table = table_vi(evidence_of([built(condition, "a", 5)]))
    assert values(table, "router") == ["model: r"]
    assert values(table, "image") == ["provisioned (sha256:0123456789ab)"]
    assert values(table, "setting") == ["image provisioned, network open"]
    alone = Condition(agent="cc", stakeholder="nobody")
    assert values(table_vi(evidence_of([built(alone, "a", 5)])), "router") == ["nobody"]


def test_runs_that_do_not_compare_and_stale_items_are_said() -> None:
    items = [built(ONE, "a", 5), built(ONE, "b", 5, stale=True)]
    table = table_vi(evidence_of([], runs=[make_run(items, "mine", comparable=False)]))
    assert table is not None
    assert any("Sandboxes of mine showed a machine's own /usr" in note for note in table.notes)
    assert any("of their last run: 1." in note for note in table.notes)


def _sized(number: int) -> tuple[list[Collected], list[object]]:
    return [built(ONE, f"t{place:02}", place % 11) for place in range(number)], [
        place % 11 / 10 for place in range(number)
    ]


def test_the_smaller_tasks_are_the_fifty_with_the_least_golden_code() -> None:
    items, _rates = _sized(60)
    tasks = [make_task(f"t{place:02}", lines=1000 - place) for place in range(60)]
    table = table_vii(evidence_of(items, tasks))
    # The last fifty have the least code.
    kept = [place % 11 / 10 for place in range(10, 60)]
    assert values(table, "overall_macro") == [pytest.approx(sum(kept) / 50)]


def test_there_are_no_smaller_tasks_among_fifty_or_where_nobody_counted() -> None:
    items, _rates = _sized(60)
    assert table_vii(evidence_of(items[:50], [make_task(f"t{place:02}") for place in range(50)])) is None
    assert table_vii(evidence_of(items, [make_task(f"t{place:02}", lines=None) for place in range(60)])) is None


def test_languages_pool_the_cases_of_their_tasks() -> None:
    items = [
        built(ONE, "a", {"native": (1, 2)}),
        built(ONE, "b", {"native": (9, 10)}),
        built(ONE, "c", {"native": (0, 4)}),
        built(ONE, "d", {"native": (4, 4)}),
    ]
    tasks = [make_task("a", language="Go"), make_task("b", language="Go"), make_task("c", language="Rust")]
    table = table_viii(evidence_of(items, tasks))
    assert table is not None
    shown: dict[str, Cell] = {column.title: table.rows[0][column.key] for column in table.columns}
    assert shown["Go (2)"].value == pytest.approx(10 / 12)
    assert shown["Rust (1)"].value == 0.0
    assert shown["Rust (1)"].span is None
    assert shown["All"].value == pytest.approx(10 / 16)
    assert any("left out: d" in note for note in table.notes)


def test_what_stands_beside_the_scores_is_on_the_tasks_in_which_every_row_has_it() -> None:
    items = [
        built(ONE, "a", 5, review=review(0.2, 0.2, 0.2)),
        built(ONE, "b", 5, review=review(0.8, 0.8, 0.8)),
        built(OTHER, "a", 9, review=review(0.4, 0.4, 0.4)),
        built(OTHER, "b", 9),
    ]
    table = table_vi(evidence_of(items))
    assert values(table, "semantic") == [0.4, 0.2]
    assert table is not None
    assert "Semantic, API, Design: on 1 of these 2 tasks, in which every row has them." in table.notes


def test_a_row_that_no_critic_saw_leaves_the_others_their_scores() -> None:
    items = [built(ONE, "a", 5, review=review(0.2, 0.2, 0.2)), built(OTHER, "a", 9)]
    table = table_vi(evidence_of(items))
    assert values(table, "semantic") == [None, 0.2]
    assert table is not None
    assert table.rows[0]["semantic"].why == "no critic scored it"

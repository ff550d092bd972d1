"""SWE-Clar's tables and figures: its printed figures come out of items that have them, others are worked out by
hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.report.exhibits.sample import asked, built, clarified, evidence_of, labelled, make_task, transcript
from underspec.artifact.condition import Condition
from underspec.artifact.judgements import Label
from underspec.artifact.labels import DisclosureLabels
from underspec.measure.bootstrap import bootstrap_mean
from underspec.measure.disclosure import SourceConversation
from underspec.measure.paired import mcnemar
from underspec.report.collect import Collected
from underspec.report.exhibits.clar_conditions import table_6, table_7, table_10
from underspec.report.exhibits.clar_conversation import figure_4, figure_8, table_11
from underspec.report.exhibits.clar_figures import figure_5, figure_7
from underspec.report.exhibits.clar_scores import table_2, table_5
from underspec.report.exhibits.clar_units import figure_6, figure_9, table_8, table_9
from underspec.report.exhibits.evidence import Evidence
from underspec.run.labels import ItemLabels

YES, HALF, NO = Label.CORRECT, Label.PARTIAL, Label.INCORRECT
LUNA = Condition(protocol="clarify-first", agent="pi", model="gpt-5.6-luna", stakeholder_model="c", judge_model="j")
FLASH = LUNA.model_copy(update={"model": "glm-5.3-flash"})


def passing(condition: Condition, verdicts: Sequence[bool]) -> list[Collected]:
    """One unit a task: whether each task passes."""
    return [clarified(condition, f"t{place:03}", [(YES, passed)]) for place, passed in enumerate(verdicts)]


def verdicts(both: int, only: int, offset: int = 0) -> list[bool]:
    """Of 100 tasks the first ``both`` pass, and ``only`` from ``offset`` on."""
    return [place < both or offset <= place < offset + only for place in range(100)]


def test_table_2_has_the_default_interval_and_the_published_one() -> None:
    passed = [place < 49 for place in range(100)]
    table = table_2(evidence_of(passing(LUNA, passed)))
    assert table is not None
    (row,) = table.rows
    assert (row["implementation"].value, row["clarification"].value) == (0.49, 1.0)
    published = row["published"].span
    assert published is not None
    # The paper prints [39, 59].
    assert 100 * published.low == pytest.approx(39, abs=1)
    assert 100 * published.high == pytest.approx(59, abs=1)
    alone = bootstrap_mean([float(each) for each in passed])
    assert alone is not None
    assert (published.low, published.high) == (alone.low, alone.high)
    assert row["router"].value == "client and supervisor: c"


def test_table_2_is_ordered_by_score_and_says_how_the_scores_go_together() -> None:
    tasks = [f"t{place}" for place in range(4)]
    models = {"worst": (1, HALF, NO), "best": (4, YES, YES), "middle": (2, YES, NO)}
    given = [
        clarified(LUNA.model_copy(update={"model": model}), task, [(one, place < passed), (two, place < passed)])
        for model, (passed, one, two) in models.items()
        for place, task in enumerate(tasks)
    ]
    table = table_2(evidence_of(given))
    assert table is not None
    assert [(row["model"].value, row["implementation"].value, row["clarification"].value) for row in table.rows] == [
        ("best", 1.0, 1.0),
        ("middle", 0.5, 0.5),
        ("worst", 0.25, 0.25),
    ]
    assert any("Over the 3 rows the two scores have Pearson's r 1.00" in note for note in table.notes)


def test_table_5_has_units_and_dollars_and_no_price_that_is_not_known() -> None:
    priced = [
        clarified(LUNA, "a", [(YES, True), (YES, False)], cost=0.1),
        clarified(LUNA, "b", [(YES, True), (YES, True), (YES, True), (YES, False)], cost=0.3),
    ]
    unpriced = [clarified(FLASH, "a", [(YES, False)], cost=0.2), clarified(FLASH, "b", [(YES, False)], cost=None)]
    table = table_5(evidence_of([*priced, *unpriced]))
    assert table is not None
    one, other = sorted(table.rows, key=lambda row: str(row["model"].value), reverse=True)
    assert one["unit_pass"].value == pytest.approx((0.5 + 0.75) / 2)
    assert one["cost"].value == pytest.approx(0.2)
    assert other["cost"].value is None
    assert other["cost"].why == "the price of some calls is not known: 1 of 2 items"


def _information(passed: dict[str, int]) -> list[Collected]:
    return [
        item
        for information, number in passed.items()
        for item in passing(
            LUNA.model_copy(update={"information": information}), [place < number for place in range(100)]
        )
    ]


def test_table_6_says_how_much_of_the_gap_the_protocol_closes_as_the_paper_prints_it() -> None:
    table = table_6(evidence_of(_information({"complete": 75, "none": 6, "standard": 49})))
    assert table is not None
    assert [(row["information"].value, row["implementation"].value) for row in table.rows] == [
        ("No client interaction", 0.06),
        ("Standard protocol", 0.49),
        ("Complete requirements", 0.75),
    ]
    assert any("closes 62.3 % of the gap" in note for note in table.notes)
    assert [row["router"].value for row in table.rows] == ["nobody", "client and supervisor: c", "nobody"]


def test_table_7_has_paired_differences_one_a_step() -> None:
    table = table_7(evidence_of(_information({"complete": 75, "none": 6, "standard": 49})))
    assert table is not None
    shown: object = [(row["comparison"].value, row["difference"].value) for row in table.rows]
    assert shown == [
        ("Standard protocol less no client interaction", pytest.approx(0.43)),
        ("Complete requirements less standard protocol", pytest.approx(0.26)),
    ]
    assert [(row["better"].value, row["worse"].value) for row in table.rows] == [(43, 0), (26, 0)]
    assert all(0 < float(row["p"].value or 1) < 0.001 for row in table.rows)


def test_without_the_protocol_the_ends_are_compared_with_each_other() -> None:
    table = table_7(evidence_of(_information({"complete": 75, "none": 6})))
    assert table is not None
    assert [row["difference"].value for row in table.rows] == [pytest.approx(0.69)]


@pytest.mark.parametrize(("before", "continued", "only_before", "only_continued"), [(49, 26, 30, 7), (39, 13, 29, 3)])
def test_table_10_counts_as_the_paper_prints(
    before: int, continued: int, only_before: int, only_continued: int
) -> None:
    both = before - only_before
    given = [
        *passing(LUNA, verdicts(both, only_before, both)),
        *passing(LUNA.model_copy(update={"protocol": "continued"}), verdicts(both, only_continued, both + only_before)),
    ]
    table = table_10(evidence_of(given))
    assert table is not None
    (row,) = table.rows
    assert (row["before"].value, row["continued"].value) == (before / 100, continued / 100)
    assert (row["only_before"].value, row["only_continued"].value) == (only_before, only_continued)
    assert row["difference"].value == pytest.approx((before - continued) / 100)
    assert row["difference"].span is not None
    assert row["difference"].span.low > 0.05
    assert row["p"].value == mcnemar(only_continued, only_before)


def _talks() -> tuple[list[Collected], dict[str, ItemLabels]]:
    """Two tasks: of three hidden units one is never disclosed, one after round 1, one after round 2; and so on."""
    units = [(YES, True), (HALF, True), (NO, False), (YES, False)]
    talks = {"a": transcript("a", 2, revised=(1,)), "b": transcript("b", 4, revised=(2, 3))}
    given = [clarified(LUNA, name, units, talk=talk) for name, talk in talks.items()]
    when: dict[str, dict[str, int | None]] = {
        "a": {"RU-001": 1, "RU-002": 2, "RU-003": None},
        "b": {"RU-001": 4, "RU-002": None, "RU-003": 3},
    }
    revised: dict[str, dict[int, tuple[bool | None, bool | None]]] = {
        "a": {1: (False, True), 2: (True, True)},
        "b": {2: (True, False), 3: (None, True)},
    }
    labels = {
        item.item.id: labelled(talks[item.item.task], when[item.item.task], revised[item.item.task]) for item in given
    }
    return given, labels


def _told() -> Evidence:
    given, labels = _talks()
    return evidence_of(given, [make_task("a"), make_task("b")], labels=labels)


def test_table_8_is_over_units_that_were_fully_disclosed() -> None:
    table = table_8(_told())
    assert table is not None
    (row,) = table.rows
    # RU-001 twice (correct), RU-002 once (partial), RU-003 once (incorrect); RU-004 was never hidden.
    assert row["units"].value == 4
    assert [row[label].value for label in ("correct", "partial", "incorrect")] == [0.5, 0.25, 0.25]


def test_table_8_leaves_out_conversations_that_broke_off() -> None:
    given, labels = _talks()
    one = labels[given[0].item.id]
    cut = ItemLabels(one.transcript.model_copy(update={"finished": False}), one.digest, one.replies, one.disclosures)
    table = table_8(evidence_of(given, [make_task("a"), make_task("b")], labels={**labels, given[0].item.id: cut}))
    assert table is not None
    assert [(row["units"].value, row["unlabelled"].value) for row in table.rows] == [(2, 1)]


def test_table_9_counts_labels_and_credits_fully_correct_answers_alone() -> None:
    given = [
        clarified(LUNA, "a", [(YES, True), (HALF, True)]),
        clarified(LUNA, "b", [(YES, True), (YES, False), (NO, True), (HALF, True)]),
    ]
    table = table_9(evidence_of(given))
    assert table is not None
    (row,) = table.rows
    assert row["strict"].value == pytest.approx((0.5 + 0.5) / 2)
    assert row["clarification"].value == pytest.approx((0.75 + 2.5 / 4) / 2)
    assert [row[label].value for label in ("correct", "partial", "incorrect", "unjudged")] == [3, 2, 1, 0]


def test_table_11_has_the_shares_of_revised_questions_that_were_assessed() -> None:
    table = table_11(_told())
    assert table is not None
    assert [(row["transition"].value, row["questions"].value, row["share"].value) for row in table.rows] == [
        ("Incorrect → correct", 1, 0.5),
        ("Correct → incorrect", 1, 0.5),
        ("Correct → correct", 0, 0.0),
        ("Incorrect → incorrect", 0, 0.0),
    ]
    assert any(
        "6 questions, of which 3 were revised and 2 of those assessed; 1 have no label" in note for note in table.notes
    )


def test_figure_6_is_the_share_of_units_that_pass_within_each_answer() -> None:
    found = figure_6(_told())
    assert found is not None
    shown = [(row["label"].value, row["value"].value) for row in found.data.rows]
    assert shown == [("Correct (4)", 0.5), ("Partial (2)", 1.0), ("Incorrect (2)", 0.0)]


def test_figure_9_has_six_cells_that_sum_to_all_units() -> None:
    found = figure_9(_told())
    assert found is not None
    shown = {(row["answer"].value, row["code"].value): row["share"].value for row in found.data.rows}
    assert shown == {
        ("Correct", "Tests pass"): 0.25,
        ("Partial", "Tests pass"): 0.25,
        ("Incorrect", "Tests pass"): 0.0,
        ("Correct", "Tests fail"): 0.25,
        ("Partial", "Tests fail"): 0.0,
        ("Incorrect", "Tests fail"): 0.25,
    }


def test_figure_8_carries_a_conversation_that_ended_on_to_the_longest() -> None:
    found = figure_8(_told())
    assert found is not None
    third = 1 / 3
    # a: 0, 1/3, 2/3 and then the same; b: 0, 0, 0, 1/3, 2/3.
    assert [row["value"].value for row in found.data.rows] == pytest.approx(
        [0, third / 2, third, third * 1.5, third * 2]
    )
    assert any("2 of 2 conversations" in note for note in found.notes)


def test_sessions_with_a_user_agent_stand_in_where_no_clarification_is_labelled() -> None:
    given = [
        built(Condition(agent="cc", model="m"), "a", 5, session=asked("a", [["C0"], [], ["C1"]])),
        built(Condition(agent="cc", model="m"), "b", 5, session=asked("b", [["C0"], ["C0"], []])),
    ]
    found = figure_8(evidence_of(given))
    assert found is not None
    assert [row["value"].value for row in found.data.rows] == [0, 0.5, 0.5, 0.75]
    assert any("what is disclosed are records" in note for note in found.notes)
    assert found.data.rows[0]["router"].value == "embedded"


def test_figure_4_is_over_recorded_conversations_where_there_are_any() -> None:
    recorded = [SourceConversation(0, 100, 1, (10.0, 50.0)), SourceConversation(0, 10, 3, (10.0,))]
    found = figure_4(evidence_of([], conversations=recorded))
    assert found is not None
    later = {
        row["time"].value: row["value"].value for row in found.data.rows if row["label"].value == "Disclosed later"
    }
    assert [later[time] for time in (0.0, 0.1, 0.5, 1.0)] == [0.0, 0.25, 0.5, 1.0]
    whole = {
        row["time"].value: row["value"].value for row in found.data.rows if row["label"].value != "Disclosed later"
    }
    assert whole[0.0] == pytest.approx((1 / 3 + 3 / 4) / 2)
    assert "Disclosed later: 25.0 % within the first quarter, 50.0 % within the first half" in found.alternative


def test_figure_4_takes_the_number_of_questions_for_a_clock_otherwise() -> None:
    found = figure_4(_told())
    assert found is not None
    later = {row["time"].value: row["value"].value for row in found.data.rows}
    # a: rounds 1 and 2 of 2; b: rounds 3 and 4 of 4.
    assert [later[time] for time in (0.49, 0.5, 0.75, 1.0)] == [0.0, 0.25, 0.5, 1.0]


def test_figure_5_has_both_scores_in_the_order_of_information() -> None:
    found = figure_5(evidence_of(_information({"complete": 75, "none": 6, "standard": 49})))
    assert found is not None
    shown = [(row["panel"].value, row["label"].value, row["value"].value) for row in found.data.rows]
    assert [label for _panel, label, _value in shown] == 2 * [
        "No client interaction",
        "Standard protocol",
        "Complete requirements",
    ]
    assert [value for _panel, _label, value in shown] == [0.06, 0.49, 0.75, 1.0, 1.0, 1.0]


def test_figure_7_draws_what_a_task_costs_and_says_whose_cost_is_not_known() -> None:
    given = [
        *(clarified(LUNA, name, [(YES, True)], cost=0.1) for name in "ab"),
        *(clarified(FLASH, name, [(YES, False)], cost=None) for name in "ab"),
    ]
    found = figure_7(evidence_of(given))
    assert found is not None
    shown: object = [(row["label"].value, row["cost"].value, row["value"].value) for row in found.data.rows]
    assert shown == [("gpt-5.6-luna", pytest.approx(0.1), 1.0)]
    assert any(
        "glm-5.3-flash is not drawn: the price of some calls is not known: 2 of 2 items" in note for note in found.notes
    )


def test_unjudged_items_are_unscored_and_bounded() -> None:
    given = [clarified(LUNA, "a", [(YES, True)]), clarified(LUNA, "b", None)]
    table = table_2(evidence_of(given))
    assert table is not None
    assert any(
        "Unscored of gpt-5.6-luna: 1 of 2 items (judge 1)" in note and "between 50.0 and 100.0 %" in note
        for note in table.notes
    )


def test_labels_that_disclose_nothing_hidden_give_no_curve() -> None:
    talk = transcript("a", 2)
    item = clarified(LUNA, "a", [(YES, True)], talk=talk)
    labels = labelled(talk, {})
    assert isinstance(labels.disclosures, DisclosureLabels)
    assert figure_8(evidence_of([item], [make_task("a")], labels={item.item.id: labels})) is None


def test_clarification_scores_are_on_the_tasks_that_every_row_has_judged() -> None:
    given = [
        clarified(LUNA, "a", [(YES, True)]),
        clarified(LUNA, "b", [(None, True)]),
        clarified(FLASH, "a", [(HALF, True)]),
        clarified(FLASH, "b", [(YES, False)]),
    ]
    table = table_2(evidence_of(given))
    assert table is not None
    assert [(row["implementation"].value, row["clarification"].value) for row in table.rows] == [(1.0, 1.0), (0.5, 0.5)]
    assert any("on 1 of these 2 tasks, in which every row has one" in note for note in table.notes)
    labels = table_9(evidence_of(given))
    assert labels is not None
    assert [row["correct"].value for row in labels.rows] == [1, 0]

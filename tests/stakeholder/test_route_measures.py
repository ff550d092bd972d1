"""What each figure about a router means, on rows counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.stakeholder.route_measures import (
    Routed,
    recall_at_3,
    recall_at_3_or_accepted,
    right_given,
    summary,
    top1,
    wrong_given,
)


def row(gold: str = "", fine: str = "", ids: str = "", ranking: str = "", kind: str | None = "single") -> Routed:
    return Routed(tuple(gold.split()), tuple(fine.split()), kind, tuple(ids.split()), tuple(ranking.split()))


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (row("A", ranking="A B"), 1),
        (row("A", "B", ranking="B A"), 1),
        (row("A", "B", ranking="C A B"), 0),
        (row("A"), 0),
    ],
)
def test_top1_takes_gold_and_acceptable_ids(one: Routed, expected: float) -> None:
    assert top1(one) == expected


@pytest.mark.parametrize(
    ("one", "strict", "lenient"),
    [
        (row("A", ranking="B C A"), 1, 1),
        (row("A", ranking="B C D A"), 0, 0),
        (row("A", "B", ranking="B C D"), 0, 1),
        (row("A B", "C", ranking="A C D"), 0.5, 0.5),
        (row("A B C D", ranking="D C B"), 1, 1),
        (row("A B C D", ranking="D X B"), 2 / 3, 2 / 3),
    ],
)
def test_recall_counts_gold_among_the_first_three(one: Routed, strict: float, lenient: float) -> None:
    assert recall_at_3(one) == pytest.approx(strict)
    assert recall_at_3_or_accepted(one) == pytest.approx(lenient)


@pytest.mark.parametrize(
    ("one", "right", "wrong"),
    [
        (row("A", ids="A", ranking="A"), 1, 0),
        (row("A", ids="", ranking="A"), 0, 0),
        (row("A", "B", ids="B X"), 1, 1),
        (row("A B", ids="X Y Z A B"), 0, 3),
        (row("", "", ids="X"), 0, 1),
    ],
)
def test_what_is_given_is_the_first_three_ids(one: Routed, right: float, wrong: float) -> None:
    if one.gold:
        assert right_given(one) == right
    assert wrong_given(one) == wrong


def test_a_summary_keeps_answerable_and_unanswerable_apart() -> None:
    rows = [
        row("A", ids="A", ranking="A"),
        row("A", ids="B", ranking="B A"),
        row(kind="vague"),
        row(kind="off_record", ids="A", ranking="A"),
        row(kind="extraction", ranking="A"),
    ]
    found = summary(rows)
    assert (found["top1"], found["recall_at_3"], found["right_given"]) == (0.5, 1, 0.5)
    assert found["answered_unanswerable"] == pytest.approx(1 / 3)
    assert found["extraction_answered"] == 0
    assert (found["answerable"], found["unanswerable"]) == (2, 3)
    assert found["by_kind"]["off_record"] == {
        "questions": 1,
        "top1": None,
        "recall_at_3": None,
        "right_given": None,
        "answered_unanswerable": 1,
    }


def test_shares_of_nothing_are_none() -> None:
    assert summary([])["top1"] is None
    assert summary([row("A")])["answered_unanswerable"] is None


names = st.lists(st.sampled_from("ABCDE"), max_size=5).map(lambda letters: " ".join(dict.fromkeys(letters)))


@given(st.lists(st.builds(row, names, names, names, names, st.sampled_from(["single", "extraction", None]))))
def test_all_shares_lie_between_0_and_1(rows: list[Routed]) -> None:
    found = summary(rows)
    for name in ("top1", "recall_at_3", "right_given", "answered_unanswerable", "extraction_answered"):
        assert found[name] is None or 0 <= found[name] <= 1
    if found["recall_at_3"] is not None:
        assert found["recall_at_3"] <= found["recall_at_3_or_accepted"]

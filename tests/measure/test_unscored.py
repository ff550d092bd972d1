"""Planned is scored and unscored, and what is unscored can have been anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.measure.interval import clustered_wilson
from underspec.measure.unscored import PlannedItem, account, bounded_interval, filled_means

ITEMS = [
    PlannedItem("a", 1.0, cases=10),
    PlannedItem("a", None, "sandbox", cases=10),
    PlannedItem("b", 0.5, cases=30),
    PlannedItem("c", None, "judge", cases=50),
    PlannedItem("c", None, "judge", cases=50),
]


def test_every_planned_item_is_scored_or_belongs_to_a_boundary() -> None:
    found = account(ITEMS)
    assert (found.planned, found.scored, found.unscored) == (5, 2, {"judge": 2, "sandbox": 1})
    assert found.macro.low == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert found.macro.high == pytest.approx((1 + 0.5 + 1) / 3)
    assert found.pooled.low == pytest.approx(25 / 150)
    assert found.pooled.high == pytest.approx(135 / 150)


def test_nothing_planned_has_no_bounds_and_an_item_without_either_is_refused() -> None:
    assert account([]).macro.low is None
    for wrong in (PlannedItem("a", None), PlannedItem("a", 0.5, "sandbox")):
        with pytest.raises(ValueError):
            account([wrong])


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.one_of(st.none(), st.floats(0, 1))), min_size=1, max_size=20),
    st.floats(0, 1),
)
def test_whatever_the_unscored_would_have_got_lies_within_the_bounds(
    given_items: list[tuple[str, float | None]], fate: float
) -> None:
    items = [PlannedItem(task, score, None if score is not None else "sandbox") for task, score in given_items]
    bounds = account(items).macro
    means = list(filled_means(items, fate).values())
    assert bounds.low is not None
    assert bounds.high is not None
    assert bounds.low - 1e-9 <= sum(means) / len(means) <= bounds.high + 1e-9


def test_the_bounded_interval_holds_both_extremes() -> None:
    low, high = (clustered_wilson(list(filled_means(ITEMS, fate).values())) for fate in (0.0, 1.0))
    found = bounded_interval(low, high)
    assert low is not None
    assert high is not None
    assert found is not None
    assert found.pair() == [low.low, high.high]
    assert bounded_interval(None, high) is None

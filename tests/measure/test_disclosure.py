"""When requirements become known, by round and by time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.measure.disclosure import (
    Disclosure,
    SourceConversation,
    disclosure_by_round,
    disclosure_by_time,
    outlying,
)


def test_a_conversation_that_ended_keeps_what_it_had_and_conversations_weigh_the_same() -> None:
    short = Disclosure(1, (1, None))
    long = Disclosure(3, (1, 2, 3, None))
    curve = disclosure_by_round([short, long])
    assert curve.shares == pytest.approx((0.0, (1 / 2 + 1 / 4) / 2, (1 / 2 + 1 / 2) / 2, (1 / 2 + 3 / 4) / 2))
    assert curve.final == pytest.approx(0.625)


def test_one_that_broke_off_counts_only_as_far_as_it_went() -> None:
    curve = disclosure_by_round([Disclosure(1, (None,), finished=False), Disclosure(2, (1,))])
    assert curve.shares == pytest.approx((0.0, 0.5, 1.0))


def test_the_outlier_rule_is_that_of_appendix_c_3() -> None:
    # Quartiles 4 and 6: below 1 and above 9 is out, 1 and 9 themselves are in.
    counts = [4] * 5 + [5] * 5 + [6] * 5
    assert outlying([*counts, 10, 0, 9, 1]).tolist() == [False] * 15 + [True, True, False, False]
    assert outlying([]).tolist() == []


def test_outliers_leave_the_curve_and_are_counted() -> None:
    usual = [Disclosure(rounds, (1,)) for rounds in (4, 4, 5, 5, 6, 6)]
    curve = disclosure_by_round([*usual, Disclosure(40, (40,)), Disclosure(5, ())])
    assert (curve.conversations, curve.retained, curve.outliers, curve.nothing_hidden) == (8, 6, 1, 1)
    assert len(curve.shares) == 7
    everything = disclosure_by_round([*usual, Disclosure(40, (40,))], drop_outliers=False)
    assert len(everything.shares) == 41
    assert everything.final == 1.0


def test_no_conversations_have_no_curve_and_impossible_rounds_are_refused() -> None:
    assert disclosure_by_round([]).shares == ()
    assert disclosure_by_round([]).final is None
    for wrong in (0, 4):
        with pytest.raises(ValueError):
            Disclosure(3, (wrong,))


@given(
    st.lists(
        st.integers(0, 8).flatmap(
            lambda rounds: st.tuples(
                st.just(rounds),
                st.lists(st.one_of(st.none(), st.integers(1, rounds)) if rounds else st.none(), max_size=5),
            )
        ),
        max_size=10,
    )
)
def test_disclosure_only_grows(conversations: list[tuple[int, list[int | None]]]) -> None:
    curve = disclosure_by_round([Disclosure(rounds, tuple(found)) for rounds, found in conversations])
    assert list(curve.shares) == sorted(curve.shares)
    assert all(0 <= share <= 1 for share in curve.shares)


def test_time_runs_from_the_first_to_the_last_message_and_what_came_first_is_at_nought() -> None:
    talk = SourceConversation(first=100, last=300, initial=2, later=(150, 200, 300))
    primary = disclosure_by_time([talk])
    assert primary is not None
    assert [primary.at(time) for time in (0, 0.24, 0.25, 0.5, 0.99, 1)] == pytest.approx([0, 0, 1 / 3, 2 / 3, 2 / 3, 1])
    supplementary = disclosure_by_time([talk], with_initial=True)
    assert supplementary is not None
    assert [supplementary.at(time) for time in (0, 0.25, 1)] == pytest.approx([2 / 5, 3 / 5, 1])


def test_conversations_without_anything_later_enter_the_supplementary_curve_alone() -> None:
    silent = SourceConversation(0, 10, 3, ())
    talk = SourceConversation(0, 10, 0, (10,))
    primary, supplementary = disclosure_by_time([silent, talk]), disclosure_by_time([silent, talk], with_initial=True)
    assert primary is not None
    assert supplementary is not None
    assert (primary.conversations, supplementary.conversations) == (1, 2)
    assert supplementary.at(0) == pytest.approx(0.5)
    assert disclosure_by_time([silent]) is None


def test_bands_hold_the_curve_and_repeat() -> None:
    talks = [SourceConversation(0, 1, 1, (place / 40, (place % 7) / 7)) for place in range(40)]
    curve, again = disclosure_by_time(talks), disclosure_by_time(talks)
    assert curve is not None
    assert again is not None
    assert curve.low is not None
    assert curve.high is not None
    assert (curve.low <= curve.share).all()
    assert (curve.share <= curve.high).all()
    assert (curve.high - curve.low).max() > 0.05
    assert again.low is not None
    assert (again.low == curve.low).all()


def test_a_conversation_of_one_moment_has_everything_at_once_and_what_lies_outside_is_refused() -> None:
    curve = disclosure_by_time([SourceConversation(5, 5, 0, (5,))])
    assert curve is not None
    assert curve.at(0) == 1.0
    assert curve.low is None
    with pytest.raises(ValueError):
        disclosure_by_time([SourceConversation(0, 1, 0, (2,))])

"""A ranking says how sure it is."""

from __future__ import annotations

import numpy as np
import pytest

from underspec.measure.ranks import rank_agreement, rank_groups, rank_ranges, rank_stability


def scores(*rates: float, tasks: int = 100) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    random = np.random.default_rng(11)
    return np.array(random.random((tasks, len(rates))) < np.array(rates), dtype=np.float64)


def test_who_is_far_ahead_is_first_in_every_draw_and_equals_share_their_ranks() -> None:
    table = scores(0.9, 0.5, 0.1)
    table = np.column_stack([table, table[:, 1]])
    best, second, last, twin = rank_ranges(table, resamples=2_000)
    assert (best.rank, best.low, best.high, best.first) == (1, 1, 1, 1.0)
    assert (second.rank, second.low, second.high) == (twin.rank, twin.low, twin.high) == (2.5, 2.5, 2.5)
    assert (last.low, last.high, last.first) == (4, 4, 0)


def test_who_is_nearly_equal_may_swap() -> None:
    one, other, _third = rank_ranges(scores(0.5, 0.52, 0.1), resamples=2_000)
    assert (one.low, one.high) == (other.low, other.high) == (1, 2)
    assert one.first + other.first >= 1


def test_groups_end_where_one_is_told_apart_from_the_group_s_first() -> None:
    table = np.array([[0.9, 0.8, 0.7, 0.2]] * 3)
    apart = np.array([[abs(one - other) > 0.15 for one in table[0]] for other in table[0]])
    assert rank_groups(table, apart) == [1, 1, 2, 3]


def test_two_splits_agree_on_the_first_two_the_other_way_round() -> None:
    found = rank_agreement([38.2, 37.0, 30, 25, 20, 10], [40.0, 44.0, 33, 21, 22, 9])
    assert found.rho.r == pytest.approx(1 - 6 * 4 / (6 * 35))
    assert found.tau == pytest.approx(1 - 2 * 2 / 15)
    assert not found.same_leader
    assert found.moved == (1, -1, 0, 1, -1, 0)


def test_a_ranking_of_competitors_far_apart_is_stable_and_one_of_equals_is_not() -> None:
    apart, equal = (
        rank_stability(scores(0.9, 0.6, 0.3, 0.05), splits=200),
        rank_stability(scores(*[0.5] * 4), splits=200),
    )
    assert apart.rho == pytest.approx(1.0)
    assert apart.same_leader == 1.0
    assert equal.rho is not None
    assert equal.rho < 0.5
    assert apart == rank_stability(scores(0.9, 0.6, 0.3, 0.05), splits=200)


def test_halves_that_cannot_be_told_apart_have_no_agreement_and_one_competitor_is_no_ranking() -> None:
    assert rank_stability(np.ones((4, 3)), splits=5).rho is None
    with pytest.raises(ValueError):
        rank_stability(np.ones((4, 1)))

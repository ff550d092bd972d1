"""Differences are paired by task, and their tests are exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from underspec.measure.paired import (
    adjusted_paired,
    gap_closed,
    mcnemar,
    mcnemar_mid,
    paired_difference,
    share_of_gap,
    sign_flip_test,
    sign_test,
)

pairs = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30)


def split(rows: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [row[0] for row in rows], [row[1] for row in rows]


@pytest.mark.parametrize(("only_first", "only_second", "tasks"), [(7, 30, 100), (3, 29, 100), (0, 0, 20), (5, 1, 12)])
def test_of_one_epoch_of_pass_and_fail_the_interval_is_bonett_and_price_s(
    only_first: int, only_second: int, tasks: int
) -> None:
    rest = tasks - only_first - only_second
    first = [1.0] * only_first + [0.0] * (only_second + rest)
    second = [0.0] * only_first + [1.0] * only_second + [0.0] * rest
    found = adjusted_paired(first, second)
    lost, won = (only_first + 1) / (tasks + 2), (only_second + 1) / (tasks + 2)
    half = 1.959964 * math.sqrt((lost + won - (won - lost) ** 2) / (tasks + 2))
    assert found is not None
    assert found.pair() == pytest.approx([won - lost - half, won - lost + half], abs=1e-6)


@given(pairs)
def test_turning_the_sides_round_turns_the_interval_round(rows: list[tuple[float, float]]) -> None:
    one, other = split(rows)
    there, back = adjusted_paired(one, other), adjusted_paired(other, one)
    assert there is not None
    assert back is not None
    assert there.pair() == pytest.approx([-back.high, -back.low], abs=1e-12)
    assert -1 <= there.low <= there.high <= 1


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_exact_binomial_test_of_the_kept_library(one: int, other: int) -> None:
    theirs = stats.binomtest(one, one + other).pvalue if one + other else 1.0
    assert mcnemar(one, other) == pytest.approx(theirs, abs=1e-12)
    assert 0 < mcnemar_mid(one, other) <= mcnemar(one, other)


def test_the_mid_p_variant_counts_half_of_what_was_seen() -> None:
    # 2 of 8: exact 2*(1+8+28)/256; of the 28 seen, half on each side goes.
    assert mcnemar_mid(2, 6) == pytest.approx(2 * 37 / 256 - 28 / 256)
    assert mcnemar_mid(3, 3) == pytest.approx(1 - 20 / 64 / 2)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=9))
def test_the_sign_flip_test_of_few_tasks_is_exact(rows: list[tuple[float, float]]) -> None:
    one, other = split(rows)
    gaps = np.array(other) - np.array(one)
    gaps = np.where(np.abs(gaps) < 1e-12, 0, gaps)
    sums = [
        abs(float(np.dot(gaps, [1 if mask >> place & 1 else -1 for place in range(len(gaps))])))
        for mask in range(2 ** len(gaps))
    ]
    exact = np.mean([each >= abs(float(gaps.sum())) * (1 - 1e-12) for each in sums])
    assert sign_flip_test(one, other) == pytest.approx(float(exact), abs=0.02)


def test_the_sign_flip_test_of_many_tasks_is_near_the_kept_library_s_and_never_nought() -> None:
    random = np.random.default_rng(8)
    one = random.random(60)
    other = np.clip(one + random.normal(0.03, 0.1, 60), 0, 1)
    theirs = stats.permutation_test(
        (other - one,), np.mean, permutation_type="samples", n_resamples=20_000, rng=2
    ).pvalue
    assert sign_flip_test(one, other) == pytest.approx(theirs, abs=0.01)
    assert 0 < sign_flip_test(np.zeros(100), np.ones(100)) <= 2 / 10_001


def test_last_bits_of_a_mean_are_no_difference() -> None:
    epochs = [0.1, 0.2, 0.3]
    one, other = float(np.mean(epochs)), float(np.mean(epochs[::-1])) + 1e-16
    found = paired_difference([one, 0.5], [other, 0.5])
    assert (found.better, found.worse, found.p_sign) == (0, 0, 1.0)


def test_ties_count_on_neither_side_of_the_sign_test() -> None:
    one, other = [0.0] * 6 + [0.5] * 50, [1.0] * 6 + [0.5] * 50
    assert sign_test(one, other) == pytest.approx(2 / 64)


@given(pairs)
def test_better_worse_and_equal_are_all_the_tasks(rows: list[tuple[float, float]]) -> None:
    one, other = split(rows)
    found = paired_difference(one, other, resamples=50)
    ties = sum(abs(b - a) < 1e-12 for a, b in rows)
    assert found.better + found.worse + ties == found.tasks == len(rows)
    assert found.difference == pytest.approx(found.second - found.first, abs=1e-9)


def test_one_task_is_compared_without_an_interval_and_none_is_refused() -> None:
    found = paired_difference([0.0], [1.0])
    assert (found.difference, found.interval, found.bootstrap) == (1.0, None, None)
    with pytest.raises(ValueError):
        paired_difference([], [])
    with pytest.raises(ValueError):
        paired_difference([0.5, 0.5], [0.5])


def test_the_share_of_the_gap_comes_with_a_paired_interval() -> None:
    random = np.random.default_rng(9)
    hard = random.random(200)
    none, standard, complete = (np.array(hard < each, dtype=float) for each in (0.06, 0.49, 0.75))
    found = gap_closed(none, standard, complete)
    assert found.share is not None
    assert found.interval is not None
    assert found.share in found.interval
    assert found.interval.high - found.interval.low < 0.2
    assert found.undefined == 0


def test_where_there_is_no_gap_no_share_of_it_is_closed() -> None:
    assert share_of_gap(0.5, 0.6, 0.5) is None
    found = gap_closed([0.5, 0.5], [1.0, 0.0], [0.5, 0.5])
    assert (found.share, found.interval, found.undefined) == (None, None, 1.0)


def test_resamples_without_a_gap_are_counted_and_not_made_up() -> None:
    found = gap_closed([0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0])
    assert found.interval is not None
    assert 0.1 < found.undefined < 0.5

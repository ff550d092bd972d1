"""Correlations are the kept library's; perfect ones claim no certainty."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from underspec.measure.association import kendall, mean_ranks, pearson, spearman

pairs = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=5, max_size=40)


@given(pairs)
def test_all_three_are_the_kept_library_s(rows: list[tuple[int, int]]) -> None:
    one, other = [row[0] for row in rows], [row[1] for row in rows]
    assume(len(set(one)) > 1)
    assume(len(set(other)) > 1)
    found = pearson(one, other)
    theirs = stats.pearsonr(one, other)
    assert found.r == pytest.approx(theirs.statistic, abs=1e-12)
    if found.interval is not None:
        assert found.interval.pair() == pytest.approx(list(theirs.confidence_interval()), abs=1e-9)
    assert spearman(one, other).r == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-12)
    assert kendall(one, other) == pytest.approx(stats.kendalltau(one, other).statistic, abs=1e-12)
    assert mean_ranks(one) == pytest.approx(stats.rankdata(one))


def test_intervals_of_rho_cover() -> None:
    random = np.random.default_rng(10)
    inside = 0
    # The population rho of a binormal with r is 6/pi * asin(r/2).
    truth = 6 / np.pi * np.arcsin(0.3)
    for _ in range(600):
        pair = random.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=60)
        found = spearman(pair[:, 0], pair[:, 1])
        assert found.interval is not None
        inside += truth in found.interval
    assert 0.92 < inside / 600 < 0.98


def test_what_does_not_vary_has_no_correlation_and_a_perfect_one_no_interval() -> None:
    assert pearson([1, 1, 1, 1], [1, 2, 3, 4]).r is None
    assert pearson([1], [2]).r is None
    assert kendall([1, 1], [1, 2]) is None
    found = spearman([1, 2, 3, 4, 5], [1, 4, 9, 16, 25])
    assert (found.r, found.interval) == (1.0, None)
    assert pearson([1, 2, 3], [1, 2, 4]).interval is None


def test_missing_values_and_other_lengths_are_refused() -> None:
    for one, other in (([1.0, float("nan")], [1.0, 2.0]), ([1.0, 2.0], [1.0])):
        with pytest.raises(ValueError):
            pearson(one, other)


def test_huge_values_do_not_overflow() -> None:
    assert pearson([1e300, 2e300, 3e300, 5e300], [1e-300, 2e-300, 3e-300, 5e-300]).r == pytest.approx(1.0)

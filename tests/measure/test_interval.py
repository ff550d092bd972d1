"""Intervals agree with the kept library where it has them, and with each other where they must."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from underspec.measure.interval import Interval, cluster_t, clustered_wilson, wilson

rates = st.lists(st.floats(0, 1), min_size=2, max_size=40)


@given(st.integers(0, 60), st.integers(1, 60))
def test_wilson_is_the_kept_library_s(passed: int, more: int) -> None:
    total = passed + more
    theirs = stats.binomtest(passed, total).proportion_ci(method="wilson")
    ours = wilson(passed, total)
    assert ours is not None
    assert ours.pair() == pytest.approx([theirs.low, theirs.high], abs=1e-12)


@given(rates)
def test_the_cluster_robust_interval_of_equal_tasks_is_the_t_interval_of_their_means(means: list[float]) -> None:
    assume(np.std(means) > 1e-6)
    theirs = stats.ttest_1samp(means, 0).confidence_interval()
    ours = cluster_t(means)
    assert ours is not None
    assert ours.pair() == pytest.approx([theirs.low, theirs.high], abs=1e-9)


@pytest.mark.parametrize(("passed", "total"), [(0, 8), (1, 8), (4, 10), (67, 100), (480, 480)])
def test_of_one_epoch_of_pass_and_fail_the_default_is_wilson_s_of_one_task_less_with_student_s_t(
    passed: int, total: int
) -> None:
    ours = clustered_wilson([1.0] * passed + [0.0] * (total - passed))
    assert ours is not None
    quantile, size, rate = stats.t.ppf(0.975, total - 1), total - 1, passed / total
    # The limits are where the distance from the rate is `quantile` standard errors of the limit itself.
    for limit in ours.pair():
        if 0 < limit < 1:
            error = np.sqrt(limit * (1 - limit) / size)
            assert abs(rate - limit) == pytest.approx(quantile * error, rel=1e-9)


@given(rates)
def test_the_default_holds_the_mean_stays_within_bounds_and_mirrors(means: list[float]) -> None:
    ours, mirrored = clustered_wilson(means), clustered_wilson([1 - each for each in means])
    assert ours is not None
    assert mirrored is not None
    assert 0 <= ours.low <= np.mean(means) + 1e-12
    assert np.mean(means) - 1e-12 <= ours.high <= 1
    assert ours.pair() == pytest.approx([1 - mirrored.high, 1 - mirrored.low], abs=1e-6)


@given(st.lists(st.integers(0, 1), min_size=10, max_size=40), st.integers(2, 5))
def test_repeating_the_same_verdict_in_every_epoch_adds_nothing(verdicts: list[int], epochs: int) -> None:
    once = clustered_wilson([float(each) for each in verdicts])
    # Five epochs that agree have the means of one; treated as independent they would have halved the interval.
    again = clustered_wilson([float(np.mean([each] * epochs)) for each in verdicts])
    assert once == again


def test_epochs_that_differ_within_tasks_narrow_the_interval() -> None:
    alternating = clustered_wilson([0.5] * 30 + [0.25] * 10 + [0.75] * 10)
    all_or_nothing = clustered_wilson([1.0] * 25 + [0.0] * 25)
    assert alternating is not None
    assert all_or_nothing is not None
    assert alternating.high - alternating.low < (all_or_nothing.high - all_or_nothing.low) / 2


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.5, 5)), min_size=2, max_size=30), st.floats(0.1, 10))
def test_only_the_proportions_of_weights_matter(tasks: list[tuple[float, float]], scale: float) -> None:
    means, weights = [each[0] for each in tasks], np.array([each[1] for each in tasks])
    one, other = clustered_wilson(means, weights), clustered_wilson(means, weights * scale)
    assert one is not None
    assert other is not None
    assert one.pair() == pytest.approx(other.pair(), abs=1e-6)


def test_equal_weights_change_nothing_and_a_task_of_weight_nought_is_none() -> None:
    means = [0.1, 0.5, 0.9, 0.4]
    assert clustered_wilson(means, [7, 7, 7, 7]) == clustered_wilson(means)
    assert clustered_wilson([*means, 1.0], [1, 1, 1, 1, 0]) == clustered_wilson(means)


def test_a_pooled_rate_that_one_huge_task_decides_is_hardly_known() -> None:
    span = clustered_wilson([0.5, 0.4, 0.6], [1e9, 1, 1])
    assert span is not None
    assert span.pair() == [0.0, 1.0]


def test_when_nothing_passed_the_interval_still_reaches_up() -> None:
    span = clustered_wilson([0.0] * 20)
    assert span is not None
    assert span.low == 0
    assert 0.1 < span.high < 0.25
    # One case in a thousand passed: no more is known of the tasks than when none had.
    almost = clustered_wilson([0.0] * 19 + [0.001])
    assert almost is not None
    assert almost.high == pytest.approx(span.high, abs=0.01)


@pytest.mark.parametrize("method", [cluster_t, clustered_wilson])
def test_fewer_than_two_tasks_have_no_interval_and_what_is_no_rate_is_refused(method: object) -> None:
    assert callable(method)
    assert method([]) is None
    assert method([0.5]) is None
    assert method([0.5, 0.5], [1, 0]) is None
    for wrong in ([1.5, 0.0], [float("nan"), 0.0], [[0.5, 0.5]]):
        with pytest.raises(ValueError):
            method(wrong)
    with pytest.raises(ValueError):
        method([0.5, 0.5], [1, -1])


def test_wilson_refuses_impossible_counts_and_has_nothing_to_say_of_nothing() -> None:
    assert wilson(0, 0) is None
    with pytest.raises(ValueError):
        wilson(3, 2)


def test_an_interval_knows_what_lies_in_it() -> None:
    span = Interval(0.2, 0.4, "x")
    assert 0.2 in span
    assert 0.41 not in span

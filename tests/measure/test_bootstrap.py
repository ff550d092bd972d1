"""The bootstrap resamples tasks, the same ones for everything measured on them, and repeats exactly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from underspec.measure.bootstrap import (
    bootstrap_mean,
    bootstrap_means,
    bootstrap_pooled,
    resample_counts,
    resampled_means,
    resampled_sums,
)


def test_each_resample_has_as_many_tasks_as_there_are() -> None:
    blocks = list(resample_counts(700, 2_000))
    assert len(blocks) > 1
    counts = np.concatenate(blocks)
    assert counts.shape == (2_000, 700)
    assert (counts.sum(axis=1) == 700).all()
    assert abs(counts.mean() - 1) < 1e-12
    # How often one task is drawn is binomial(700, 1/700): its variance is that of a Poisson count, nearly.
    assert counts.var() == pytest.approx(1, abs=0.02)


def test_the_same_seed_gives_the_same_interval_and_another_one_a_slightly_different_one() -> None:
    scores = np.random.default_rng(4).random(40)
    once, again, other = bootstrap_mean(scores), bootstrap_mean(scores), bootstrap_mean(scores, seed=1)
    assert once is not None
    assert other is not None
    assert once == again
    assert once != other
    assert once.pair() == pytest.approx(other.pair(), abs=0.01)


def test_columns_see_the_same_tasks_in_each_resample() -> None:
    scores = np.random.default_rng(5).random(30)
    means = resampled_means(np.column_stack([scores, scores + 0.25, 1 - scores]), 500)
    assert means[:, 1] - means[:, 0] == pytest.approx(0.25)
    assert means[:, 2] + means[:, 0] == pytest.approx(1)


def test_the_interval_is_near_the_kept_library_s() -> None:
    scores = np.random.default_rng(6).beta(0.5, 0.5, 60)
    theirs = stats.bootstrap((scores,), np.mean, method="percentile", n_resamples=10_000, rng=1).confidence_interval
    ours = bootstrap_mean(scores)
    assert ours is not None
    assert ours.pair() == pytest.approx([theirs.low, theirs.high], abs=0.006)


def test_a_pooled_rate_weighs_tasks_by_their_cases() -> None:
    passed, total = [90, 1, 1, 0], [100, 2, 2, 2]
    span = bootstrap_pooled(passed, total)
    assert span is not None
    assert 92 / 106 in span
    # Without the huge task a resample is about a third passed, with it nearly nine tenths.
    assert span.low < 0.5
    assert span.high < 0.9
    assert bootstrap_pooled([1, 0], [2, 0]) is None
    assert bootstrap_pooled([*passed, 0], [*total, 0]) == span


def test_fewer_than_two_tasks_have_no_interval_and_another_shape_is_refused() -> None:
    assert bootstrap_mean([]) is None
    assert bootstrap_mean([0.5]) is None
    for wrong in (np.zeros(3), np.zeros((0, 2))):
        with pytest.raises(ValueError):
            resampled_sums(wrong)


def test_many_columns_are_as_if_each_had_been_alone() -> None:
    table = np.random.default_rng(7).random((25, 3))
    alone = bootstrap_mean(table[:, 2])
    assert alone is not None
    assert bootstrap_means(table)[2].pair() == pytest.approx(alone.pair())

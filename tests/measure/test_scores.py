"""Epochs become a task's mean; tries become chances."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.measure.scores import (
    TaskScores,
    macro_pass_rate,
    matched,
    pass_at_k,
    pass_hat_k,
    pooled_pass_rate,
)


def test_epochs_are_averaged_within_their_task_whatever_their_number_and_order() -> None:
    scores = TaskScores.of([("b", 1.0), ("a", 0.0), ("b", 0.0), ("a", None), ("b", 0.5), ("c", None)])
    assert scores.tasks == ("a", "b")
    assert scores.means == pytest.approx([0.0, 0.5])
    assert scores.epochs == (1, 3)
    assert scores.mean == pytest.approx(0.25)
    assert TaskScores.of([]).mean is None


def test_matched_scores_are_of_the_same_tasks_in_the_same_order() -> None:
    one = TaskScores.of([("a", 0.1), ("b", 0.2), ("d", 0.4)])
    other = TaskScores.of([("d", 1.0), ("b", 0.5), ("c", 0.3)])
    left, right = matched(one, other)
    assert left.tasks == right.tasks == ("b", "d")
    assert left.means == pytest.approx([0.2, 0.4])
    assert right.means == pytest.approx([0.5, 1.0])
    assert matched(one, TaskScores.of([]))[0].tasks == ()


def test_pooled_rates_weigh_by_cases_and_macro_rates_do_not() -> None:
    passed, total = np.array([[1, 9], [0, 1]]), np.array([[1, 10], [9, 10]])
    assert pooled_pass_rate(passed, total) == pytest.approx([0.1, 0.5])
    assert macro_pass_rate(passed / total) == pytest.approx([0.5, 0.5])
    assert np.isnan(pooled_pass_rate([0], [0]))


@given(st.integers(1, 7), st.data())
def test_chances_are_the_shares_of_all_choices_of_k_tries(tried: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, tried))
    k = data.draw(st.integers(1, tried))
    tries = [1] * passed + [0] * (tried - passed)
    choices = list(itertools.combinations(tries, k))
    assert pass_at_k([passed], [tried], k)[0] == pytest.approx(sum(map(max, choices)) / len(choices))
    assert pass_hat_k([passed], [tried], k)[0] == pytest.approx(sum(map(min, choices)) / len(choices))


def test_chances_of_more_tries_than_were_made_are_unknown_and_large_counts_do_not_overflow() -> None:
    assert np.isnan(pass_at_k([1, 2], [2, 2], 3)).all()
    assert pass_at_k([3], [100_000], 50_000)[0] == pytest.approx(
        1 - math.comb(99_997, 50_000) / math.comb(100_000, 50_000)
    )
    with pytest.raises(ValueError):
        pass_at_k([3], [2], 1)
    with pytest.raises(ValueError):
        pass_hat_k([1], [2], 0)

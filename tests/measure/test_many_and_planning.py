"""Many comparisons are corrected; a plan's reach is what simulation finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from underspec.measure.many import benjamini_hochberg, holm
from underspec.measure.planning import (
    paired_spread,
    smallest_detectable_difference,
    spread_of_means,
    tasks_needed,
)

p_values = st.lists(st.floats(0, 1), max_size=20)


def test_holm_s_own_kind_of_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(p_values)
def test_corrected_values_keep_their_order_and_only_grow(values: list[float]) -> None:
    for corrected in (holm(values), benjamini_hochberg(values)):
        assert (corrected >= np.array(values) - 1e-15).all()
        assert (corrected <= 1).all()
        order = np.argsort(values, kind="stable")
        assert (np.diff(corrected[order]) >= 0).all()
    assert (benjamini_hochberg(values) <= holm(values) + 1e-12).all()


@given(p_values)
def test_benjamini_and_hochberg_s_is_the_kept_library_s(values: list[float]) -> None:
    assert benjamini_hochberg(values) == pytest.approx(stats.false_discovery_control(values) if values else [])


def test_what_is_no_p_value_is_refused() -> None:
    for wrong in ([1.2], [-0.1], [float("nan")]):
        with pytest.raises(ValueError):
            holm(wrong)


def test_the_smallest_detectable_difference_is_found_in_four_of_five_repetitions() -> None:
    spread = paired_spread(0.1, 0.2)
    assert spread == pytest.approx(np.sqrt(0.3 - 0.01))
    reach = smallest_detectable_difference(200, 0.4)
    random = np.random.default_rng(12)
    gaps = random.normal(reach, 0.4, (4_000, 200))
    z = gaps.mean(axis=1) / (0.4 / np.sqrt(200))
    assert np.mean(np.abs(z) > 1.96) == pytest.approx(0.8, abs=0.02)


@given(st.floats(0.01, 0.5), st.floats(0.05, 1.0))
def test_so_many_tasks_are_needed_that_one_less_would_not_do(difference: float, spread: float) -> None:
    tasks = tasks_needed(difference, spread)
    assert smallest_detectable_difference(tasks, spread) <= difference * (1 + 1e-6)
    if tasks > 1:
        assert smallest_detectable_difference(tasks - 1, spread) > difference * (1 - 1e-6)


def test_epochs_shrink_what_varies_within_tasks_alone() -> None:
    assert spread_of_means(0.3, 0.4, 1) == pytest.approx(0.5)
    assert spread_of_means(0.3, 0.4, 10_000) == pytest.approx(0.3, abs=1e-4)
    with pytest.raises(ValueError):
        tasks_needed(0.0, 0.3)
    with pytest.raises(ValueError):
        paired_spread(0.7, 0.7)

"""Agreement is what published worked examples say it is, and keeps the laws that it must keep."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from underspec.measure.agreement import (
    cohen_kappa,
    confusion_matrix,
    intraclass_correlations,
    kappa_by_task,
    score_agreement,
    weights_of,
)
from underspec.measure.alpha import krippendorff_alpha

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
"""Shrout and Fleiss (1979), Table 2: six subjects, four judges."""
NAN = math.nan
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
"""Krippendorff (2011), example C: four observers, twelve units."""
LABELS = ("correct", "partial", "incorrect")


def test_intraclass_correlations_are_those_of_shrout_and_fleiss() -> None:
    found = intraclass_correlations(SHROUT_FLEISS)
    assert (found.subjects, found.raters) == (6, 4)
    # Their ICC(3,1), ICC(2,1), ICC(3,4) and ICC(2,4), as printed.
    assert found.consistency.value == pytest.approx(0.71, abs=0.005)
    assert found.absolute.value == pytest.approx(0.29, abs=0.005)
    assert found.mean_consistency == pytest.approx(0.91, abs=0.005)
    assert found.mean_absolute == pytest.approx(0.62, abs=0.005)


def test_their_intervals_are_those_that_the_psych_package_prints_for_the_same_data() -> None:
    found = intraclass_correlations(SHROUT_FLEISS)
    assert found.consistency.interval is not None
    assert found.absolute.interval is not None
    assert found.consistency.interval.pair() == pytest.approx([0.342, 0.946], abs=0.001)
    assert found.absolute.interval.pair() == pytest.approx([0.019, 0.761], abs=0.001)


def test_a_constant_shift_leaves_consistency_and_costs_agreement() -> None:
    one = np.array([10.0, 30, 50, 80, 95, 20])
    table = np.column_stack([one, one + 20])
    found = intraclass_correlations(table)
    assert found.consistency.value == pytest.approx(1.0)
    assert found.absolute.value is not None
    assert found.absolute.value < 0.95


def test_subjects_that_some_did_not_rate_are_left_out_and_counted_so() -> None:
    with_gap = np.array([*SHROUT_FLEISS, [1.0, NAN, 2.0, 3.0]])
    assert intraclass_correlations(with_gap) == intraclass_correlations(SHROUT_FLEISS)


@pytest.mark.parametrize("table", [np.zeros((0, 3)), [[1.0, 2.0]], [[5.0, 5.0], [5.0, 5.0]], [[1.0], [2.0]]])
def test_what_does_not_vary_or_is_too_little_has_no_correlation(table: list[list[float]]) -> None:
    found = intraclass_correlations(table)
    assert found.consistency.value is None
    assert found.absolute.value is None


def test_the_interval_of_an_intraclass_correlation_holds_the_truth_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    held = {"consistency": 0, "absolute": 0}
    for _ in range(1000):
        subjects = random.normal(0, 1, (40, 1))
        raters = random.normal(0, 0.5, (1, 3))
        table = subjects + raters + random.normal(0, 1, (40, 3))
        found = intraclass_correlations(table)
        for name, truth in (("consistency", 0.5), ("absolute", 1 / 2.25)):
            interval = getattr(found, name).interval
            held[name] += truth in interval
    assert 930 <= held["consistency"] <= 970
    assert 920 <= held["absolute"] <= 980


def test_score_agreement_says_correlation_error_and_bias() -> None:
    found = score_agreement([60, 70, 80, 90, 40], [50, 75, 80, 70, 45], ["a", "a", "b", "c", "c"])
    assert found.pairs == 5
    assert found.mae == pytest.approx((10 + 5 + 0 + 20 + 5) / 5)
    assert found.rmse == pytest.approx(math.sqrt((100 + 25 + 0 + 400 + 25) / 5))
    assert found.bias == pytest.approx((10 - 5 + 0 + 20 - 5) / 5)
    assert found.pearson.r == pytest.approx(float(np.corrcoef([60, 70, 80, 90, 40], [50, 75, 80, 70, 45])[0, 1]))
    assert found.by_task is not None
    assert found.icc == intraclass_correlations(np.column_stack([[60, 70, 80, 90, 40], [50, 75, 80, 70, 45]]))


def test_alike_subjects_of_few_tasks_make_the_interval_by_task_wider() -> None:
    random = np.random.default_rng(2)
    tasks = np.repeat(np.arange(20), 10)
    shared = random.normal(0, 1, 20)
    one = shared[tasks] + random.normal(0, 0.2, 200)
    other = 0.5 * shared[tasks] + random.normal(0, 0.7, 20)[tasks] + random.normal(0, 0.2, 200)
    found = score_agreement(one, other, [str(task) for task in tasks])
    assert found.by_task is not None
    assert found.pearson.interval is not None
    wide, narrow = found.by_task.pair(), found.pearson.interval.pair()
    assert wide[1] - wide[0] > 1.5 * (narrow[1] - narrow[0])


def test_nothing_to_compare_is_no_agreement() -> None:
    found = score_agreement([], [], [])
    assert (found.pairs, found.pearson.r, found.by_task, found.mae, found.rmse) == (0, None, None, None, None)


def test_kappa_is_that_of_cohens_examples() -> None:
    # Cohen (1968), Table 1: 200 diagnoses by two psychiatrists; disagreement counts 1, 3 and 6.
    counts = np.array([[0.44, 0.07, 0.09], [0.05, 0.20, 0.05], [0.01, 0.03, 0.06]]) * 200
    weights = 1 - np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]]) / 6
    assert cohen_kappa(counts).value == pytest.approx(0.492, abs=0.0005)
    assert cohen_kappa(counts, weights).value == pytest.approx(0.348, abs=0.0005)


def test_kappas_interval_is_that_of_fleiss_book() -> None:
    # Fleiss, Levin and Paik, "Statistical methods for rates and proportions", Table 18.1: kappa .68, from .51 to .85.
    found = cohen_kappa([[75, 1, 4], [5, 4, 1], [0, 0, 10]])
    assert found.value == pytest.approx(0.68, abs=0.005)
    assert found.interval is not None
    assert found.interval.pair() == pytest.approx([0.51, 0.85], abs=0.006)


@pytest.mark.parametrize("weighting", ["none", "linear", "quadratic"])
def test_kappas_interval_holds_the_truth_as_often_as_it_says(weighting: str) -> None:
    shares = np.array([[0.40, 0.08, 0.02], [0.06, 0.15, 0.05], [0.02, 0.04, 0.18]])
    weights = weights_of(3, weighting)  # type: ignore[arg-type]
    truth = cohen_kappa(shares, weights).value
    assert truth is not None
    drawn = np.random.default_rng(3).multinomial(200, shares.ravel(), size=2000).reshape(-1, 3, 3)
    held = 0
    for counts in drawn:
        interval = cohen_kappa(counts, weights).interval
        assert interval is not None
        held += truth in interval
    assert 0.93 <= held / 2000 <= 0.97


def test_quadratic_weights_make_kappa_an_intraclass_correlation_of_many_subjects() -> None:
    # Fleiss and Cohen (1973): they are the same but for a term in 1/n.
    counts = np.array([[40, 8, 2], [6, 15, 5], [2, 4, 18]]) * 500
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(int(counts[i, j]))]
    kappa, icc = cohen_kappa(counts, weights_of(3, "quadratic")).value, intraclass_correlations(pairs).absolute.value
    assert kappa == pytest.approx(icc, abs=1e-4)


def test_one_label_throughout_has_no_kappa_and_perfect_agreement_no_interval() -> None:
    assert cohen_kappa([[7, 0], [0, 0]]).value is None
    assert cohen_kappa([[0, 0], [0, 0]]).value is None
    perfect = cohen_kappa([[4, 0], [0, 5]])
    assert (perfect.value, perfect.interval) == (1.0, None)


def test_a_confusion_matrix_counts_rows_by_the_first_rater() -> None:
    found = confusion_matrix(["correct", "correct", "partial"], ["partial", "correct", "incorrect"], LABELS)
    assert found == [[1, 1, 0], [0, 0, 1], [0, 0, 0]]
    with pytest.raises(ValueError, match="'right' is none of the labels"):
        confusion_matrix(["right"], ["correct"], LABELS)
    with pytest.raises(ValueError):
        confusion_matrix(["correct"], [], LABELS)


def test_kappa_by_task_resamples_tasks() -> None:
    random = np.random.default_rng(4)
    first = [LABELS[each] for each in random.integers(0, 3, 120)]
    second = [one if random.random() < 0.7 else LABELS[random.integers(0, 3)] for one in first]
    tasks = [str(each // 10) for each in range(120)]
    interval = kappa_by_task(first, second, LABELS, tasks, weights_of(3, "linear"))
    kappa = cohen_kappa(confusion_matrix(first, second, LABELS), weights_of(3, "linear")).value
    assert interval is not None
    assert kappa is not None
    assert kappa in interval
    assert interval == kappa_by_task(first, second, LABELS, tasks, weights_of(3, "linear"))
    assert kappa_by_task(first[:20], second[:20], LABELS, tasks[:20]) is None


@pytest.mark.parametrize(("metric", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_that_of_krippendorffs_example(metric: str, printed: float) -> None:
    found = krippendorff_alpha(np.array(KRIPPENDORFF).T, metric)  # type: ignore[arg-type]
    assert found.value == pytest.approx(printed, abs=0.0005)
    assert found.interval is not None
    assert printed in found.interval


def test_alpha_of_what_one_person_rated_or_all_rated_alike_is_none() -> None:
    assert krippendorff_alpha([[1.0, NAN], [2.0, NAN]], "interval").value is None
    for metric in ("nominal", "ordinal", "interval"):
        assert krippendorff_alpha([[3.0, 3.0], [3.0, 3.0]], metric).value is None


scores = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100), st.integers(0, 100)), min_size=3, max_size=20)


@settings(max_examples=60, deadline=None)
@given(scores, st.integers(1, 9), st.integers(-50, 50))
def test_agreement_does_not_depend_on_unit_zero_point_or_order(
    table: list[tuple[int, int, int]], scale: int, shift: int
) -> None:
    given_table = np.array(table, dtype=np.float64)
    one, other = intraclass_correlations(given_table), intraclass_correlations(given_table[::-1, ::-1] * scale + shift)
    assert one.absolute.value == pytest.approx(other.absolute.value, abs=1e-6)
    assert one.consistency.value == pytest.approx(other.consistency.value, abs=1e-6)
    if one.consistency.value is not None:
        assert -1 <= one.consistency.value <= 1 + 1e-12
    if one.consistency.value is not None and one.consistency.interval is not None:
        assert one.consistency.value in one.consistency.interval


confusions = st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=3, max_size=3)


@settings(max_examples=100, deadline=None)
@given(confusions, st.sampled_from(["none", "linear", "quadratic"]))
def test_kappa_is_the_same_from_either_side_and_never_above_one(counts: list[list[int]], weighting: str) -> None:
    weights = weights_of(3, weighting)  # type: ignore[arg-type]
    one, other = cohen_kappa(counts, weights), cohen_kappa(np.array(counts).T, weights)
    assert one.value == pytest.approx(other.value)
    if one.value is not None:
        assert -1 - 1e-9 <= one.value <= 1

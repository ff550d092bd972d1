"""What SWE-Clar prints comes out of these functions; figures are quoted from its Tables 2, 6, 7, 10 and 11 and 3.3."""

from __future__ import annotations

import numpy as np
import pytest

from underspec.measure.association import pearson
from underspec.measure.bootstrap import bootstrap_mean, bootstrap_means
from underspec.measure.conversation import clarification_timing, supervisor_transitions
from underspec.measure.interval import clustered_wilson
from underspec.measure.paired import differences, mcnemar, share_of_gap
from underspec.measure.scores import TaskScores

TABLE_2 = {
    "GPT-6 Astra": (67, (58, 76), 87.5),
    "Claude Opus 5": (63, (53, 72), 84.0),
    "Claude Fable 5.1": (60, (50, 69), 84.3),
    "GPT-5.6 Sol": (57, (47, 67), 78.1),
    "Qwen-3.8 Max": (55, (45, 64), 81.3),
    "GLM-5.3": (54, (44, 64), 76.8),
    "Kimi K3": (49, (39, 59), 76.9),
    "GPT-5.6 Luna": (49, (39, 59), 71.8),
    "GLM-5.3 Flash": (39, (30, 49), 73.2),
}
"""Tasks passed of 100, the printed interval, the clarification score (Table 2)."""

TABLE_10 = {"GPT-5.6 Luna": (49, 26, 30, 7), "GLM-5.3 Flash": (39, 13, 29, 3)}
"""Tasks passed with clarification before coding, with continued clarification, and only with either (Appendix D)."""


def verdicts(passed: int) -> list[float]:
    return [1.0] * passed + [0.0] * (100 - passed)


def paired_verdicts(only_first: int, only_second: int, both: int) -> tuple[list[float], list[float]]:
    neither = 100 - only_first - only_second - both
    first = [1.0] * only_first + [0.0] * only_second + [1.0] * both + [0.0] * neither
    second = [0.0] * only_first + [1.0] * only_second + [1.0] * both + [0.0] * neither
    return first, second


def test_the_nine_implementation_intervals_of_table_2_come_out_within_a_point() -> None:
    table = np.column_stack([verdicts(passed) for passed, _span, _score in TABLE_2.values()])
    for found, (_passed, printed, _score) in zip(bootstrap_means(table), TABLE_2.values(), strict=True):
        assert [100 * end for end in found.pair()] == pytest.approx(printed, abs=1.0)


def test_the_default_interval_is_near_the_printed_ones() -> None:
    for passed, printed, _score in TABLE_2.values():
        found = clustered_wilson(verdicts(passed))
        assert found is not None
        assert [100 * end for end in found.pair()] == pytest.approx(printed, abs=2.0)


def test_the_two_scores_of_the_nine_models_correlate_with_r_of_0_89() -> None:
    found = pearson([each[0] for each in TABLE_2.values()], [each[2] for each in TABLE_2.values()])
    assert found.r == pytest.approx(0.89, abs=0.005)
    assert found.interval is not None
    assert 0.5 < found.interval.low < 0.6
    assert 0.97 < found.interval.high < 0.98


@pytest.mark.parametrize(("none", "standard", "complete", "closed"), [(6.0, 49.0, 75.0, 62.3), (5.0, 39.0, 71.0, 51.5)])
def test_the_standard_protocol_closes_the_share_of_the_gap_that_section_3_3_says(
    none: float, standard: float, complete: float, closed: float
) -> None:
    share = share_of_gap(none, standard, complete)
    assert share is not None
    assert 100 * share == pytest.approx(closed, abs=0.05)


@pytest.mark.parametrize(("model", "difference"), [("GPT-5.6 Luna", 23), ("GLM-5.3 Flash", 26)])
def test_the_paired_counts_of_table_10_give_its_differences_with_intervals_and_exact_tests(
    model: str, difference: int
) -> None:
    before, continued, only_before, only_continued = TABLE_10[model]
    one, other = paired_verdicts(only_before, only_continued, before - only_before)
    assert (sum(one), sum(other)) == (before, continued)
    names = [f"task-{place:03}" for place in range(100)]
    timing = clarification_timing(
        TaskScores.of(zip(names, one, strict=True)), TaskScores.of(zip(names, other, strict=True))
    )
    found = timing.implementation
    assert (timing.only_before, timing.only_continued) == (only_before, only_continued)
    assert 100 * found.difference == pytest.approx(difference)
    assert found.interval is not None
    assert found.bootstrap is not None
    for span in (found.interval, found.bootstrap):
        assert span.low > 0.1
        assert span.high < 0.37
        assert found.difference in span
    # The exact tail of a fair coin, summed by hand: 2 * P(X <= 7 of 37), 2 * P(X <= 3 of 32).
    assert found.p_sign == mcnemar(only_continued, only_before)
    exact = {"GPT-5.6 Luna": 0.000191, "GLM-5.3 Flash": 0.00000256}[model]
    assert found.p_sign == pytest.approx(exact, rel=0.01)
    assert found.p_sign_flip < 0.001


@pytest.mark.parametrize(
    ("first", "second", "printed"),
    [(6, 49, (33.0, 53.0)), (49, 75, (14.0, 37.0)), (5, 39, (25.0, 43.0)), (39, 71, (20.0, 43.0))],
)
def test_the_printed_paired_intervals_of_table_7_can_be_had_from_its_scores(
    first: int, second: int, printed: tuple[float, float]
) -> None:
    # How many tasks only the poorer condition passes is not printed; the interval tells it.
    fits = []
    for lost in range(min(first, 100 - second) + 1):
        one, other = paired_verdicts(lost, second - first + lost, first - lost)
        span = bootstrap_mean(differences(one, other), resamples=2_000)
        assert span is not None
        fits.append(max(abs(100 * a - b) for a, b in zip(span.pair(), printed, strict=True)))
    assert min(fits) <= 1.0


def test_the_shares_of_table_11_are_counts_of_its_561_questions() -> None:
    revised = [(False, True)] * 258 + [(True, False)] * 16 + [(True, True)] * 245 + [(False, False)] * 42
    found = supervisor_transitions([*revised, (None, True)])
    shares = found.shares()
    assert shares is not None
    assert {name: round(100 * share, 1) for name, share in shares.items()} == {
        "corrected": 46.0,
        "harmed": 2.9,
        "kept_correct": 43.7,
        "kept_incorrect": 7.5,
    }
    assert (found.assessed, found.unassessed) == (561, 1)
    assert found.p_value < 1e-50

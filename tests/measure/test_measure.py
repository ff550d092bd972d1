"""Rates have everything planned in their denominator."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.artifact.outcomes import CaseOutcome, GradedCase, Outcomes, SuiteName
from underspec.artifact.session import SessionLog, Turn
from underspec.measure.functional import bounds, macro, pooled
from underspec.measure.interaction import interaction


def _outcomes(task: str, native: tuple[int, int], enhanced: tuple[int, int], public: int = 0) -> Outcomes:
    """``(passed, total)`` a suite; the first ``public`` native cases are public ones."""
    cases = []
    counts: list[tuple[SuiteName, tuple[int, int]]] = [("native", native), ("enhanced", enhanced)]
    for suite, (passed, total) in counts:
        for index in range(total):
            outcome = CaseOutcome.PASS if index < passed else CaseOutcome.MISMATCH
            hidden = suite == "enhanced" or index >= public
            cases.append(GradedCase(suite=suite, file="f", index=index, outcome=outcome, hidden=hidden))
    return Outcomes(task=task, task_digest="", deliverable=None, image="host:x", cases=tuple(cases), suites=())


def test_overall_pools_native_and_enhanced_case_by_case() -> None:
    outcomes = _outcomes("t", (4, 4), (0, 12))
    assert outcomes.overall.model_dump() == {"passed": 4, "total": 16, "rate": 0.25}


def test_hidden_is_everything_but_the_public_cases() -> None:
    hidden = _outcomes("t", (4, 4), (3, 6), public=2).suite("hidden")
    assert len(hidden) == 8
    assert sum(case.outcome is CaseOutcome.PASS for case in hidden) == 5


def test_a_large_task_weighs_more_in_the_pooled_rate_and_the_same_in_the_macro_rate() -> None:
    outcomes = [_outcomes("small", (1, 1), (1, 1)), _outcomes("large", (0, 9), (0, 9))]
    assert pooled(outcomes, "overall").rate == pytest.approx(2 / 20)
    assert macro(outcomes, "overall") == pytest.approx(0.5)


def test_epochs_of_one_task_are_averaged_before_tasks_are() -> None:
    outcomes = [_outcomes("a", (1, 1), (0, 0)), _outcomes("a", (0, 1), (0, 0)), _outcomes("b", (1, 1), (0, 0))]
    assert macro(outcomes, "overall") == pytest.approx(0.75)


@given(st.lists(st.floats(0, 1), max_size=20), st.integers(0, 20))
def test_the_mean_lies_within_its_bounds_whatever_the_unscored_would_have_got(
    scored: list[float], unscored: int
) -> None:
    span = bounds(scored, unscored)
    if span.low is None or span.high is None:
        assert not scored
        assert unscored == 0
        return
    for fate in (0.0, 0.5, 1.0):
        mean = (sum(scored) + fate * unscored) / (len(scored) + unscored)
        assert span.low - 1e-9 <= mean <= span.high + 1e-9


def _session(
    turns: list[tuple[tuple[str, ...], bool]], hidden: tuple[str, ...] = ("C1", "C2", "C3", "C4")
) -> SessionLog:
    made = tuple(
        Turn(number=place, question="?", reply="!", matched=matched, fallback=fallback, remaining=16 - place)
        for place, (matched, fallback) in enumerate(turns, 1)
    )
    return SessionLog(task="t", level="L1", router="lexical", budget=16, hidden_ids=hidden, turns=made)


def test_coverage_counts_each_hidden_id_once_and_nothing_else() -> None:
    rates = interaction(_session([(("C1", "SIG"), False), (("C1", "C2"), False), ((), True)]))
    assert rates.coverage == pytest.approx(0.5)
    assert rates.fallback_rate == pytest.approx(1 / 3)
    assert rates.budget_use == pytest.approx(3 / 16)


def test_a_session_in_which_nothing_was_asked_has_coverage_nought_and_no_fallback_rate() -> None:
    rates = interaction(_session([]))
    assert (rates.coverage, rates.fallback_rate, rates.budget_use) == (0.0, None, 0.0)

"""What is unknown stays unknown, and nothing falls out of a figure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.artifact.outcomes import CaseOutcome, GradedCase, Outcomes, SuiteEnd, SuiteName, SuiteState
from underspec.measure.distributions import (
    counts_by_group,
    describe,
    describe_columns,
    histogram,
    log_histogram,
    usage,
)
from underspec.measure.failure_modes import failure_modes


def test_a_summary_says_how_many_it_knows_nothing_of() -> None:
    found = describe([4, 318, None, 61])
    assert (found.number, found.missing, found.least, found.greatest) == (3, 1, 4, 318)
    assert (found.median, found.total) == (61, 383)
    assert found.mean == pytest.approx(383 / 3)
    empty = describe([None])
    assert (empty.number, empty.missing, empty.mean, empty.median) == (0, 1, None, None)


def test_columns_are_summarised_apart_and_a_task_without_one_counts_as_missing() -> None:
    found = describe_columns([{"files": 4, "loc": 318}, {"loc": 1509, "l1_tokens": 900}])
    assert list(found) == ["files", "loc", "l1_tokens"]
    assert (found["files"].number, found["files"].missing) == (1, 1)
    assert found["loc"].mean == pytest.approx(913.5)


def test_groups_come_by_size_and_then_by_name() -> None:
    assert list(counts_by_group(["web", "cli", "web", "api", "cli", "web"]).items()) == [
        ("web", 3),
        ("cli", 2),
        ("api", 1),
    ]


@given(st.lists(st.integers(1, 3_000_000), min_size=1, max_size=50), st.integers(1, 4))
def test_every_value_is_in_one_bin_of_the_histogram(values: list[int], per_decade: int) -> None:
    found = log_histogram(values, per_decade)
    assert sum(found.counts) == len(values)
    assert len(found.edges) == len(found.counts) + 1
    assert list(found.edges) == sorted(found.edges)


def test_decades_begin_at_powers_of_ten_and_what_a_figure_would_not_show_is_refused() -> None:
    assert log_histogram([1000, 10_000], 1).counts == (2,)
    assert log_histogram([999, 1000, 35_533], 1).counts == (1, 1, 1)
    assert log_histogram([]).edges == ()
    with pytest.raises(ValueError):
        histogram([0.5, 7], [0, 1])
    with pytest.raises(ValueError):
        log_histogram([0, 1])


def test_usage_is_a_mean_over_tasks_and_unknown_where_any_is_unknown() -> None:
    found = usage([("a", 10.0), ("a", 30.0), ("b", 40.0)])
    assert found.mean == pytest.approx(30)
    assert found.items.mean == pytest.approx(80 / 3)
    assert found.interval is not None
    assert found.interval.pair() == pytest.approx([20, 40])
    partly = usage([("a", 10.0), ("a", None), ("b", 40.0)])
    assert partly.mean is None
    assert partly.known_mean == pytest.approx(25)


def outcomes(passed: bool, **states: tuple[SuiteState, ...]) -> Outcomes:
    suites: tuple[SuiteName, ...] = ("public", "native", "enhanced")
    outcome = CaseOutcome.PASS if passed else CaseOutcome.MISMATCH
    cases = tuple(GradedCase(suite=suite, file="f", index=0, outcome=outcome, hidden=True) for suite in suites)
    ends = tuple(SuiteEnd(suite=suite, exit_code=0, states=states.get(suite, ())) for suite in suites)
    return Outcomes(task="t", task_digest="", deliverable=None, image="", cases=cases, suites=ends)


def test_failure_modes_overlap_and_are_counted_by_suite_and_by_deliverable() -> None:
    found = failure_modes(
        [
            outcomes(True),
            outcomes(
                False,
                public=(SuiteState.MISMATCH, SuiteState.MISSING),
                native=(SuiteState.EXEC_BUILD, SuiteState.EXEC_MEMORY),
            ),
            outcomes(False, native=(SuiteState.NO_TEST,), enhanced=(SuiteState.MISMATCH,)),
        ]
    )
    assert (found.deliverables, found.clean) == (3, 1)
    assert found.modes["public"] == {"mismatch": 1, "missing": 1, "exec": 0, "no_test": 0}
    assert found.modes["native"] == {"mismatch": 0, "missing": 0, "exec": 1, "no_test": 1}
    assert found.exec_causes["native"] == {"build": 1, "memory": 1}
    assert found.any_suite == {"mismatch": 2, "missing": 1, "exec": 1, "no_test": 1}

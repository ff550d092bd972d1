"""Answers count by task or by unit, as each table says, and what was not judged is no wrong answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.measure.answers import (
    LABELS,
    UnitResult,
    after_disclosure,
    clarification_by_task,
    clarification_score,
    joint_distribution,
    label_counts,
    strict_correctness,
    unit_pass_rate,
)

UNITS = [
    UnitResult("a", "RU-1", "correct", True, disclosed=True),
    UnitResult("a", "RU-2", "partial", True, disclosed=False),
    UnitResult("a", "RU-3", "incorrect", False, disclosed=True),
    UnitResult("a", "RU-4", None, False, disclosed=True),
    UnitResult("b", "RU-1", "partial", False),
    UnitResult("c", "RU-1", None, None),
]


def test_scores_are_averaged_within_tasks_and_then_over_them() -> None:
    assert clarification_score(UNITS) == pytest.approx(0.5)
    assert clarification_by_task(UNITS) == [("a", pytest.approx(0.5)), ("b", 0.5)]
    assert strict_correctness(UNITS) == pytest.approx((1 / 3 + 0) / 2)
    assert unit_pass_rate(UNITS) == pytest.approx((2 / 4 + 0) / 2)


def test_labels_are_counted_by_unit_and_the_unjudged_beside_them() -> None:
    assert label_counts(UNITS) == {"correct": 1, "partial": 2, "incorrect": 1, "unjudged": 2}


def test_the_joint_distribution_has_all_units_below_its_cells_and_a_label_s_units_below_its_rate() -> None:
    joint = joint_distribution(UNITS)
    assert (joint.units, joint.left_out) == (4, 2)
    assert joint.share("partial", passed=True) == pytest.approx(1 / 4)
    assert joint.pass_rate("partial") == pytest.approx(1 / 2)
    assert joint.pass_rate("incorrect") == 0.0
    assert joint_distribution([]).pass_rate("correct") is None
    assert joint_distribution([]).share("correct", passed=True) is None


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.booleans()), min_size=1, max_size=60))
def test_the_six_cells_are_everything(cells: list[tuple[str, bool]]) -> None:
    joint = joint_distribution([UnitResult("t", str(place), *cell) for place, cell in enumerate(cells)])
    shares = [joint.share(label, passed=passed) for label in LABELS for passed in (True, False)]
    assert sum(share or 0 for share in shares) == pytest.approx(1)


def test_after_disclosure_only_what_was_told_in_full_counts() -> None:
    found = after_disclosure(UNITS)
    assert (found.units, found.unjudged) == (2, 1)
    assert (found.correct, found.partial, found.incorrect) == (0.5, 0.0, 0.5)
    nothing = after_disclosure([])
    assert (nothing.units, nothing.correct) == (0, None)


def test_an_unknown_label_is_refused() -> None:
    with pytest.raises(ValueError):
        UnitResult("a", "RU-1", "Correct", True)


def test_nothing_has_no_score() -> None:
    assert clarification_score([]) is None
    assert unit_pass_rate([UnitResult("a", "RU-1", "correct", None)]) is None

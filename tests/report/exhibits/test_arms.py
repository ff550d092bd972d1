"""Which arms stand together."""

from __future__ import annotations

from tests.report.exhibits.sample import built, evidence_of
from underspec.artifact.condition import Condition
from underspec.report.exhibits.arms import builds, widest

SPLITS = tuple((f"{letter}-1", f"{letter}-2") for letter in "nemtrackzq")


def test_of_equally_wide_plans_the_one_that_comes_first_is_kept() -> None:
    """Plans are sets of names, whose order no two processes share; with ten of them chance would be found out."""
    conditions = [Condition(agent=f"agent-{place}") for place in range(len(SPLITS))]
    found = [
        built(each, task, {"native": (1, 1)}) for each, split in zip(conditions, SPLITS, strict=True) for task in split
    ]
    assert [arm.agent for arm in widest(builds(evidence_of(found)))] == ["agent-0"]

"""What grading costs beyond the deliverable's own programs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from underspec.grade.grader import Grade, grade_in_full
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.sandbox.protocol import Owner
from underspec.selftest.deliverables.toy import honest, toy_task

pytestmark = pytest.mark.sandbox

TASK = toy_task()


def grade(deliverable: Path) -> Grade:
    owner = Owner(run="tests", purpose="grade")
    graded = asyncio.run(grade_in_full(TASK, deliverable, BubblewrapBackend(), image="host", owner=owner))
    assert graded.outcomes.clean
    return graded


def seconds(graded: Grade) -> float:
    return sum(timings.total for timings in graded.timings.values())


def add_files(root: Path) -> None:
    """20,000 files of 8 kB; hard links, which a sandbox cannot tell from others, are made faster."""
    first = root / "first.dat"
    first.write_bytes(bytes(8000))
    for folder in range(100):
        (root / f"vendor{folder}").mkdir()
        for file in range(200):
            (root / f"vendor{folder}" / f"{file}.dat").hardlink_to(first)


def test_overhead_is_under_half_a_second_and_twenty_thousand_files_cost_at_most_half_as_much_again(
    tmp_path: Path,
) -> None:
    small, large = honest(tmp_path / "small"), honest(tmp_path / "large")
    add_files(large)
    # Turn about, and as often as it takes, for other work on the machine can only make a round slower.
    overheads, ratios = [], []
    for _ in range(8):
        one, other = grade(small), grade(large)
        overheads.append(one.overhead)
        ratios.append(seconds(other) / seconds(one))
        if min(overheads) < 0.5 and min(ratios) <= 1.5:
            break
    assert min(overheads) < 0.5
    assert min(ratios) <= 1.5

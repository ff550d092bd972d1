"""Every deliverable of the corpus, graded for real: the hostile gets what it deserves, the honest beside it all."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path

import pytest

from underspec.artifact.outcomes import Outcomes
from underspec.grade.grader import grade_deliverable
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.sandbox.protocol import Owner
from underspec.selftest.deliverables import forged, havoc, outputs, scripts, trees
from underspec.selftest.deliverables.pairs import MEMORY, Deliverable, Pair
from underspec.selftest.deliverables.toy import INPUTS, TOTALS, toy_task

pytestmark = pytest.mark.sandbox

PAIRS = [*outputs.PAIRS, *forged.PAIRS, *trees.PAIRS, *scripts.PAIRS, *havoc.PAIRS]
# The plain honest deliverable stands beside many, and is graded once.
HONEST = list({pair.honest.build: pair for pair in PAIRS}.values())


@functools.cache
def memory_is_limited() -> bool:
    """Whether control groups say who met the memory limit; an ordinary user may lack the right to make any."""
    return any(check.name == "memory limit" and check.ok for check in BubblewrapBackend().checks())


def grade(pair: Pair, deliverable: Deliverable, folder: Path) -> Outcomes:
    folder.mkdir()
    deliverable.build(folder)
    task = toy_task({name: INPUTS[name] for name in pair.suites}, **pair.limits)
    owner = Owner(run="tests", purpose="grade")
    return asyncio.run(grade_deliverable(task, folder, BubblewrapBackend(), image="host", owner=owner))


def check(pair: Pair, deliverable: Deliverable, outcomes: Outcomes) -> None:
    passed = {name: outcomes.rate_of(outcomes.suite(name)).passed for name in pair.suites}
    ends = [(end.suite, end.exit_code, end.signal, end.limit, *end.states) for end in outcomes.suites]
    assert passed == {name: deliverable.deserves[name] for name in pair.suites}, ends
    assert len(outcomes.cases) == sum(TOTALS[name] for name in pair.suites)
    if deliverable.states is not None and (MEMORY not in deliverable.states or memory_is_limited()):
        seen = {str(state) for end in outcomes.suites for state in end.states}
        assert seen == deliverable.states, ends


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_hostile(pair: Pair, tmp_path: Path) -> None:
    check(pair, pair.hostile, grade(pair, pair.hostile, tmp_path / "deliverable"))


@pytest.mark.parametrize("pair", HONEST, ids=lambda pair: f"beside: {pair.name}")
def test_honest(pair: Pair, tmp_path: Path) -> None:
    check(pair, pair.honest, grade(pair, pair.honest, tmp_path / "deliverable"))


def test_names_of_pairs_are_unique() -> None:
    assert len({pair.name for pair in PAIRS}) == len(PAIRS)

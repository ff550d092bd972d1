"""The same deliverable has the same outcome on both backends, whatever it is up to."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from underspec.grade.grader import grade_deliverable
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import Owner
from underspec.selftest.deliverables import forged, havoc, outputs, scripts, trees
from underspec.selftest.deliverables.pairs import Deliverable, Pair
from underspec.selftest.deliverables.toy import INPUTS, toy_task

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.usefixtures("container_engine"),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]

PAIRS = [*outputs.PAIRS, *forged.PAIRS, *trees.PAIRS, *scripts.PAIRS, *havoc.PAIRS]
# Quick enough for every day.
DAILY = [outputs.PAIRS[0], havoc.PAIRS[0]]


def grade(backend: str, pair: Pair, deliverable: Deliverable, folder: Path) -> bytes:
    folder.mkdir()
    deliverable.build(folder)
    task = toy_task({name: INPUTS[name] for name in pair.suites}, **pair.limits)
    owner = Owner(run="tests", purpose="grade")
    graded = grade_deliverable(task, folder, load_backend(backend), image="host", owner=owner)
    return asyncio.run(graded).to_bytes()


def check(pair: Pair, folder: Path) -> None:
    for role, deliverable in (("hostile", pair.hostile), ("honest", pair.honest)):
        on = {backend: grade(backend, pair, deliverable, folder / f"{role}-{backend}") for backend in BACKENDS}
        assert on["docker"] == on["bubblewrap"], role


BACKENDS = ("bubblewrap", "docker")


@pytest.mark.parametrize("pair", DAILY, ids=lambda pair: pair.name)
def test_a_few_of_the_corpus(pair: Pair, tmp_path: Path) -> None:
    check(pair, tmp_path)


@pytest.mark.proof
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_whole_corpus(pair: Pair, tmp_path: Path) -> None:
    check(pair, tmp_path)

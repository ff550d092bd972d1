"""A whole benchmark is exported within bounds."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from tests.cli.command import underspec
from tests.report.export.sample import build_run
from underspec.artifact.condition import Condition


@pytest.mark.proof
@pytest.mark.timeout(1800)
def test_480_tasks_of_six_models_take_less_than_a_minute_and_a_gigabyte(tmp_path: Path) -> None:
    conditions = [Condition(agent="react", model=f"maker/m-{place}") for place in range(6)]
    tasks = [f"task-{place:03}" for place in range(480)]
    run = build_run(tmp_path / "run", conditions, tasks, cases=33, questions=6, calls=20)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = underspec("export", run, "--out", tmp_path / "out", "--json", timeout=900)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = done.json()["tables"]
    assert (told["items"]["rows"], told["cases"]["rows"], told["calls"]["rows"]) == (2880, 100_800, 60_480)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 60
    # Of all children so far; none of the others comes near.
    assert after.ru_maxrss * 1024 < 1e9

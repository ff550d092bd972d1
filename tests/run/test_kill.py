"""``kill -9`` at random points, then the same command: nothing lost, nothing twice, nothing left behind."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.run.toy_agents import attempts_that_published, published
from tests.task_factory import make_task

pytestmark = pytest.mark.sandbox
EPOCHS = 3


def _command(run: Path, task: Path) -> list[str]:
    return [sys.executable, "-m", "tests.run.victim", str(run), str(task), str(EPOCHS)]


def _leftovers(marker: str) -> list[str]:
    """Processes whose command line or environment names our test's folder, and sandbox folders of the backend."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if marker.encode() in (folder / "cmdline").read_bytes():
                    found.append(f"process {folder.name}")
            except OSError:
                continue
    return found


def _kill_rounds(tmp_path: Path, rounds: int, seed: int) -> None:
    chance = random.Random(seed)
    task = make_task(tmp_path)
    # Where this run's sandboxes keep their state: nobody else's are in it.
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    started = time.monotonic()
    subprocess.run(_command(tmp_path / "calm", task), check=True, timeout=300, env=environment)
    calm_seconds = time.monotonic() - started
    finished: set[str] = set()
    run = tmp_path / "stormy"
    for _ in range(rounds):
        process = subprocess.Popen(_command(run, task), stderr=subprocess.DEVNULL, env=environment)
        try:
            process.wait(timeout=chance.uniform(0.1, 0.9) * calm_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        now = set(published(run)) if (run / "items").exists() else set()
        assert finished <= now, "the finished set shrank"
        finished = now
    subprocess.run(_command(run, task), check=True, timeout=300, env=environment)
    assert published(run) == published(tmp_path / "calm")
    assert set(attempts_that_published(run).values()) == {1}
    deadline = time.monotonic() + 10
    while _leftovers(str(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert _leftovers(str(tmp_path)) == []
    assert [path for path in temporary.rglob("*") if path.parent != temporary] == []
    assert [line for line in Path("/proc/self/mounts").read_text().splitlines() if "underspec" in line] == []
    assert list(run.rglob("claim")) == []
    assert list(run.rglob("scratch")) == []
    assert list(run.rglob("*.tmp")) == []


def test_a_run_killed_a_few_times_ends_like_a_calm_one(tmp_path: Path) -> None:
    _kill_rounds(tmp_path, rounds=5, seed=20)


@pytest.mark.proof
def test_a_run_killed_thirty_times_ends_like_a_calm_one(tmp_path: Path) -> None:
    _kill_rounds(tmp_path, rounds=30, seed=21)

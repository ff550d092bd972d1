"""The container engine dies under a run, again and again; the run ends as a calm one does."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.container_engine import EngineUnavailableError, OwnEngine, own_engine
from tests.run.toy_agents import attempts_that_published, published
from tests.task_factory import make_task
from underspec.sandbox.keeper.engine import Engine

pytestmark = [pytest.mark.sandbox, pytest.mark.proof]
ROUNDS = 12


def _containers(engine: OwnEngine) -> list[str]:
    _status, content = Engine(str(engine.socket)).request("GET", "/containers/json?all=true")
    return [name for each in json.loads(content) for name in each["Names"]]


def test_a_killed_engine_costs_attempts_and_nothing_else(tmp_path: Path) -> None:
    chance = random.Random(31)
    task = make_task(tmp_path)
    try:
        with own_engine() as engine:
            engine.start()
            environment = {**os.environ, "DOCKER_HOST": f"unix://{engine.socket}"}

            def command(run: Path) -> list[str]:
                return [sys.executable, "-m", "tests.run.victim", str(run), str(task), "2", "docker"]

            started = time.monotonic()
            subprocess.run(command(tmp_path / "calm"), check=True, timeout=600, env=environment)
            calm_seconds = time.monotonic() - started
            run = tmp_path / "stormy"
            finished: set[str] = set()
            for _ in range(ROUNDS):
                harness = subprocess.Popen(command(run), env=environment, stderr=subprocess.DEVNULL)
                try:
                    harness.wait(timeout=chance.uniform(0.1, 0.6) * calm_seconds)
                except subprocess.TimeoutExpired:
                    engine.kill()
                    time.sleep(chance.uniform(0.0, 1.0))
                    engine.start()
                harness.wait(timeout=600)
                now = set(published(run)) if (run / "items").exists() else set()
                assert finished <= now, "the finished set shrank"
                finished = now
            subprocess.run(command(run), check=True, timeout=600, env=environment)
            assert published(run) == published(tmp_path / "calm")
            assert set(attempts_that_published(run).values()) == {1}
            assert _containers(engine) == []
    except EngineUnavailableError as reason:
        pytest.skip(str(reason))

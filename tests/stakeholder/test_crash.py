"""``kill -9`` at random moments: no stored reply is lost, none is charged twice, none is told uncharged."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.stakeholder.toy import open_session

ROOT = Path(__file__).parents[2]


def killed_after(path: Path, budget: int, seconds: float) -> list[str]:
    """Let the asking process run, kill it, and give the whole lines that it had said."""
    command = [sys.executable, "-m", "tests.stakeholder.asking_process", str(path), str(budget)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(seconds)
    process.kill()
    rest = process.stdout.read()
    process.wait()
    process.stdout.close()
    return [line for line in (first + rest).splitlines(keepends=True) if line.endswith("\n")]


def check_rounds(path: Path, rounds: int, seed: int) -> None:
    chance = random.Random(seed)
    budget = 9_000  # more than can be asked before the kill
    told: dict[int, tuple[str, int]] = {}
    for _ in range(rounds):
        for line in killed_after(path, budget, chance.uniform(0.0, 0.12)):
            number, reply, remaining = json.loads(line)
            assert told.setdefault(number, (reply, remaining)) == (reply, remaining)
        with open_session(path, budget=budget) as session:
            turns = session.log().turns
            assert 0 < session.remaining == budget - len(turns)
        assert [turn.number for turn in turns] == list(range(1, len(turns) + 1))
        assert len({turn.request_id for turn in turns}) == len(turns)
        stored = {turn.number: (turn.reply, turn.remaining) for turn in turns}
        assert told.items() <= stored.items()
    assert len(told) > rounds


def test_kills_at_random_moments_lose_and_double_nothing(tmp_path: Path) -> None:
    check_rounds(tmp_path / "session.jsonl", rounds=4, seed=1)


@pytest.mark.proof
def test_fifty_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    check_rounds(tmp_path / "session.jsonl", rounds=50, seed=2)

"""Killed or asked to end under load: no stored reply is lost, no turn charged twice, none told uncharged."""

from __future__ import annotations

import asyncio
import random
import signal
from pathlib import Path

import httpx
import pytest

from tests.stakeholder.service_load import Asker, mint
from tests.stakeholder.service_process import OPERATOR, service
from underspec.artifact.session import SessionLog

BUDGET, SESSIONS = 10_000, 6


def logs(url: str, askers: list[Asker]) -> list[SessionLog]:
    with httpx.Client(base_url=url, headers={"authorization": f"Bearer {OPERATOR}"}, timeout=30) as client:
        return [
            SessionLog.from_bytes(client.get(f"/v1/sessions/{one.session}/log").content, file=one.session)
            for one in askers
        ]


def check(log: SessionLog, asker: Asker) -> int:
    """How many turns were stored and not told."""
    turns = log.turns
    assert [turn.number for turn in turns] == list(range(1, len(turns) + 1))
    assert [turn.remaining for turn in turns] == list(range(BUDGET - 1, BUDGET - 1 - len(turns), -1))
    stored = {str(turn.request_id): (turn.reply, turn.remaining) for turn in turns}
    assert len(stored) == len(turns)
    assert asker.told.items() <= stored.items()
    return len(turns) - len(asker.told)


async def ask_until(port: int, askers: list[Asker], seconds: float, end: object) -> None:
    asking = [asyncio.ensure_future(asker.ask_on(port)) for asker in askers]
    await asyncio.sleep(seconds)
    assert callable(end)
    end()
    await asyncio.gather(*asking)


def kill_under_load(folder: Path, rounds: int, seed: int) -> None:
    chance = random.Random(seed)
    askers: list[Asker] = []
    untold = 0
    for number in range(rounds):
        with service(folder / "db", "--rate", "100000") as running:
            if number == 0:
                askers = asyncio.run(mint(running.port, OPERATOR, BUDGET, SESSIONS))
            else:
                untold += sum(check(log, asker) for log, asker in zip(logs(running.url, askers), askers, strict=True))
            asyncio.run(ask_until(running.port, askers, chance.uniform(0.02, 0.4), running.process.kill))
            assert running.process.wait(10) == -signal.SIGKILL
    with service(folder / "db") as running:
        untold += sum(check(log, asker) for log, asker in zip(logs(running.url, askers), askers, strict=True))
    assert sum(len(asker.told) for asker in askers) > rounds * SESSIONS
    # One at most of each client is under way when the service is killed.
    assert untold <= rounds * SESSIONS


def test_kills_under_load_lose_and_double_nothing(tmp_path: Path) -> None:
    kill_under_load(tmp_path, 3, seed=1)


@pytest.mark.proof
def test_fifty_kills_under_load_lose_and_double_nothing(tmp_path: Path) -> None:
    kill_under_load(tmp_path, 50, seed=2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_end_it_tells_all_that_it_stored_and_ends_with_nought(tmp_path: Path, number: signal.Signals) -> None:
    with service(tmp_path / "db", "--rate", "100000", "--publish", str(tmp_path / "logs")) as running:
        askers = asyncio.run(mint(running.port, OPERATOR, BUDGET, SESSIONS))

        def end() -> None:
            running.process.send_signal(number)

        asyncio.run(ask_until(running.port, askers, 0.3, end))
        assert running.process.wait(15) == 0
    assert not (tmp_path / "db-wal").exists()
    assert (tmp_path / "db.stderr").read_text() == ""
    published = {one.session: (tmp_path / "logs" / one.session / "session.jsonl").read_bytes() for one in askers}
    with service(tmp_path / "db") as running:
        for log, asker in zip(logs(running.url, askers), askers, strict=True):
            assert check(log, asker) == 0
            assert len(published[asker.session].splitlines()) == 1 + len(log.turns)

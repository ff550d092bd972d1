"""At most one worker holds a claim; a dead one's claim can be taken, a living one's cannot."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import subprocess
import sys
import time
from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from underspec.errors import ClaimLostError
from underspec.run import claim as claims
from underspec.run.claim import EXPIRY, Claim


def test_a_held_claim_is_refused_to_others_until_it_is_released(tmp_path: Path) -> None:
    first, second = Claim(tmp_path / "claim"), Claim(tmp_path / "claim")
    assert first.acquire()
    assert not second.acquire()
    first.release()
    assert second.acquire()


def test_releasing_a_claim_that_is_not_ours_leaves_it(tmp_path: Path) -> None:
    first, second = Claim(tmp_path / "claim"), Claim(tmp_path / "claim")
    assert first.acquire()
    second.release()
    assert not second.acquire()


def test_the_claim_of_a_dead_process_is_free_at_once(tmp_path: Path) -> None:
    path = tmp_path / "claim"
    code = f"from pathlib import Path; from underspec.run.claim import Claim; Claim(Path({str(path)!r})).acquire()"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert path.exists()
    assert Claim(path).acquire()


def test_a_reused_process_id_does_not_keep_a_claim(tmp_path: Path) -> None:
    path = tmp_path / "claim"
    holder = Claim(path)
    assert holder.acquire()
    held = json.loads(path.read_bytes())
    path.write_text(json.dumps({**held, "owner": "another", "start": held["start"] - 1}))
    assert Claim(path).acquire()


def test_a_claim_of_another_host_lapses_only_with_age(tmp_path: Path) -> None:
    path = tmp_path / "claim"
    assert Claim(path).acquire()
    held = json.loads(path.read_bytes())
    path.write_text(json.dumps({**held, "host": "elsewhere"}))
    assert not Claim(path).acquire()
    old = time.time() - EXPIRY - 1
    os.utime(path, (old, old))
    assert Claim(path).acquire()


def _try(path: str, start: float, results: Queue[bool]) -> None:
    claim = Claim(Path(path))
    while time.time() < start:
        pass
    results.put(claim.acquire())
    time.sleep(0.5)


def test_of_many_processes_that_find_a_lapsed_claim_one_takes_it(tmp_path: Path) -> None:
    path = tmp_path / "claim"
    path.write_text(json.dumps({"owner": "gone", "host": "elsewhere", "boot": "", "pid": 1, "start": 1}))
    old = time.time() - EXPIRY - 1
    os.utime(path, (old, old))
    context = multiprocessing.get_context("fork")
    results: Queue[bool] = context.Queue()
    workers = [context.Process(target=_try, args=(str(path), time.time() + 0.2, results)) for _ in range(6)]
    for worker in workers:
        worker.start()
    taken = [results.get(timeout=20) for _ in workers]
    for worker in workers:
        worker.join()
    assert sum(taken) == 1


def test_losing_the_claim_stops_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "HEARTBEAT", 0.01)
    claim = Claim(tmp_path / "claim")
    assert claim.acquire()
    finished: list[bool] = []

    async def work() -> None:
        async with claim.kept_alive():
            (tmp_path / "claim").unlink()
            await asyncio.sleep(10)
            finished.append(True)

    with pytest.raises(ClaimLostError):
        asyncio.run(work())
    assert finished == []


def test_a_kept_claim_stays_fresh_and_is_released_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "HEARTBEAT", 0.01)
    path = tmp_path / "claim"
    claim = Claim(path)
    assert claim.acquire()

    async def work() -> float:
        async with claim.kept_alive():
            os.utime(path, (1, 1))
            for _ in range(200):
                await asyncio.sleep(0.01)
                if path.stat().st_mtime > 1:
                    break
            return path.stat().st_mtime

    assert asyncio.run(work()) > 1
    assert not path.exists()


def test_a_process_that_cannot_be_seen_from_here_keeps_its_claim_until_it_is_old(tmp_path: Path) -> None:
    path = tmp_path / "claim"
    assert Claim(path).acquire()
    held = json.loads(path.read_bytes())
    # A container of the same host: same name and boot, but its process 2**22 is none of ours.
    path.write_text(json.dumps({**held, "pids": "pid:[1]", "pid": 2**22 + 1, "start": 1}))
    assert not Claim(path).acquire()
    old = time.time() - EXPIRY - 1
    os.utime(path, (old, old))
    assert Claim(path).acquire()


@pytest.mark.parametrize("content", ["", "[]", "null", '{"owner": 3}', '{"pid": "x"}'])
def test_a_damaged_claim_lapses_with_age_and_never_stops_anybody(tmp_path: Path, content: str) -> None:
    path = tmp_path / "claim"
    path.write_text(content)
    claim = Claim(path)
    assert not claim.acquire()
    claim.release()
    with pytest.raises(ClaimLostError):
        claim.check()
    old = time.time() - EXPIRY - 1
    os.utime(path, (old, old))
    assert claim.acquire()


def test_a_disk_that_stumbles_during_a_heartbeat_does_not_end_the_heartbeat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "HEARTBEAT", 0.01)
    claim = Claim(tmp_path / "claim")
    assert claim.acquire()
    beats: list[int] = []
    touch = claim.check

    def stumbling() -> None:
        beats.append(1)
        if len(beats) == 1:
            raise OSError(5, "Input/output error")
        touch()

    monkeypatch.setattr(claim, "check", stumbling)

    async def work() -> None:
        async with claim.kept_alive():
            while len(beats) < 3:
                await asyncio.sleep(0.01)

    asyncio.run(work())


def test_who_is_cancelled_while_the_claim_is_lost_stays_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "HEARTBEAT", 0.01)
    claim = Claim(tmp_path / "claim")
    assert claim.acquire()

    async def work() -> None:
        async with claim.kept_alive():
            (tmp_path / "claim").unlink()
            try:
                await asyncio.sleep(10)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()  # Ctrl-C, while the lost claim is being dealt with
                raise

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(work())

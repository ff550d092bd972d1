"""The published three-port protocol: what existing clients send is understood, and what it leaked stays here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.stakeholder.service_kit import ANSWER, OPERATOR, Served, run
from tests.stakeholder.toy import FixedRouter


async def init(service: Served, **more: Any) -> Any:
    return (await service.init.post("/", json={"key": OPERATOR, "model": "some-model", **more})).json()


async def ask(service: Served, append_id: Any, task: Any, question: Any, **more: Any) -> Any:
    body = {"append_id": append_id, "task_id": task, "question": question, **more}
    return (await service.asking.post("/", json=body)).json()


async def stats(service: Served, append_id: Any, key: Any = OPERATOR, **more: Any) -> Any:
    return (await service.stats.post("/", json={"append_id": append_id, "key": key, **more})).json()


def test_a_client_that_exists_gets_through_its_three_steps(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        told = await init(service)
        assert told["status"] == {"ok": True, "max_interactions": 16, "model": "some-model", "difficulty": "normal"}
        append_id = told["append_id"]
        assert len(append_id) == 32
        assert int(append_id, 16) >= 0
        first = await ask(service, append_id, "realcode@001", "C1 and?")
        assert first == {"data": {"reply": ANSWER}, "status": {"ok": True, "remaining": 15}}
        await ask(service, append_id, "realcode@001", "nothing")
        await ask(service, append_id, "toy", "C1 C2 TC_one")
        one = await stats(service, append_id, task_id="realcode@001")
        assert one["status"] == {"ok": True}
        assert one["stats"] == {
            "task_id": "realcode@001",
            "model": "some-model",
            "turns_used": 2,
            "max_interactions": 16,
            "budget_usage_rate": 2 / 16,
            "fallbacks": 1,
            "fallback_rate": 0.5,
            "triggers_hit": 1,
            "total_constraints": 4,
            "constraint_coverage": 0.25,
            "missed_constraints": ["C2", "C3", "TC_one"],
        }
        both = (await stats(service, append_id))["stats"]
        assert both["turns_used"] == 3
        assert both["constraint_coverage"] == 0.5
        assert set(both["per_repo"]) == {"realcode-001", "toy"}

    run(tmp_path, work)


def test_each_task_of_an_append_id_has_its_own_budget(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        append_id = (await init(service, max_interactions=1))["append_id"]
        assert (await ask(service, append_id, "toy", "C1"))["status"] == {"ok": True, "remaining": 0}
        spent = await ask(service, append_id, "toy", "C2")
        assert spent["status"] == {"ok": False, "error": "max_interactions_reached", "remaining": 0}
        assert (await ask(service, append_id, "realcode-001", "C1"))["status"]["ok"]

    run(tmp_path, work)


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({"key": None}, "invalid key"),
        ({"key": OPERATOR[:-1]}, "invalid key"),
        ({"key": ["x"]}, "invalid key"),
        ({"model": None}, "missing model"),
        ({"model": ""}, "missing model"),
        ({"difficulty": "hard"}, "difficulty must be 'normal', 'medium', or 'easy'"),
        ({"difficulty": ["easy"]}, "difficulty must be 'normal', 'medium', or 'easy'"),
        ({"task_id": "../../x"}, "no prd for ../../x"),
    ],
)
def test_init_says_what_is_wrong_as_published(tmp_path: Path, sent: Any, error: str) -> None:
    async def work(service: Served) -> None:
        told = await init(service, **sent)
        assert told["status"] == {"ok": False, "error": error}
        assert "append_id" not in told

    run(tmp_path, work)


@pytest.mark.parametrize(
    ("append_id", "task", "question", "error"),
    [
        ("0" * 32, "toy", "C1", "invalid append_id"),
        (None, "toy", "C1", "invalid append_id"),
        ({"$gt": ""}, "toy", "C1", "invalid append_id"),
        (True, None, "C1", "missing task_id/question"),
        (True, "toy", None, "missing task_id/question"),
        (True, "toy", "", "missing task_id/question"),
        (True, "other", "C1", "no prd for other"),
        (True, "../toy/../toy\0", "C1", "no prd for ../toy/../toy\0"),
    ],
)
def test_ask_says_what_is_wrong_as_published_and_charges_nothing(
    tmp_path: Path, append_id: Any, task: Any, question: Any, error: str
) -> None:
    async def work(service: Served) -> None:
        real = (await init(service))["append_id"]
        told = await ask(service, real if append_id is True else append_id, task, question)
        assert told["status"]["error"] == error
        assert (await stats(service, real))["stats"]["turns_used"] == 0

    run(tmp_path, work)


def test_statistics_are_the_operators_and_not_those_of_whoever_can_ask(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        append_id = (await init(service))["append_id"]
        await ask(service, append_id, "toy", "C1")
        for key in (None, "", append_id, [OPERATOR], OPERATOR + "x"):
            told = await stats(service, append_id, key)
            assert told["status"] == {"ok": False, "error": "invalid key"}
            assert "stats" not in told
        headers = {"authorization": f"Bearer {OPERATOR}"}
        told = (await service.stats.post("/", headers=headers, json={"append_id": append_id})).json()
        assert told["stats"]["turns_used"] == 1
        assert (await stats(service, None))["status"]["error"] == "missing append_id"
        assert (await stats(service, "0" * 32))["status"]["error"] == "invalid append_id"
        assert (await stats(service, append_id, task_id="realcode@001"))["status"]["error"] == "no log for realcode@001"

    run(tmp_path, work)


def test_an_append_id_bound_to_a_task_asks_about_no_other(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        append_id = (await init(service, task_id="realcode@001"))["append_id"]
        assert (await ask(service, append_id, "realcode@001", "C1"))["status"]["ok"]
        assert (await ask(service, append_id, "toy", "C1"))["status"]["error"] == "no prd for toy"

    run(tmp_path, work)


def test_an_append_id_opens_nothing_of_the_versioned_api(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        append_id = (await init(service))["append_id"]
        assert (await service.ask(append_id, "C1")).status_code == 401
        _, credential = await service.mint()
        assert (await ask(service, credential, "toy", "C1"))["status"]["error"] == "invalid append_id"

    run(tmp_path, work)


def test_a_difficulty_that_a_task_has_no_records_for_has_no_prd(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        append_id = (await init(service, difficulty="medium"))["append_id"]
        assert (await ask(service, append_id, "toy", "C1"))["status"]["ok"]
        assert (await ask(service, append_id, "realcode@001", "C1"))["status"]["error"] == "no prd for realcode@001"

    run(tmp_path, work)


def test_a_router_that_fails_leaks_and_charges_nothing(tmp_path: Path) -> None:
    router = FixedRouter()

    async def work(service: Served) -> None:
        append_id = (await init(service))["append_id"]
        router.error = ValueError("C1 matched secret")
        told = await ask(service, append_id, "toy", "C1")
        assert told == {"data": None, "status": {"ok": False, "error": "unavailable"}}
        router.error = None
        assert (await ask(service, append_id, "toy", "C1"))["status"]["remaining"] == 15

    run(tmp_path, work, router=router)


def test_first_questions_at_the_same_moment_share_one_session(tmp_path: Path) -> None:
    import asyncio

    async def work(service: Served) -> None:
        append_id = (await init(service))["append_id"]
        told = await asyncio.gather(*(ask(service, append_id, "toy", "C1") for _ in range(12)))
        assert sorted(one["status"]["remaining"] for one in told) == list(range(4, 16))

    run(tmp_path, work)


def test_malformed_bodies_and_other_methods_get_a_4xx_in_json(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        clients: tuple[httpx.AsyncClient, ...] = (service.init, service.asking, service.stats)
        for client in clients:
            for body in (b"", b"[]", b"{", b"\xff", b"[" * 60_000, b"x" * 70_000):
                told = await client.post("/", content=body)
                assert 400 <= told.status_code < 500
                assert not told.json()["status"]["ok"]
            assert (await client.get("/")).status_code == 405
            assert (await client.get("/docs")).status_code == 404
            long = json.dumps({"key": OPERATOR, "append_id": "x", "model": "m" * 5000, "task_id": "t" * 5000})
            assert (await client.post("/", content=long)).status_code < 500

    run(tmp_path, work)

"""The versioned API: who may do what, what is told to whom, and that nothing malformed is more than a 4xx."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.stakeholder.service_kit import ANSWER, OPERATOR, Served, run, served
from tests.stakeholder.toy import FixedRouter
from underspec.artifact.session import SessionLog, Turn
from underspec.stakeholder.router import Routing
from underspec.stakeholder.service import http
from underspec.task.model import LevelRecords

FORBIDDEN_TO_ASKERS = ("C1", "C2", "matched", "hidden_ids", "coverage", "statistics", "router", "trigger")


def test_a_session_gets_reply_and_remaining_budget_and_nothing_else(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        _, credential = await service.mint(budget=2)
        told = await service.ask(credential, "C1?")
        assert told.status_code == 200
        assert told.json() == {"data": {"reply": ANSWER}, "status": {"ok": True, "remaining": 1}}
        assert "credential" not in told.text
        await service.ask(credential, "nothing")
        spent = await service.ask(credential, "C1")
        assert spent.json() == {
            "data": None,
            "status": {"ok": False, "error": "max_interactions_reached", "remaining": 0},
        }

    run(tmp_path, work)


def test_whatever_goes_wrong_tells_the_asker_no_ids_or_figures(tmp_path: Path) -> None:
    router = FixedRouter()

    async def work(service: Served) -> None:
        session, credential = await service.mint(budget=1)
        router.error = ValueError("C1 C2 matched secret")
        answers = [await service.ask(credential, "C1")]
        router.error = None
        for question in ("", 7, None, ["C1"], "x" * 9000, "why?", "again?"):
            answers.append(await service.ask(credential, question))
        for path in ("", "/log", "/statistics"):
            headers = {"authorization": f"Bearer {credential}"}
            answers.append(await service.api.get(f"/v1/sessions/{session}{path}", headers=headers))
        for answer in answers:
            assert answer.status_code < 500
            assert not any(word in answer.text for word in FORBIDDEN_TO_ASKERS), answer.text
            assert not any(word in str(answer.headers) for word in FORBIDDEN_TO_ASKERS)

    run(tmp_path, work, router=router)


OPERATORS = (
    ("POST", "/v1/sessions"),
    ("GET", "/v1/sessions"),
    ("GET", "/v1/sessions/{session}"),
    ("GET", "/v1/sessions/{session}/log"),
    ("GET", "/v1/sessions/{session}/statistics"),
    ("POST", "/v1/sessions/{session}/close"),
    ("GET", "/v1/statistics"),
)


@pytest.mark.parametrize(("method", "path"), OPERATORS)
def test_what_is_the_operators_is_nobody_elses(tmp_path: Path, method: str, path: str) -> None:
    async def work(service: Served) -> None:
        session, credential = await service.mint()
        place = path.format(session=session)
        for token in (None, "", credential, session, OPERATOR[:-1], OPERATOR + "x", "\xff"):
            headers = {} if token is None else {"authorization": f"Bearer {token}".encode("latin-1")}
            told = await service.api.request(method, place, headers=headers, json={})  # type: ignore[arg-type]
            assert told.status_code == 401
            assert told.headers["www-authenticate"] == "Bearer"
            assert told.json()["status"]["error"] == "not_the_operator"
        assert (await service.as_operator(method, place, json={"task": "toy"})).status_code in (200, 201)

    run(tmp_path, work)


def test_asking_is_the_sessions_alone(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        session, _ = await service.mint()
        for token in ("", OPERATOR, session, "x" * 43):
            assert (await service.ask(token, "C1")).status_code == 401
        assert (await service.api.post("/v1/questions", json={"question": "C1"})).status_code == 401

    run(tmp_path, work)


def test_health_needs_nothing_and_says_nothing(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        assert (await service.api.get("/v1/health")).json() == {"ok": True}

    run(tmp_path, work)


def test_credentials_are_stored_as_hashes_only(tmp_path: Path) -> None:
    credentials: list[str] = []

    async def work(service: Served) -> None:
        credentials.append((await service.mint())[1])
        told = await service.init.post("/", json={"key": OPERATOR, "model": "m"})
        credentials.append(told.json()["append_id"])
        await service.ask(credentials[0], "C1")

    run(tmp_path, work)
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Answer of C1" in stored
    assert not any(secret.encode() in stored for secret in (*credentials, OPERATOR))


def test_histories_are_isolated(tmp_path: Path) -> None:
    router = FixedRouter()

    async def work(service: Served) -> None:
        first, second = (await service.mint())[1], (await service.mint())[1]
        for credential in (first, second, first, second, first):
            await service.ask(credential, "C1", request_id=f"id {len(router.seen)}")
        assert [known for _, known in router.seen] == [0, 0, 1, 1, 2]
        # A request id is its session's own.
        reused = await service.ask(second, "C2", request_id="id 0")
        assert reused.json()["status"] == {"ok": True, "remaining": 13}

    run(tmp_path, work, router=router)


def test_a_request_id_makes_a_question_idempotent_across_a_restart(tmp_path: Path) -> None:
    kept: list[Any] = []

    async def before(service: Served) -> None:
        kept.append((await service.mint())[1])
        kept.append((await service.ask(kept[0], "C1", request_id="a")).json())

    async def after(service: Served) -> None:
        assert (await service.ask(kept[0], "C1", request_id="a")).json() == kept[1]
        other = await service.ask(kept[0], "C2", request_id="a")
        assert other.status_code == 409
        assert other.json()["status"]["error"] == "request_id_reused"
        assert (await service.ask(kept[0], "C2")).json()["status"]["remaining"] == 14

    run(tmp_path, before)
    run(tmp_path, after)


def test_the_operator_reads_the_artifact_that_runs_keep(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        session, credential = await service.mint(exposure="L2", budget=5)
        await service.ask(credential, "C1 TC_one", request_id="a")
        log = SessionLog.from_bytes(
            (await service.as_operator("GET", f"/v1/sessions/{session}/log")).content, file="log"
        )
        assert (log.task, log.level, log.router, log.budget) == ("toy", "L2", "fixed", 5)
        assert [turn.matched for turn in log.turns] == [("C1", "TC_one")]
        assert [point.kind for point in log.points] == ["constraint"] * 3 + ["case_file"]
        figures = (await service.as_operator("GET", f"/v1/sessions/{session}/statistics")).json()
        assert (figures["coverage"], figures["budget_use"]) == (0.5, 0.2)
        assert figures["each"][0]["missed"] == ["C2", "C3"]

    run(tmp_path, work)


def test_statistics_of_all_sessions_are_macro_averaged_and_count_the_silent(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        _, credential = await service.mint()
        await service.ask(credential, "C1 C2")
        await service.mint(task="realcode-001")
        told = (await service.as_operator("GET", "/v1/statistics")).json()
        assert (told["sessions"], told["tasks"], told["silent"], told["coverage"]) == (2, 2, 1, 0.25)
        one = (await service.as_operator("GET", "/v1/statistics?task=toy")).json()
        assert (one["sessions"], one["coverage"]) == (1, 0.5)

    run(tmp_path, work)


def test_sessions_are_listed_page_by_page_in_the_order_of_minting(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        minted = [(await service.mint())[0] for _ in range(5)]
        seen, after = [], ""
        while True:
            page = (await service.as_operator("GET", f"/v1/sessions?limit=2{after}")).json()
            seen += [one["session"] for one in page["sessions"]]
            if page["next"] is None:
                break
            after = f"&after={page['next']}"
        assert seen == minted
        for limit in ("0", "501", "-1", "x", "1e2", "²"):
            assert (await service.as_operator("GET", f"/v1/sessions?limit={limit}")).status_code == 400
        assert (await service.as_operator("GET", "/v1/sessions?after=../x")).status_code == 404

    run(tmp_path, work)


def test_a_closed_session_takes_no_question_and_its_log_is_published_once(tmp_path: Path) -> None:
    logs = tmp_path / "logs"

    async def work(service: Served) -> None:
        session, credential = await service.mint()
        first = (await service.ask(credential, "C1", request_id="a")).json()
        assert (await service.as_operator("POST", f"/v1/sessions/{session}/close")).json()["closed"]
        refused = await service.ask(credential, "C2")
        assert refused.status_code == 409
        assert refused.json()["status"]["error"] == "session_closed"
        # What was stored is still given again: a client that lost the reply has been charged for it.
        assert (await service.ask(credential, "C1", request_id="a")).json() == first
        again = await service.as_operator("POST", f"/v1/sessions/{session}/close")
        assert again.json()["asked"] == 1
        log = await service.as_operator("GET", f"/v1/sessions/{session}/log")
        assert (logs / session / "session.json").read_bytes() == log.content
        assert len((logs / session / "session.jsonl").read_bytes().splitlines()) == 2

    run(tmp_path, work, publish=logs)

    async def after(service: Served) -> None:
        page = (await service.as_operator("GET", "/v1/sessions")).json()
        assert page["sessions"][0]["closed"]

    run(tmp_path, after)


@pytest.mark.parametrize(
    "wanted",
    [
        {"task": "other"},
        {"task": "../toy"},
        {"task": 7},
        {"task": "\ud800"},
        {"task": "x" * 10_000},
        {"budget": -1},
        {"budget": 10_001},
        {"budget": True},
        {"budget": "16"},
        {"budget": 1.5},
        {"budget": 10**400},
        {"exposure": "L3"},
        {"exposure": "ground"},
        {"exposure": []},
        {"task": None},
    ],
)
def test_sessions_that_cannot_be_are_refused(tmp_path: Path, wanted: Any) -> None:
    async def work(service: Served) -> None:
        body = json.dumps({"task": "toy", **wanted}).encode()
        told = await service.as_operator("POST", "/v1/sessions", content=body)
        assert told.status_code in (400, 404)
        assert not told.json()["status"]["ok"]
        assert (await service.as_operator("GET", "/v1/sessions")).json()["sessions"] == []

    run(tmp_path, work)


BODIES = (
    b"",
    b"{",
    b"[]",
    b'"x"',
    b"null",
    b"\xff\xfe",
    b"[" * 60_000,
    b'{"question": ' + b"9" * 6_000 + b"}",
    b'{"question": NaN}',
    b'{"question": "\\ud800"}',
    b'{"question": "C1", "request_id": "\\ud800"}',
    b'{"question": {"$ne": 1}}',
    b"question=C1",
)


@pytest.mark.parametrize("body", BODIES)
def test_malformed_bodies_get_a_4xx_in_json_and_cost_nothing(tmp_path: Path, body: bytes) -> None:
    async def work(service: Served) -> None:
        session, credential = await service.mint()
        headers = {"authorization": f"Bearer {credential}"}
        told = await service.api.post("/v1/questions", headers=headers, content=body)
        assert 400 <= told.status_code < 500
        assert told.json()["data"] is None
        assert (await service.as_operator("GET", f"/v1/sessions/{session}")).json()["asked"] == 0

    run(tmp_path, work)


def test_a_body_that_is_too_large_or_too_slow_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "READ_SECONDS", 0.1)

    async def slowly() -> Any:
        yield b'{"question":'
        await asyncio.sleep(5)
        yield b'"C1"}'

    async def work(service: Served) -> None:
        _, credential = await service.mint()
        headers = {"authorization": f"Bearer {credential}"}
        large = await service.api.post("/v1/questions", headers=headers, content=b"x" * 65_537)
        assert (large.status_code, large.json()["status"]["error"]) == (413, "too_large")
        slow = await service.api.post("/v1/questions", headers=headers, content=slowly())
        assert (slow.status_code, slow.json()["status"]["error"]) == (408, "too_slow")

    run(tmp_path, work)


def test_paths_and_methods_that_are_not_there_are_told_in_json(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        for path in ("/", "/v1", "/v1/health/", "/docs", "/openapi.json", "/v1/openapi.json", "/v1/sessions/../x"):
            told = await service.api.get(path)
            assert (told.status_code, told.json()["status"]["error"]) == (404, "not_found")
        told = await service.api.put("/v1/questions")
        assert told.status_code == 405
        assert told.headers["allow"] == "POST"
        assert told.json()["status"]["error"] == "method_not_allowed"
        assert (await service.as_operator("GET", "/v1/sessions/" + "0" * 32)).status_code == 404

    run(tmp_path, work)


def test_the_api_is_described_only_where_that_is_wanted(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        told = (await service.api.get("/v1/openapi.json")).json()
        assert told["openapi"].startswith("3.1")
        assert {path for _, path in OPERATORS} <= set(told["paths"])

    run(tmp_path, work, docs=True)


def test_who_asks_too_often_is_told_when_to_come_back_and_others_are_not(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        hasty, calm = (await service.mint())[1], (await service.mint())[1]
        statuses = [(await service.ask(hasty, "?")).status_code for _ in range(301)]
        assert statuses[:300] == [200] * 300
        assert statuses[300] == 429
        told = await service.ask(hasty, "C1")
        assert told.headers["retry-after"] == "100"
        assert (await service.ask(calm, "C1")).status_code == 200

    run(tmp_path, work, rate=0.01)


class StalledRouter(FixedRouter):
    """Never answers."""

    async def route(self, question: str, records: LevelRecords, history: Sequence[Turn]) -> Routing:
        await asyncio.sleep(3600)
        raise AssertionError


def test_a_router_that_never_answers_costs_the_asker_time_and_nothing_else(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        session, credential = await service.mint()
        told = await service.ask(credential, "C1")
        assert (told.status_code, told.json()["status"]["error"]) == (200, "unavailable")
        assert (await service.as_operator("GET", f"/v1/sessions/{session}")).json()["asked"] == 0

    run(tmp_path, work, router=StalledRouter(), answer_seconds=0.05)


def test_parallel_questions_of_one_session_never_overspend(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        session, credential = await service.mint(budget=5)
        answers = await asyncio.gather(*(service.ask(credential, "C1") for _ in range(40)))
        assert sum(answer.json()["status"]["ok"] for answer in answers) == 5
        assert (await service.as_operator("GET", f"/v1/sessions/{session}")).json()["asked"] == 5

    run(tmp_path, work)


def test_many_sessions_are_served_though_few_are_kept_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("underspec.stakeholder.service.desk._MOST_OPEN", 2)
    monkeypatch.setattr("underspec.stakeholder.service.desk._MOST_KNOWN", 2)

    async def work(service: Served) -> None:
        credentials = [(await service.mint())[1] for _ in range(8)]
        for remaining in (15, 14, 13):
            answers = await asyncio.gather(*(service.ask(one, "C1", request_id=str(remaining)) for one in credentials))
            assert {answer.json()["status"]["remaining"] for answer in answers} == {remaining}

    run(tmp_path, work)


def test_a_session_is_not_answered_from_other_records_or_by_another_router(tmp_path: Path) -> None:
    class Other(FixedRouter):
        name = "other"

    async def go() -> None:
        async with served(tmp_path) as service:
            _, credential = await service.mint()
        async with served(tmp_path, router=Other()) as service:
            told = await service.ask(credential, "C1")
            assert told.json()["status"]["error"] == "unavailable"
            assert "other" not in told.text
        async with served(tmp_path) as service:
            assert (await service.ask(credential, "C1")).json()["status"]["remaining"] == 15

    asyncio.run(go())

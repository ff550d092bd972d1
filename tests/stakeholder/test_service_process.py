"""The command and its connections: what it says when it is ready, whom it does not wait for, what it keeps secret."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from tests.stakeholder.service_process import OPERATOR, command, service
from underspec.cli.app import app
from underspec.stakeholder.service import connections
from underspec.stakeholder.service.server import listen, port_of, serve
from underspec.task import release
from underspec.task.catalog import find_task
from underspec.task.load import load_task


def test_it_says_as_one_document_where_it_is_and_keeps_the_token_off_stdout(tmp_path: Path) -> None:
    with service(tmp_path / "db", "--docs", "--published-protocol", "0,0,0", operator=None) as running:
        told = running.told
        assert told["tasks"] == ["data-sizes"]
        assert told["operator"] == "generated"
        assert set(told["published_protocol"]) == {"init", "ask", "stats"}
        assert httpx.get(told["docs"]).status_code == 200
        said = (tmp_path / "db.stderr").read_text()
        token = said.split("operator's credential: ")[1].strip()
        assert token not in json.dumps(told)
        minted = httpx.post(f"{running.url}/v1/sessions", json={}, headers={"authorization": f"Bearer {token}"})
        assert minted.status_code == 201
        assert running.stop() == 0


def test_an_operators_file_is_its_owners_alone_and_outlives_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "operator"
    for source in ("generated", "file"):
        with service(tmp_path / "db", "--operator-file", str(file), operator=None) as running:
            assert running.told["operator"] == source
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            headers = {"authorization": f"Bearer {file.read_text().strip()}"}
            assert httpx.get(f"{running.url}/v1/sessions", headers=headers).status_code == 200
            assert file.read_text().strip() not in (tmp_path / "db.stderr").read_text()


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (("--exposure", "ground"), 2, "nobody answers"),
        (("--task", "no-such-task"), 2, "there is no task"),
        (("--router", "no-such-router"), 2, "no router"),
        (("--budget", "-1"), 2, "a budget is"),
        (("--published-protocol", "1,2"), 2, "three ports"),
        (("--host", "no.such.host.invalid"), 2, "no address"),
        (("--host", "192.0.2.1"), 2, "cannot listen"),
        (("--rate", "0"), 2, "a rate is"),
    ],
)
def test_what_cannot_be_served_is_said_at_once(tmp_path: Path, more: tuple[str, ...], code: int, said: str) -> None:
    done = CliRunner().invoke(app, command(tmp_path / "db", *more)[3:])
    assert done.exit_code == code
    assert said in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_second_service_does_not_take_a_port_or_a_database_away(tmp_path: Path) -> None:
    with service(tmp_path / "db") as running:
        for more in (("--port", str(running.port)), ()):
            db = tmp_path / ("other" if more else "db")
            done = subprocess.run(command(db, *more), capture_output=True, text=True, timeout=30, check=False)
            assert done.returncode == 2
            assert "cannot listen" in done.stderr or "another process" in done.stderr
        assert httpx.get(f"{running.url}/v1/health").json() == {"ok": True}


def test_it_listens_on_loopback_unless_told_otherwise(tmp_path: Path) -> None:
    with service(tmp_path / "db") as running:
        listening = Path("/proc/net/tcp").read_text()
        assert f"0100007F:{running.port:04X}" in listening
        assert f"00000000:{running.port:04X}" not in listening


def test_no_canary_and_no_identity_ever_comes_over_the_wire(tmp_path: Path) -> None:
    task = load_task(find_task("data-sizes"))
    forbidden = release.forbidden_strings(task)
    records = release.session_records(task, "L1")
    received = b""
    with service(tmp_path / "db", "--docs", "--published-protocol", "0,0,0") as running:
        operator = {"authorization": f"Bearer {OPERATOR}"}
        with httpx.Client(base_url=running.url) as client:
            minted = client.post("/v1/sessions", headers=operator, json={"budget": 1000}).json()
            own = {"authorization": f"Bearer {minted['credential']}"}
            for record in records.records:
                for question in (record.triggers[0], f"show me test cases for {record.id}", f"canary {record.id}"):
                    received += client.post("/v1/questions", headers=own, json={"question": question}).content
            assert received.count(b'"ok": true') > 50
            for path in ("/v1/openapi.json", "/v1/sessions", f"/v1/sessions/{minted['session']}/log"):
                received += client.get(path, headers=operator).content
    assert forbidden
    assert not [word for word in forbidden if word.encode() in received]


@contextlib.asynccontextmanager
async def listening(served: Any) -> AsyncIterator[int]:
    """The server in this process, on a free port."""
    sock = listen("127.0.0.1", 0)
    port, ready = port_of(sock), asyncio.Event()
    serving = asyncio.ensure_future(serve([(sock, served)], ready.set))
    await ready.wait()
    try:
        yield port
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        await serving


async def hello(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"hi"})


async def said(port: int, *pieces: bytes, pause: float = 0.0) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answering = asyncio.ensure_future(reader.read())
    for piece in pieces:
        writer.write(piece)
        await asyncio.wait({answering}, timeout=pause)
        if answering.done():
            break
    try:
        return await asyncio.wait_for(answering, 10)
    finally:
        writer.close()


def test_a_request_that_is_never_finished_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)

    async def work() -> None:
        async with listening(hello) as port:
            # Silent, half a head, one byte after another, and the last after a whole request.
            slow = [
                said(port),
                said(port, b"GET / HT"),
                said(port, *([b"G"] + [b"E"] * 40), pause=0.03),
                said(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT", b"TP", b"/", pause=0.1),
            ]
            answers = await asyncio.gather(*slow)
            assert all(b"HTTP/1.1 408" in answer for answer in answers[:3]), answers
            assert answers[3].startswith(b"HTTP/1.1 200")

    asyncio.run(work())


def test_a_handler_that_never_ends_and_a_client_that_never_takes_its_answer_are_let_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "WHOLE_SECONDS", 0.3)

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(10_000):
            await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
            await asyncio.sleep(0)

    async def work() -> None:
        async with listening(endless) as port:
            sock = socket.create_connection(("127.0.0.1", port))
            sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await asyncio.sleep(0.6)
            sock.setblocking(False)
            received = 0
            with contextlib.suppress(ConnectionError):
                while chunk := await asyncio.get_running_loop().sock_recv(sock, 1 << 20):
                    received += len(chunk)
            assert received < 65_536 * 10_000
            sock.close()

    asyncio.run(work())


def test_only_so_many_connections_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)

    async def work() -> None:
        async with listening(hello) as port:
            held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
            refused = await said(port)
            assert refused.startswith(b"HTTP/1.1 429")
            assert b"retry-after: 1" in refused
            for _, writer in held:
                writer.close()
            await asyncio.sleep(0.05)
            assert b"hi" in await said(port, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")

    asyncio.run(work())


def test_requests_one_after_another_on_one_connection_are_all_answered() -> None:
    async def work() -> None:
        async with listening(hello) as port:
            one = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
            last = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            assert (await said(port, one * 5 + last)).count(b"hi") == 6

    asyncio.run(work())


def test_a_client_that_has_nothing_more_to_send_still_gets_its_answers() -> None:
    async def work() -> None:
        async with listening(hello) as port:
            for sent, answers in (
                (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 1),
                (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 3, 3),
            ):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(sent)
                writer.write_eof()
                assert (await asyncio.wait_for(reader.read(), 5)).count(b"hi") == answers
                writer.close()

    asyncio.run(work())


def test_leaving_does_not_wait_for_silent_clients() -> None:
    async def work() -> float:
        async with listening(hello) as port:
            clients = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
            clients[0][1].write(b"GET / HT")
            await asyncio.sleep(0.05)
            before = asyncio.get_running_loop().time()
        for _, writer in clients:
            writer.close()
        return asyncio.get_running_loop().time() - before

    assert asyncio.run(work()) < 3

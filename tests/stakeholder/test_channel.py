"""The loopback channel: what is told to whom, and what a hostile client can do (nothing to anybody else)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import signal
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.stakeholder.toy import FixedRouter, open_session
from underspec.errors import HarnessError, StakeholderError, UnderspecError
from underspec.prompts.builder import clarification_block
from underspec.stakeholder.channel import ChannelServer
from underspec.stakeholder.http1 import Deadlines
from underspec.stakeholder.session import Session

ANSWER = "Answer of C1.\nSecond line."
FAST = Deadlines(read=0.3, write=0.3, hang_up=0.1)
Address = tuple[str, int]


def listening(backlog: int = 256) -> socket.socket:
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.listen(backlog)
    return sock


@contextlib.asynccontextmanager
async def channel(
    session: Session, *, max_connections: int = 64, deadlines: Deadlines | None = None
) -> AsyncIterator[tuple[ChannelServer, Address]]:
    sock = listening()
    address: Address = sock.getsockname()
    async with ChannelServer(sock, session, max_connections=max_connections, deadlines=deadlines) as server:
        yield server, address


async def raw(address: Address, data: bytes, *, half_close: bool = False) -> bytes:
    """Send bytes, read to the end."""
    reader, writer = await asyncio.open_connection(*address)
    try:
        writer.write(data)
        if half_close:
            writer.write_eof()
        return await asyncio.wait_for(reader.read(), 5)
    except ConnectionError:
        return b""
    finally:
        writer.close()


def request(body: bytes, *, method: str = "POST", path: str = "/ask", headers: str = "") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
    return head.encode() + body


def parsed(response: bytes) -> tuple[int, Any]:
    head, _, body = response.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


def post(address: Address, body: Any, path: str = "/ask") -> Awaitable[bytes]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return raw(address, request(data, path=path))


def run(tmp_path: Path, work: Callable[[Session], Awaitable[None]], *, budget: int = 16) -> Session:
    with open_session(tmp_path / "session.jsonl", budget=budget) as session:
        asyncio.run(work(session))  # type: ignore[arg-type]
        return session


def test_a_question_gets_its_reply_and_what_is_left_and_nothing_else(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        async with channel(session) as (_, address):
            for path in ("/ask", "/", "/ask?x=1"):
                status, body = parsed(await post(address, {"question": "C1"}, path))
                assert status == 200
                assert body == {"data": {"reply": ANSWER}, "status": {"ok": True, "remaining": session.remaining}}

    run(tmp_path, work)


def test_published_fields_are_accepted_and_ignored(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        async with channel(session) as (_, address):
            asked = {"append_id": "0" * 32, "task_id": ["../../x"], "question": "C1", "budget": 99}
            assert parsed(await post(address, asked, "/"))[1]["status"] == {"ok": True, "remaining": 15}

    run(tmp_path, work)


def test_usual_clients_are_understood(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        async with channel(session) as (_, (host, port)):
            async with httpx.AsyncClient(base_url=f"http://{host}:{port}") as client:
                for _ in range(3):
                    assert (await client.post("/ask", json={"question": "C1"})).json()["data"] == {"reply": ANSWER}
                usage = await client.get("/")
                assert usage.status_code == 200
                assert usage.text.count("\n") == 1
                chunked = await client.post("/ask", content=_chunks())
                assert chunked.json()["status"]["ok"]
            bare = b"POST /ask HTTP/1.0\r\nContent-Length: 17\r\n\r\n" + b'{"question":"C1"}'
            assert parsed(await raw((host, port), bare, half_close=True))[0] == 200

    async def _chunks() -> AsyncIterator[bytes]:
        for piece in (b'{"ques', b'tion": ', b'"C1"}'):
            yield piece

    run(tmp_path, work)


BASH = r"""exec 3<>/dev/tcp/HOST/PORT
printf 'POST /ask HTTP/1.0\r\nContent-Length: 17\r\n\r\n{"question":"C1"}' >&3
cat <&3 | tail -n 1"""


@pytest.mark.parametrize("way", ["curl", "python3", "bash"])
def test_the_ways_of_asking_that_agents_are_told_work(tmp_path: Path, way: str) -> None:
    if shutil.which(way) is None:
        pytest.skip(f"{way} is not here")

    async def work(session: Session) -> None:
        async with channel(session) as (_, (host, port)):
            block = clarification_block(f"http://{host}:{port}/ask", 16)
            told = [line.strip() for line in block.splitlines() if line.strip().startswith(way)]
            command = told[0] if told else BASH.replace("HOST", host).replace("PORT", str(port))
            process = await asyncio.create_subprocess_exec("bash", "-c", command, stdout=asyncio.subprocess.PIPE)
            output, _ = await process.communicate()
            assert process.returncode == 0
            assert json.loads(output)["status"] == {"ok": True, "remaining": 15}

    assert run(tmp_path, work).log().turns[0].number == 1


def test_a_client_that_waits_for_leave_to_send_gets_it(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        async with channel(session) as (_, address):
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: 17\r\nExpect: 100-continue\r\n\r\n")
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
            writer.write(b'{"question":"C1"}')
            assert parsed(await reader.read())[0] == 200
            writer.close()

    run(tmp_path, work)


def test_a_spent_budget_is_told_as_published(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        async with channel(session) as (_, address):
            await post(address, {"question": "C1", "request_id": "a"})
            status, body = parsed(await post(address, {"question": "C2"}))
            assert status == 200
            assert body == {
                "data": None,
                "status": {"ok": False, "error": "max_interactions_reached", "remaining": 0},
            }
            again = parsed(await post(address, {"question": "C1", "request_id": "a"}))[1]
            assert again == {"data": {"reply": ANSWER}, "status": {"ok": True, "remaining": 0}}

    run(tmp_path, work, budget=1)


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (b"", 400, "invalid_json"),
        (b"question=C1", 400, "invalid_json"),
        (b"\xff\xfe", 400, "invalid_json"),
        (b"[" * 60_000, 400, "invalid_json"),
        (b'{"question": ' + b"9" * 6_000 + b"}", 400, "invalid_json"),
        (b'["C1"]', 400, "invalid_json"),
        (b'"C1"', 400, "invalid_json"),
        (b"{}", 400, "invalid_question"),
        (b'{"question": null}', 400, "invalid_question"),
        (b'{"question": ["C1"]}', 400, "invalid_question"),
        (b'{"question": "  "}', 400, "invalid_question"),
        (b'{"question": "\\ud800"}', 400, "invalid_question"),
        (json.dumps({"question": "x" * 8_193}).encode(), 400, "invalid_question"),
        (b'{"question": "C1", "request_id": 7}', 400, "invalid_request_id"),
        (b'{"question": "C1", "request_id": ""}', 400, "invalid_request_id"),
        (json.dumps({"question": "C1", "pad": "x" * 65_536}).encode(), 413, "too_large"),
    ],
)
def test_malformed_questions_get_a_4xx_and_cost_nothing(tmp_path: Path, body: bytes, status: int, error: str) -> None:
    async def work(session: Session) -> None:
        async with channel(session) as (server, address):
            got, told = parsed(await post(address, body))
            assert got == status
            assert told["data"] is None
            assert told["status"]["ok"] is False
            assert told["status"]["error"] == error
            assert session.remaining == 16
            assert parsed(await post(address, {"question": "C1"}))[0] == 200
            assert server.failure is None

    run(tmp_path, work)


def test_a_request_id_with_another_question_is_a_conflict(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        async with channel(session) as (_, address):
            await post(address, {"question": "C1", "request_id": "a"})
            status, body = parsed(await post(address, {"question": "C2", "request_id": "a"}))
            assert status == 409
            assert body["status"]["error"] == "request_id_reused"

    run(tmp_path, work)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/log", 404),
        ("GET", "/docs", 404),
        ("GET", "/openapi.json", 404),
        ("POST", "/stats", 404),
        ("POST", "/../ask", 404),
        ("PUT", "/ask", 405),
        ("DELETE", "/", 405),
        ("OPTIONS", "/ask", 405),
    ],
)
def test_there_is_nothing_else_to_find(tmp_path: Path, method: str, path: str, status: int) -> None:
    async def work(session: Session) -> None:
        async with channel(session) as (_, address):
            assert parsed(await raw(address, request(b'{"question": "C1"}', method=method, path=path)))[0] == status
            head = await raw(address, request(b"", method="HEAD", path="/ask"))
            assert head.startswith(b"HTTP/1.1 405")
            assert head.endswith(b"\r\n\r\n")

    assert run(tmp_path, work).remaining == 16


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 64, 400),
        (b"POST /ask HTTP/1.1\r\nContent-Length: -1\r\nHost: x\r\n\r\n", 400),
        (b"POST /ask HTTP/1.1\r\nContent-Length: " + b"9" * 5_000 + b"\r\nHost: x\r\n\r\n", 400),
        (b"POST /ask HTTP/1.1\r\nTransfer-Encoding: gzip\r\nHost: x\r\n\r\n", 400),
        (b"POST /ask HTTP/2.0\r\nHost: x\r\n\r\n", 400),
        (b"POST /ask HTTP/1.1\r\nContent-Length: 99999999\r\nHost: x\r\n\r\n", 413),
        (b"POST /ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + b"8000\r\n" + b"x" * 0x8000 + b"\r\n"
         + b"8000\r\n" + b"x" * 0x8000 + b"\r\n8\r\nxxxxxxxx\r\n0\r\n\r\n", 413),
        (b"POST /ask HTTP/1.1\r\nHost: x\r\n" + b"X-Pad: " + b"y" * 100_000 + b"\r\n\r\n", 431),
        (b"POST /ask HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 40_000 + b"\r\n", 431),
    ],
)  # fmt: skip
def test_what_is_no_fit_request_gets_a_4xx(tmp_path: Path, data: bytes, status: int) -> None:
    async def work(session: Session) -> None:
        async with channel(session) as (server, address):
            answer = await raw(address, data)
            assert parsed(answer)[0] == status
            assert server.failure is None

    run(tmp_path, work)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.binary(max_size=300),
        st.binary(max_size=200).map(lambda body: request(body)),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(max_size=20),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
        ).map(lambda value: request(json.dumps({"question": value, "request_id": value}).encode())),
    )
)
def test_no_bytes_bring_forth_a_5xx(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    async def work(session: Session) -> None:
        async with channel(session, deadlines=FAST) as (server, address):
            answer = await raw(address, data, half_close=True)
            assert not answer or answer.split()[1][:1] in (b"2", b"4")
            assert server.failure is None

    run(tmp_path_factory.mktemp("fuzz"), work)


def test_failures_reach_the_operator_and_tell_the_asker_nothing(tmp_path: Path) -> None:
    router = FixedRouter()

    async def work(session: Session) -> None:
        async with channel(session) as (server, address):
            router.error = ValueError("secret of C1")
            waiting = asyncio.create_task(server.failed())
            answer = await post(address, {"question": "C1"})
            status, body = parsed(answer)
            assert status == 200
            assert body["data"] is None
            assert body["status"]["error"] == "unavailable"
            assert b"secret" not in answer
            assert b"ValueError" not in answer
            failure = await asyncio.wait_for(waiting, 1)
            assert isinstance(failure, StakeholderError)
            assert server.failure is failure
            assert session.remaining == 16

    with open_session(tmp_path / "s", router=router) as session:
        asyncio.run(work(session))


class BrokenSession:
    async def ask(self, question: str, request_id: str | None = None) -> Any:
        raise ZeroDivisionError


def test_a_fault_of_our_own_is_not_swallowed() -> None:
    async def work() -> UnderspecError:
        sock = listening()
        address: Address = sock.getsockname()
        async with ChannelServer(sock, BrokenSession()) as server:
            assert await post(address, {"question": "C1"}) == b""
            return await asyncio.wait_for(server.failed(), 1)

    failure = asyncio.run(work())
    assert isinstance(failure, HarnessError)
    assert isinstance(failure.__cause__, ZeroDivisionError)


def test_a_slow_client_is_cut_off_and_keeps_nobody_waiting(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        async with channel(session, max_connections=2, deadlines=FAST) as (_, address):
            slow = [await asyncio.open_connection(*address) for _ in range(6)]
            for _, writer in slow:
                writer.write(b"POST /ask HTTP/1.1\r\nHost: x\r\n")
            before = time.monotonic()
            assert parsed(await post(address, {"question": "C1"}))[0] == 200
            assert time.monotonic() - before < 3
            answers = [await reader.read() for reader, _ in slow]
            assert all(answer.startswith(b"HTTP/1.1 408") for answer in answers)
            for _, writer in slow:
                writer.close()

    run(tmp_path, work)


def test_a_dribbling_client_has_one_deadline_for_its_whole_request(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        async with channel(session, deadlines=FAST) as (_, address):
            reader, writer = await asyncio.open_connection(*address)
            answered = asyncio.create_task(reader.read(12))
            before = time.monotonic()
            while not answered.done() and time.monotonic() - before < 5:
                writer.write(b"X")
                await asyncio.sleep(0.02)
            assert await answered == b"HTTP/1.1 408"
            assert time.monotonic() - before < 2
            writer.close()

    run(tmp_path, work)


def test_a_client_that_does_not_take_its_response_is_let_go(tmp_path: Path) -> None:
    big = "x" * 8_000_000

    class Big:
        async def ask(self, question: str, request_id: str | None = None) -> Any:
            from underspec.stakeholder.session import Answer

            return Answer(big, 1)

    async def work() -> None:
        sock = listening()
        address: Address = sock.getsockname()
        async with ChannelServer(sock, Big(), max_connections=1, deadlines=FAST) as server:
            deaf = socket.socket()
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(address)
            deaf.sendall(request(b'{"question": "C1"}'))
            answer = await post(address, {"question": "C1"})
            assert len(answer) > len(big)
            assert server.failure is None
            deaf.close()

    asyncio.run(work())


def test_clients_that_vanish_at_any_moment_do_no_harm(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        async with channel(session, max_connections=4, deadlines=FAST) as (server, address):
            whole = request(b'{"question": "C1"}')
            for cut in range(0, len(whole), 7):
                sock = socket.create_connection(address)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset, not a farewell
                sock.sendall(whole[:cut])
                await asyncio.sleep(0)
                sock.close()
            assert parsed(await post(address, {"question": "C1"}))[0] == 200
            assert server.failure is None

    run(tmp_path, work)


def test_a_client_that_leaves_while_it_is_answered_can_fetch_the_reply_by_request_id(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        async with channel(session) as (_, address):
            _, writer = await asyncio.open_connection(*address)
            writer.write(request(b'{"question": "C1", "request_id": "a"}'))
            await writer.drain()
            writer.close()
            body = parsed(await post(address, {"question": "C1", "request_id": "a"}))[1]
            assert body["status"] == {"ok": True, "remaining": 15}

    run(tmp_path, work)


def test_two_hundred_parallel_clients_are_all_answered(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        async with channel(session, max_connections=16) as (_, address):
            answers = await asyncio.gather(*(post(address, {"question": "C1"}) for _ in range(200)))
            told = [parsed(answer) for answer in answers]
            assert {status for status, _ in told} == {200}
            assert sorted(body["status"]["remaining"] for _, body in told) == list(range(200))

    run(tmp_path, work, budget=200)


@pytest.mark.parametrize("behaviour", ["idle", "half", "stalled ask", "deaf"])
def test_leaving_takes_less_than_a_second_whatever_clients_do(tmp_path: Path, behaviour: str) -> None:
    class Stalled:
        async def ask(self, question: str, request_id: str | None = None) -> Any:
            await asyncio.sleep(3600)

    async def work() -> float:
        sock = listening()
        address: Address = sock.getsockname()
        async with ChannelServer(sock, Stalled()):
            clients = []
            for _ in range(20):
                reader, writer = await asyncio.open_connection(*address)
                if behaviour == "half":
                    writer.write(b"POST /ask HTT")
                if behaviour in {"stalled ask", "deaf"}:
                    writer.write(request(b'{"question": "C1"}'))
                clients.append((reader, writer))
            await asyncio.sleep(0.05)
            before = time.monotonic()
        taken = time.monotonic() - before
        for _, writer in clients:
            writer.close()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(*address)
        return taken

    assert asyncio.run(work()) < 1.0


def test_leaving_lets_a_reply_that_is_on_its_way_arrive(tmp_path: Path) -> None:
    class Slow:
        async def ask(self, question: str, request_id: str | None = None) -> Any:
            from underspec.stakeholder.session import Answer

            await asyncio.sleep(0.1)
            return Answer("late", 1)

    async def work() -> bytes:
        sock = listening()
        address: Address = sock.getsockname()
        async with ChannelServer(sock, Slow()):
            asking = asyncio.ensure_future(post(address, {"question": "C1"}))
            await asyncio.sleep(0.05)
        return await asking

    assert parsed(asyncio.run(work()))[1]["data"] == {"reply": "late"}


def test_signal_handlers_stay_as_they_are(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        async with channel(session) as (_, address):
            await post(address, {"question": "C1"})
            assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers

    run(tmp_path, work)


def test_only_loopback_is_served(tmp_path: Path) -> None:
    with open_session(tmp_path / "s") as session, socket.socket() as sock:
        sock.bind(("0.0.0.0", 0))
        with pytest.raises(HarnessError, match="loopback"):
            ChannelServer(sock, session)


def test_a_unix_socket_is_served_as_well(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(str(tmp_path / "u"))
        sock.listen()
        async with ChannelServer(sock, session):
            reader, writer = await asyncio.open_unix_connection(tmp_path / "u")
            writer.write(request(b'{"question": "C1"}'))
            assert parsed(await reader.read())[0] == 200
            writer.close()

    run(tmp_path, work)

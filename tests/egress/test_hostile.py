from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.egress.world import HELLO, client_hello, lists, says, server, world

MIB = 1024**2
TUNNEL = b"CONNECT registry.test:%d HTTP/1.1\r\nHost: x\r\n\r\n"


def handles() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A host that takes connections and never says anything."""
    while await reader.read(MIB):
        pass


@contextlib.asynccontextmanager
async def quiet_loop() -> AsyncIterator[list[str]]:
    """Collects what the event loop would complain of."""
    complaints: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(str(context)))
    yield complaints
    assert complaints == []


async def until(seconds: float, condition: Callable[[], object]) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def test_who_sends_slowly_is_refused_and_keeps_nobody_else_from_being_served(tmp_path: Path) -> None:
    async def run() -> None:
        async def drip(port: int) -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                for letter in b"GET http://registry.test/ HTTP/1.1\r\nX: " + b"x" * 1000:
                    writer.write(bytes([letter]))
                    await asyncio.sleep(0.05)
            except OSError:
                pass
            with contextlib.suppress(OSError):
                return await reader.read()
            return b""

        async with server(says(HELLO)) as port, world(tmp_path, lists(port), connections=2) as there:
            slow = [asyncio.create_task(drip(there.port)) for _ in range(6)]
            await asyncio.sleep(0.1)
            request = f"GET http://registry.test:{port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode()
            assert (await there.ask(request)).endswith(b"hello")
            for each in slow:
                each.cancel()
            await asyncio.wait(slow)
        assert {line["rule"] for line in there.lines()} == {"slow", "registry:test"}

    asyncio.run(run())


@pytest.mark.parametrize(
    "beginning",
    [
        b"GET http://registry.test/ HTTP/1.1\r\nX: " + b"x" * MIB,
        b"GET http://registry.test/" + b"x" * MIB,
        b"X" * MIB,
        b"GET http://registry.test/ HTTP/1.1\r\n" + b"A: b\r\n" * 100_000,
    ],
    ids=["header", "target", "method", "many headers"],
)
def test_a_head_without_end_is_refused(tmp_path: Path, beginning: bytes) -> None:
    async def run() -> None:
        async with world(tmp_path, lists(80)) as there:
            reader, writer = await asyncio.open_connection("127.0.0.1", there.port)
            with contextlib.suppress(OSError):
                writer.write(beginning)
                await writer.drain()
            with contextlib.suppress(OSError):
                assert (await reader.read()).startswith((b"HTTP/1.1 431 ", b"HTTP/1.1 400 "))
            writer.transport.abort()
        (line,) = there.lines()
        assert (line["outcome"], line["rule"]) == ("refused", "no-http")

    asyncio.run(run())


def test_a_tunnel_in_which_nothing_moves_is_closed(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(silent) as port, world(tmp_path, lists(port)) as there:
            before = handles()
            began = time.monotonic()
            opened = [await asyncio.open_connection("127.0.0.1", there.port) for _ in range(4)]
            hello = client_hello("registry.test")
            for (_, writer), sent in zip(opened, (b"", TUNNEL % port, TUNNEL % port + hello, hello), strict=True):
                writer.write(sent)
            for reader, _ in opened:
                await reader.read()
            assert time.monotonic() - began < 5
            for _, writer in opened:
                writer.transport.abort()
            await until(5, lambda: handles() <= before)

    asyncio.run(run())


def test_one_end_that_is_gone_without_a_word_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    async def run() -> None:
        async def halfway(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            writer.write_eof()  # and never closes
            await asyncio.sleep(60)

        async with server(halfway) as port, world(tmp_path, lists(port)) as there:
            reader, writer = await asyncio.open_connection("127.0.0.1", there.port)
            writer.write(TUNNEL % port + client_hello("registry.test"))
            began = time.monotonic()
            await reader.read()  # the host's end is passed on; ours never comes
            await until(5, lambda: there.log_path.read_text())
            assert 0.4 < time.monotonic() - began < 5
            writer.transport.abort()

    asyncio.run(run())


def reset(sock: socket.socket) -> None:
    """Close it as a process that is killed would not even do."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def test_abrupt_ends_leave_nothing_behind(tmp_path: Path) -> None:
    async def run() -> None:
        async def flooding(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            for _ in range(20):
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_000)
                await asyncio.sleep(0)
            writer.transport.abort()

        loop = asyncio.get_running_loop()
        async with quiet_loop(), server(flooding) as port, world(tmp_path, lists(port)) as there:
            hello = client_hello("registry.test")
            plain = b"POST http://registry.test:%d/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\nbody" % port
            whole = TUNNEL % port + hello + b"x" * 1000
            cuts = [whole[:length] for length in (0, 5, len(TUNNEL % port) - 1, len(TUNNEL % port), len(whole))]
            before = handles()
            for _ in range(5):
                for sent in (*cuts, plain, plain[:60]):
                    for wait in (0.0, 0.01):
                        sock = socket.create_connection(("127.0.0.1", there.port))
                        sock.setblocking(False)
                        await loop.sock_sendall(sock, sent)
                        await asyncio.sleep(wait)
                        reset(sock)
            await until(5, lambda: handles() <= before)
            assert there.proxy.failure is None

    asyncio.run(run())


def test_the_proxy_is_left_at_once_whatever_is_open(tmp_path: Path) -> None:
    async def run() -> None:
        before = handles()
        async with quiet_loop(), server(silent) as port:
            async with world(tmp_path, lists(port), head=30, idle=30, hang_up=30) as there:
                writers = []
                for sent in (b"", b"GET", TUNNEL % port, TUNNEL % port + client_hello("registry.test"), b"CONNECT") * 4:
                    _, writer = await asyncio.open_connection("127.0.0.1", there.port)
                    writer.write(sent)
                    writers.append(writer)
                await asyncio.sleep(0.2)
                began = time.monotonic()
            assert time.monotonic() - began < 1
            for writer in writers:
                writer.transport.abort()
        await until(5, lambda: handles() <= before)

    asyncio.run(run())


def test_who_is_only_refused_is_answered_more_and_more_slowly(tmp_path: Path) -> None:
    async def run() -> None:
        async with world(tmp_path, lists(80), pause=0.2) as there:
            request = b"CONNECT elsewhere.test:443 HTTP/1.1\r\nHost: x\r\n\r\n"

            async def seconds() -> float:
                began = time.monotonic()
                await there.ask(request)
                return time.monotonic() - began

            first = await seconds()
            await asyncio.gather(*(seconds() for _ in range(200)))
            assert await seconds() > 0.2 > first

    asyncio.run(run())


@dataclass
class Served:
    """A proxy in a process of its own."""

    port: int
    pid: int

    def memory(self) -> int:
        """The most that it ever had, in bytes."""
        return self._status("VmHWM") * 1024

    def _status(self, name: str) -> int:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
        raise AssertionError(name)

    def handles(self) -> int:
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))


@contextlib.asynccontextmanager
async def served(folder: Path, upstream: int) -> AsyncIterator[Served]:
    """Ends with the proof that it left nothing open."""
    command = [sys.executable, "-m", "tests.egress.serving", str(folder), str(upstream)]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Served(int(await process.stdout.readline()), process.pid)
        process.stdin.close()
        assert int(await process.stdout.readline()) == 0
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def test_a_thousand_connections_at_once_are_served_in_turn_within_bounds(tmp_path: Path) -> None:
    async def run() -> None:
        async def ask(port: int, upstream: int, number: int) -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                host = "registry.test" if number % 2 else "elsewhere.test"
                writer.write(f"GET http://{host}:{upstream}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                return await reader.read()
            finally:
                writer.transport.abort()

        async with server(says(HELLO)) as upstream, served(tmp_path, upstream) as there:
            idle, memory = there.handles(), there.memory()
            asking = [asyncio.create_task(ask(there.port, upstream, number)) for number in range(1000)]
            most = 0
            while not all(each.done() for each in asking):
                most = max(most, there.handles())
                await asyncio.sleep(0.05)
            answers = [each.result() for each in asking]
            await until(5, lambda: there.handles() <= idle)
            assert sum(answer.endswith(b"hello") for answer in answers) == 500
            assert sum(answer.startswith(b"HTTP/1.1 403 ") for answer in answers) == 500
            assert most <= idle + 2 * 64
            assert there.memory() - memory < 16 * MIB

    asyncio.run(run())


def test_floods_that_nobody_takes_are_not_held_in_memory(tmp_path: Path) -> None:
    async def run() -> None:
        async def flooding(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                writer.write(b"x" * MIB)
                await writer.drain()

        async def flood(port: int, upstream: int, hello: bytes) -> None:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(TUNNEL % upstream + hello)
                while True:
                    writer.write(b"y" * MIB)
                    await writer.drain()
            except OSError:
                pass
            finally:
                writer.transport.abort()

        hello = client_hello("registry.test")
        async with server(flooding) as upstream, served(tmp_path, upstream) as there:
            memory = there.memory()
            floods = [asyncio.create_task(flood(there.port, upstream, hello)) for _ in range(64)]
            await asyncio.wait(floods, timeout=1.5)
            for each in floods:
                each.cancel()
            await asyncio.wait(floods)
            assert there.memory() - memory < 32 * MIB

    asyncio.run(run())

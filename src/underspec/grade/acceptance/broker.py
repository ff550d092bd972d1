"""The harness's side of the line between private tests and the deliverable: what a test asks for is done there.

Each connection carries one order, a line of JSON, and its answer, another; after ``connect`` and ``accept`` it carries
the bytes of a connection. Orders come from the tests alone: the line is a socket of their own sandbox. What the
deliverable sends is only ever passed on, within limits.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import json
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from underspec.errors import (
    AgentError,
    HarnessError,
    HostExhaustedError,
    SandboxError,
    SandboxGoneError,
    UnderspecError,
    UsageError,
)
from underspec.grade.acceptance.subjects import Subjects
from underspec.sandbox.protocol import WORKSPACE, ExecResult, Sandbox

PORT = 8079
_MOST_ORDER = 64 * 1024**2
_MOST_SECONDS = 3600.0
_MOST_WAITING = 64
_MOST_SAID = 4000
_MOST_NAMES = 100_000
_CHUNK = 64 * 1024

Answer = dict[str, Any]


class _Tail:
    """The end of what a command says."""

    def __init__(self) -> None:
        self.said = bytearray()

    def hear(self, chunk: bytes) -> None:
        """Keep the last of it."""
        self.said += chunk
        del self.said[:-_MOST_SAID]


@dataclass
class _Server:
    """A command that runs in the background."""

    running: asyncio.Future[ExecResult]
    errors: _Tail


@dataclass
class _Stage:
    """One deliverable's sandbox, and everything that a test has going on in it."""

    sandbox: Sandbox
    servers: list[_Server] = field(default_factory=list)
    offers: dict[int, tuple[asyncio.Server, asyncio.Queue[_Pipe]]] = field(default_factory=dict)
    pipes: set[_Pipe] = field(default_factory=set)

    async def end(self) -> list[UnderspecError]:
        """Stop what the harness does for it; returns what had gone wrong."""
        for server, _ in self.offers.values():
            server.close()
        for pipe in tuple(self.pipes):
            pipe.close()
        for each in self.servers:
            each.running.cancel()
        ended = await asyncio.gather(*(each.running for each in self.servers), return_exceptions=True)
        return [problem for problem in ended if isinstance(problem, UnderspecError)]


class _Pipe:
    """One connection's two streams."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def close(self) -> None:
        """Hang up."""
        self.writer.close()


class Broker:
    """Serves the tests' sandbox until :meth:`close`. ``failure`` is what was nobody's fault but ours."""

    def __init__(self, subjects: Subjects) -> None:
        self._subjects = subjects
        self._stage: _Stage | None = None
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self.failure: Exception | None = None
        self._orders: dict[str, Callable[[Answer], Awaitable[Answer]]] = {
            "fresh": self._fresh,
            "run": self._run,
            "write": self._write,
            "read": self._read,
            "names": self._names,
            "start": self._start,
            "ended": self._ended,
            "kill": self._kill,
            "offer": self._offer,
        }

    async def serve(self, listener: socket.socket) -> None:
        """Take connections from the tests' sandbox."""
        self._server = await asyncio.start_server(self._met, sock=listener, limit=_MOST_ORDER)

    async def close(self) -> None:
        """Hang up on everybody and remove the deliverable's sandboxes."""
        if self._server is not None:
            self._server.close()
        for serving in tuple(self._serving):
            serving.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        await self._leave_stage()
        await self._subjects.close()

    async def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection. What goes wrong on our side is kept, and said by whoever waits for the tests."""
        pipe = _Pipe(reader, writer)
        serving = asyncio.ensure_future(self._attend(pipe))
        self._serving.add(serving)
        try:
            await asyncio.wait({serving})
        finally:
            self._serving.discard(serving)
            pipe.close()
        if not serving.cancelled() and (problem := serving.exception()) is not None:
            self._blame(problem)

    def _blame(self, problem: BaseException) -> None:
        if isinstance(problem, ConnectionError):
            return  # the tests' side hung up; what they made of it stands in their report
        if self.failure is None:
            self.failure = problem if isinstance(problem, UnderspecError) else _ours(problem)

    async def _attend(self, pipe: _Pipe) -> None:
        try:
            order = json.loads(await pipe.reader.readuntil(b"\n"))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            return
        if not isinstance(order, dict):
            return
        try:
            if order.get("op") == "connect":
                await self._connect(order, pipe)
            elif order.get("op") == "accept":
                await self._accept(order, pipe)
            else:
                await _say(pipe, await self._obey(order))
        except (UsageError, KeyError, TypeError, ValueError, binascii.Error) as problem:
            await _say(pipe, {"error": f"the order cannot be carried out: {type(problem).__name__}: {problem}"})
        except AgentError as problem:
            await _say(pipe, {"refused": str(problem)})  # such as a folder where a file should go, or a full disk
        except SandboxError as problem:
            self._blame(problem)
            await _say(pipe, {"error": f"the sandbox failed: {problem}"})

    async def _obey(self, order: Answer) -> Answer:
        run = self._orders.get(order.get("op", ""))
        if run is None:
            raise UsageError(f"there is no order {order.get('op')!a}")
        return await run(order)

    @property
    def _there(self) -> _Stage:
        if self._stage is None:
            raise UsageError("no deliverable has been asked for yet", mend="call Delivery.fresh() first")
        return self._stage

    async def _leave_stage(self) -> None:
        stage, self._stage = self._stage, None
        for problem in await stage.end() if stage is not None else ():
            self._blame(problem)

    async def _fresh(self, order: Answer) -> Answer:
        await self._leave_stage()
        self._stage = _Stage(await self._subjects.fresh())
        return {}

    async def _run(self, order: Answer) -> Answer:
        end = await self._there.sandbox.exec(
            [str(word) for word in order["argv"]],
            cwd=WORKSPACE,
            env=_environment(order),
            stdin=base64.b64decode(order["stdin"], validate=True),
            timeout=min(float(order["seconds"]), _MOST_SECONDS),
        )
        return {
            "exit_code": None if end.limit else end.exit_code,
            "signal": None if end.limit else end.signal,
            "limit": end.limit,
            "stdout": base64.b64encode(end.stdout).decode(),
            "stderr": base64.b64encode(end.stderr).decode(),
        }

    async def _write(self, order: Answer) -> Answer:
        await self._there.sandbox.put(order["path"], base64.b64decode(order["content"], validate=True))
        return {}

    async def _read(self, order: Answer) -> Answer:
        try:
            content = await self._there.sandbox.get(order["path"], max_bytes=int(order["most"]))
        except AgentError:
            return {"content": None}
        return {"content": base64.b64encode(content).decode()}

    async def _names(self, order: Answer) -> Answer:
        files = await self._there.sandbox.collect(order["path"], max_file=0, max_files=_MOST_NAMES, max_total=0)
        return {"names": sorted(file.name for file in files)}

    async def _start(self, order: Answer) -> Answer:
        stage = self._there
        errors = _Tail()
        command = stage.sandbox.exec(
            [str(word) for word in order["argv"]],
            cwd=WORKSPACE,
            env=_environment(order),
            keep_output=False,
            end_on_output_limit=False,
            on_stderr=errors.hear,
        )
        stage.servers.append(_Server(asyncio.ensure_future(command), errors))
        return {"number": len(stage.servers) - 1}

    async def _ended(self, order: Answer) -> Answer:
        server = self._there.servers[int(order["number"])]
        ended = server.running.done()
        end = server.running.result() if ended and not server.running.cancelled() else None
        return {
            "ended": ended,
            "exit_code": end.exit_code if end else None,
            "stderr": base64.b64encode(bytes(server.errors.said)).decode(),
        }

    async def _kill(self, order: Answer) -> Answer:
        server = self._there.servers[int(order["number"])]
        server.running.cancel()
        await asyncio.gather(server.running, return_exceptions=True)
        return {}

    async def _offer(self, order: Answer) -> Answer:
        """Listen in the deliverable's sandbox; connections wait for a test to take them, a limited number of them."""
        stage, port = self._there, int(order["port"])
        if port in stage.offers:
            raise UsageError(f"port {port} is offered already")
        waiting: asyncio.Queue[_Pipe] = asyncio.Queue(_MOST_WAITING)

        def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            pipe = _Pipe(reader, writer)
            try:
                waiting.put_nowait(pipe)
            except asyncio.QueueFull:
                pipe.close()
                return
            stage.pipes.add(pipe)

        try:
            listener = await stage.sandbox.listen(port)
        except (SandboxGoneError, HostExhaustedError):
            raise
        except SandboxError as problem:
            raise AgentError(f"port {port} is in use already") from problem
        stage.offers[port] = (await asyncio.start_server(met, sock=listener), waiting)
        return {}

    async def _accept(self, order: Answer, tests: _Pipe) -> None:
        """Give the next connection of the deliverable to a test, once there is one, if the test is still there."""
        stage = self._there
        _, waiting = stage.offers[int(order["port"])]
        stage.pipes.add(tests)
        coming = asyncio.ensure_future(waiting.get())
        hung_up = asyncio.ensure_future(tests.reader.read(1))
        try:
            await asyncio.wait({coming, hung_up}, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                return
            theirs = coming.result()
            hung_up.cancel()
            await asyncio.gather(hung_up, return_exceptions=True)
            await _say(tests, {"ok": True})
            await self._join(stage, tests, theirs)
        finally:
            coming.cancel()
            hung_up.cancel()
            stage.pipes.discard(tests)

    async def _connect(self, order: Answer, tests: _Pipe) -> None:
        stage = self._there
        try:
            connection = await stage.sandbox.connect(int(order["port"]))
        except AgentError:
            await _say(tests, {"ok": False})
            return
        reader, writer = await asyncio.open_connection(sock=connection)
        await _say(tests, {"ok": True})
        await self._join(stage, tests, _Pipe(reader, writer))

    async def _join(self, stage: _Stage, one: _Pipe, other: _Pipe) -> None:
        stage.pipes |= {one, other}
        try:
            await asyncio.gather(_flow(one, other), _flow(other, one))
        finally:
            stage.pipes -= {one, other}
            one.close()
            other.close()


def _ours(problem: BaseException) -> HarnessError:
    error = HarnessError(f"the line to the deliverable broke down: {type(problem).__name__}: {problem}")
    error.__cause__ = problem
    return error


def _environment(order: Answer) -> dict[str, str]:
    return {str(name): str(value) for name, value in order.get("env", {}).items()}


async def _say(pipe: _Pipe, answer: Answer) -> None:
    pipe.writer.write(json.dumps(answer).encode() + b"\n")
    await pipe.writer.drain()


async def _flow(source: _Pipe, target: _Pipe) -> None:
    """Pass bytes on to the end, as fast as they are taken, and pass the end on; a broken connection is an end too."""
    with contextlib.suppress(OSError):
        while chunk := await source.reader.read(_CHUNK):
            target.writer.write(chunk)
            await target.writer.drain()
        if target.writer.can_write_eof():
            target.writer.write_eof()

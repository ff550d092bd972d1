"""The harness's end of the line to one keeper: orders out, answers in, on the event loop."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from underspec.errors import (
    AgentError,
    EnvironmentLacksError,
    HostExhaustedError,
    SandboxError,
    SandboxGoneError,
    UsageError,
)
from underspec.sandbox import keeper
from underspec.sandbox.keeper import wire

# How a keeper is started: with nothing of this process's environment, and no packages.
KEEPER = (sys.executable, "-I", "-S", str(Path(keeper.__file__).with_name("__main__.py")))
_END_PATIENCE = 20.0


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class KeeperLine:
    """A running keeper. Answers carry the number of their order."""

    def __init__(self, kind: str = "bubblewrap") -> None:
        """Start a keeper of that kind (or of ``container``). It gets nothing of this process's environment."""
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors = os.memfd_create("keeper", os.MFD_CLOEXEC)
        try:
            self._process = subprocess.Popen(
                [*KEEPER, str(theirs.fileno()), kind],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=(theirs.fileno(),),
                env={},
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            self._line.close()
            os.close(self._errors)
            raise HostExhaustedError(
                f"the host cannot start another process: {error.strerror}", mend="run fewer sandboxes at once"
            ) from error
        finally:
            theirs.close()
        self._line.setblocking(False)
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[int, asyncio.Future[tuple[dict[str, Any], list[int]]]] = {}
        self._next = 1
        self._sending = asyncio.Lock()
        self._open = True
        self._loop.add_reader(self._line, self._on_readable)

    @property
    def pid(self) -> int:
        """The keeper's process."""
        return self._process.pid

    @property
    def open(self) -> bool:
        """Whether the keeper is there."""
        return self._open

    async def order(self, do: str, descriptors: Sequence[int] = (), **fields: Any) -> tuple[dict[str, Any], list[int]]:
        """Send an order and wait for its answer.

        Raises:
            SandboxError and others: the keeper's answer says so.
        """
        _, answer = await self.begin(do, descriptors, **fields)
        return self.checked(await answer)

    async def begin(
        self, do: str, descriptors: Sequence[int] = (), **fields: Any
    ) -> tuple[int, asyncio.Future[tuple[dict[str, Any], list[int]]]]:
        """Send an order; returns its number and the answer to come."""
        if not self._open:
            self._gone()
        number, self._next = self._next, self._next + 1
        answer: asyncio.Future[tuple[dict[str, Any], list[int]]] = self._loop.create_future()
        self._waiting[number] = answer
        async with self._sending:
            while True:
                try:
                    wire.send(self._line, {"id": number, "do": do, **fields}, descriptors)
                except BlockingIOError:
                    await self._writable()
                except OSError:
                    self._on_end()
                    break
                else:
                    break
        return number, answer

    async def _writable(self) -> None:
        ready: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_writer(self._line, _settle, ready)
        try:
            await ready
        finally:
            if self._open:
                self._loop.remove_writer(self._line)

    def checked(self, answer: tuple[dict[str, Any], list[int]]) -> tuple[dict[str, Any], list[int]]:
        """Turn an answer that says what went wrong into its error."""
        message = answer[0]
        kind = message.get("error")
        if kind is None:
            return answer
        text = str(message["text"])
        if kind == "gone":
            raise SandboxGoneError(text)
        if kind == "lacks":
            raise EnvironmentLacksError(text, mend="run `underspec doctor`, which says what to change")
        if kind == "exhausted":
            raise HostExhaustedError(text, mend="free memory and disk, or run fewer sandboxes at once")
        if kind == "usage":
            raise UsageError(text)
        if kind == "agent":
            raise AgentError(text)
        raise SandboxError(text)

    def _on_readable(self) -> None:
        while self._open:
            try:
                received = wire.receive(self._line)
            except BlockingIOError:
                return
            if received is None:
                self._on_end()
                return
            answer = self._waiting.pop(received[0]["id"], None)
            if answer is None or answer.done():
                for descriptor in received[1]:
                    os.close(descriptor)
            else:
                answer.set_result(received)

    def _on_end(self) -> None:
        if not self._open:
            return
        self._open = False
        self._loop.remove_reader(self._line)
        self._loop.remove_writer(self._line)
        self._line.close()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_result(({"error": "gone", "text": self._last_words()}, []))
        self._waiting.clear()

    def _gone(self) -> NoReturn:
        raise SandboxGoneError(self._last_words())

    def _last_words(self) -> str:
        """What the keeper said on its way out, if it broke down."""
        if self._errors < 0:
            return "the sandbox was closed"
        said = os.pread(self._errors, 4000, 0).decode(errors="replace").strip()
        return f"the sandbox's keeper broke down: {said}" if said else "the sandbox's keeper is gone"

    async def close(self) -> None:
        """Hang up; the keeper removes everything and ends. Returns when it has."""
        self._on_end()
        if self._errors < 0:
            return
        os.close(self._errors)
        self._errors = -1
        if self._process.poll() is None:
            await self._wait_for_end()
        self._process.wait()

    async def _wait_for_end(self) -> None:
        handle = os.pidfd_open(self._process.pid)
        ended: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(handle, _settle, ended)
        try:
            await asyncio.wait_for(ended, _END_PATIENCE)
        except TimeoutError:
            self._process.kill()
        finally:
            self._loop.remove_reader(handle)
            os.close(handle)

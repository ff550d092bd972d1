"""A small HTTP/1.1 server on a socket that lives inside a sandbox: one request a connection, bounded in memory.

Who asks is hostile, and can wear out nobody but itself: few connections at once, few that send at once, deadlines for
sending and taking. How long an answer may take is the answerer's to say. h11 parses.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

import h11

from underspec.errors import SandboxError

MAX_HEADER_BYTES = 64 * 1024
MAX_BODY_BYTES = 50 * 1024**2
MAX_CONNECTIONS = 64
MAX_READERS = 4
_CHUNK = 64 * 1024
_READ_SECONDS, _WRITE_SECONDS, _HANG_UP_SECONDS = 60.0, 60.0, 0.5
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


@dataclass(frozen=True)
class Request:
    """One request, whole. Names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """What to send back: ``body`` whole, or piece by piece from ``stream``, which is closed whatever happens."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    stream: AsyncGenerator[bytes] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


Answer = Callable[[Request], Awaitable[Reply]]


class _Refused(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


async def serve(sock: socket.socket, answer: Answer, start: Callable[..., object]) -> None:
    """Answer until cancelled. ``start`` starts a task: ``start(function, argument)``. Closes the socket.

    Raises what ``answer`` raises, in the task that was started for the request.
    """
    loop = asyncio.get_running_loop()
    slots, readers = asyncio.Semaphore(MAX_CONNECTIONS), asyncio.Semaphore(MAX_READERS)
    sock.setblocking(False)

    async def attend(client: socket.socket) -> None:
        try:
            await _respond(client, answer, readers)
        finally:
            slots.release()

    try:
        while True:
            await slots.acquire()
            try:
                client, _ = await loop.sock_accept(sock)
            except OSError as error:
                slots.release()
                if error.errno in _FULL:
                    await asyncio.sleep(0.1)  # the host is short of handles; those being served give some back
                elif error.errno != errno.ECONNABORTED:
                    raise SandboxError(f"a server inside a sandbox broke: {error}") from error
                continue
            start(attend, client)
    finally:
        sock.close()


async def _respond(client: socket.socket, answer: Answer, readers: asyncio.Semaphore) -> None:
    client.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=client, limit=_CHUNK)
    http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEADER_BYTES)
    try:
        try:
            async with asyncio.timeout(_READ_SECONDS):
                request = await _receive(http, reader, writer, readers)
        except TimeoutError:
            reply = Reply(408)
        except _Refused as refused:
            reply = Reply(refused.status)
        except OSError:
            return
        else:
            if request is None:
                return
            reply = await answer(request)
        # A client that goes away or does not take its answer has nobody to tell.
        with contextlib.suppress(OSError, TimeoutError, h11.LocalProtocolError):
            await _deliver(http, writer, reply)
            async with asyncio.timeout(_HANG_UP_SECONDS):
                while await reader.read(_CHUNK):
                    pass
    finally:
        writer.transport.abort()


async def _receive(
    http: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, readers: asyncio.Semaphore
) -> Request | None:
    """The request, or None when the client hung up without one. Few at a time send what is long."""
    head: h11.Request | None = None
    body = bytearray()
    async with contextlib.AsyncExitStack() as turn:
        while True:
            try:
                event = http.next_event()
            except h11.RemoteProtocolError as error:
                raise _Refused(error.error_status_hint) from error
            if event is h11.NEED_DATA:
                if http.they_are_waiting_for_100_continue:
                    writer.write(http.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
                    await writer.drain()
                http.receive_data(await reader.read(_CHUNK))
            elif isinstance(event, h11.Request):
                head = event
                await turn.enter_async_context(readers)
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > MAX_BODY_BYTES:
                    raise _Refused(413)
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
                target = head.target.decode("ascii", "replace")
                return Request(head.method.decode("ascii"), target.partition("?")[0], headers, bytes(body))
            else:
                return None


async def _deliver(http: h11.Connection, writer: asyncio.StreamWriter, reply: Reply) -> None:
    headers = [("Content-Type", reply.content_type), ("Connection", "close"), *reply.headers.items()]
    if reply.stream is None:
        headers.append(("Content-Length", str(len(reply.body))))
    reason = HTTPStatus(reply.status).phrase.encode()
    await _send(http, writer, h11.Response(status_code=reply.status, headers=headers, reason=reason))
    if reply.stream is None:
        await _send(http, writer, h11.Data(data=reply.body))
    else:
        async with contextlib.aclosing(reply.stream):
            async for piece in reply.stream:
                await _send(http, writer, h11.Data(data=piece))
    await _send(http, writer, h11.EndOfMessage())
    writer.write_eof()


async def _send(http: h11.Connection, writer: asyncio.StreamWriter, event: h11.Event) -> None:
    writer.write(http.send(event) or b"")
    async with asyncio.timeout(_WRITE_SECONDS):
        await writer.drain()

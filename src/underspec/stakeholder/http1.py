"""One HTTP/1.1 request on one connection, with deadlines and bounded memory, then the connection ends."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from http import HTTPStatus

import h11

MAX_HEADER_BYTES = 16 * 1024
MAX_BODY_BYTES = 64 * 1024
_HANG_UP_BYTES = 1024 * 1024
_CHUNK = 16 * 1024


@dataclass(frozen=True)
class Response:
    """What to send back. ``body`` is whole; ``allow`` goes with status 405."""

    status: int
    body: bytes
    content_type: str
    allow: str | None = None


Responder = Callable[[str, str, bytes], Awaitable[Response]]
"""Gets method, path and body of a request."""

Refuser = Callable[[int], Response]
"""Gets the 4xx status with which a request is refused that never reached the responder."""


@dataclass(frozen=True)
class Deadlines:
    """Seconds for the client to send its whole request, to take the whole response, and to hang up afterwards."""

    read: float = 10.0
    write: float = 10.0
    hang_up: float = 0.5


class _Refused(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


async def respond_once(client: socket.socket, responder: Responder, refuser: Refuser, deadlines: Deadlines) -> None:
    """Read one request from ``client``, send the response of ``responder``, close.

    A request that is too slow, too large or no HTTP gets a response of ``refuser``. A client that goes away is no
    error. Raises only what ``responder`` raises.
    """
    client.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=client, limit=_CHUNK)
    writer.transport.set_write_buffer_limits(0)  # so that drain() means: all of it is with the kernel
    http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEADER_BYTES)
    try:
        try:
            async with asyncio.timeout(deadlines.read):
                request = await _receive(http, reader, writer)
        except TimeoutError:
            response = refuser(408)
        except _Refused as refused:
            response = refuser(refused.status)
        except OSError:
            return
        else:
            if request is None:
                return
            method, path, body = request
            response = await responder(method, path, body)
            if method == "HEAD":
                response = replace(response, body=b"")
        # A client that goes away or does not take its response has nobody to tell.
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(deadlines.write):
                await _deliver(http, writer, response)
            async with asyncio.timeout(deadlines.hang_up):
                await _await_hang_up(reader)
    finally:
        writer.transport.abort()


async def _receive(
    http: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> tuple[str, str, bytes] | None:
    """The request, or None when the client hung up without one."""
    method = path = ""
    body = bytearray()
    while True:
        try:
            event = http.next_event()
        except h11.RemoteProtocolError as error:
            raise _Refused(error.error_status_hint) from error
        if event is h11.NEED_DATA:
            if http.they_are_waiting_for_100_continue:
                go_on = http.send(h11.InformationalResponse(status_code=100, headers=[]))
                writer.write(go_on or b"")
                await writer.drain()
            http.receive_data(await reader.read(_CHUNK))
        elif isinstance(event, h11.Request):
            method, path = event.method.decode("ascii"), event.target.decode("ascii", "replace")
            declared = dict(event.headers).get(b"content-length", b"0")
            if int(declared) > MAX_BODY_BYTES:
                raise _Refused(413)
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > MAX_BODY_BYTES:
                raise _Refused(413)
        elif isinstance(event, h11.EndOfMessage):
            return method, path, bytes(body)
        else:
            return None


async def _deliver(http: h11.Connection, writer: asyncio.StreamWriter, response: Response) -> None:
    headers = [
        ("Content-Type", response.content_type),
        ("Content-Length", str(len(response.body))),
        ("Connection", "close"),
    ]
    if response.allow is not None:
        headers.append(("Allow", response.allow))
    reason = HTTPStatus(response.status).phrase
    for event in (
        h11.Response(status_code=response.status, headers=headers, reason=reason.encode()),
        h11.Data(data=response.body),
        h11.EndOfMessage(),
    ):
        writer.write(http.send(event) or b"")
    await writer.drain()
    writer.write_eof()


async def _await_hang_up(reader: asyncio.StreamReader) -> None:
    """Read on until the client closes: closing with unread bytes would reset the connection and lose the response."""
    read = 0
    while read < _HANG_UP_BYTES and (chunk := await reader.read(_CHUNK)):
        read += len(chunk)

"""One end of a connection, as HTTP/1.1 sees it: a socket that does not block, and h11. Nothing is buffered beyond what
was read at once."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct

import h11

from underspec.sandbox.egress.limits import CHUNK

_HANG_UP_BYTES = 1024 * 1024
_RESET = struct.pack("ii", 1, 0)


class Peer:
    """``sent`` and ``received`` are bytes on the wire."""

    def __init__(self, sock: socket.socket, http: h11.Connection) -> None:
        sock.setblocking(False)
        self.sock = sock
        self.http = http
        self.sent = 0
        self.received = 0

    async def next_event(self) -> h11.Event | type[h11.PAUSED]:
        """The next part of a message.

        Raises:
            h11.RemoteProtocolError: the other side does not speak HTTP.
            OSError: it is gone.
        """
        while True:
            event = self.http.next_event()
            if event is not h11.NEED_DATA:
                return event  # type: ignore[return-value]  # the other marker was just ruled out
            self.http.receive_data(await self.receive())

    async def receive(self) -> bytes:
        """Some bytes; none at the end."""
        data = await asyncio.get_running_loop().sock_recv(self.sock, CHUNK)
        self.received += len(data)
        return data

    async def send(self, *events: h11.Event) -> None:
        """Send parts of a message; returns when the kernel has them."""
        await self.send_raw(b"".join(self.http.send(event) or b"" for event in events))

    async def send_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        await asyncio.get_running_loop().sock_sendall(self.sock, data)
        self.sent += len(data)

    def end(self) -> None:
        """Send nothing more."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)

    async def hang_up(self, seconds: float) -> None:
        """End, and wait a moment for the other side to do so: closing with unread bytes would reset the connection,
        and lose what was sent last."""
        self.end()
        read = 0
        with contextlib.suppress(OSError):  # TimeoutError is one
            async with asyncio.timeout(seconds):
                while read < _HANG_UP_BYTES and (data := await self.receive()):
                    read += len(data)

    def reset_on_close(self) -> None:
        """Let the other side see that what it got was not all."""
        with contextlib.suppress(OSError):
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)

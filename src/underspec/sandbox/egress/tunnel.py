"""A tunnel: bytes both ways, after its first message showed for which host they are."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from underspec.sandbox.egress.hello import ALERT, MAX_HELLO_BYTES, Hello, NotTlsError, read_hello
from underspec.sandbox.egress.limits import Limits
from underspec.sandbox.egress.peer import Peer


class NotAllowedError(Exception):
    """What the client began in its tunnel is not what the tunnel was granted for. ``rule`` is for the log."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


async def tunnel(client: Peer, upstream: Peer, host: str, limits: Limits, *, may_be_encrypted: bool) -> None:
    """Carry bytes until both sides have ended, or nothing has moved for a while. The client may have sent some already.

    ``may_be_encrypted`` lets pass a first message that may have another hidden inside, for a host that nobody sees.

    Raises:
        NotAllowedError: it does not begin with TLS, or not for ``host``.
        OSError: one of the two is gone.
    """
    beginning = client.http.trailing_data[0]
    try:
        async with asyncio.timeout(limits.head):
            while (hello := _hello(beginning)) is None:
                data = await client.receive()
                if not data:
                    raise NotAllowedError("no-tls") if beginning else ConnectionResetError
                beginning += data
        if hello.server_name != host:
            raise NotAllowedError("server-name")
        if hello.encrypted and not may_be_encrypted:
            raise NotAllowedError("encrypted-hello")
    except NotAllowedError:
        with contextlib.suppress(OSError):
            async with asyncio.timeout(limits.hang_up):
                await client.send_raw(ALERT)
        raise
    moved = _Clock()
    async with asyncio.timeout(limits.idle):
        await upstream.send_raw(beginning)
    await _carry(client, upstream, moved, limits.idle)


def _hello(data: bytes) -> Hello | None:
    try:
        hello = read_hello(data)
    except NotTlsError as error:
        raise NotAllowedError("no-tls") from error
    assert hello is not None or len(data) < MAX_HELLO_BYTES
    return hello


class _Clock:
    """When something last moved."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def tick(self) -> None:
        self._last = time.monotonic()

    def left(self, idle: float) -> float:
        return self._last + idle - time.monotonic()


async def _carry(client: Peer, upstream: Peer, moved: _Clock, idle: float) -> None:
    pumps: set[asyncio.Task[None]] = {
        asyncio.create_task(_pump(client, upstream, moved.tick)),
        asyncio.create_task(_pump(upstream, client, moved.tick)),
    }
    pending = pumps
    try:
        while pending and (left := moved.left(idle)) > 0:
            done, pending = await asyncio.wait(pending, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            for each in done:
                each.result()
    finally:
        for each in pumps:
            each.cancel()
        await asyncio.wait(pumps)
        for each in pumps:
            if not each.cancelled():
                each.exception()  # seen; one of them was raised


async def _pump(source: Peer, sink: Peer, moved: Callable[[], None]) -> None:
    while data := await source.receive():
        moved()
        await sink.send_raw(data)
        moved()
    sink.end()

"""The loopback channel: one session served over HTTP on a socket that lives inside a sandbox.

The socket *is* the session's credential, so nothing identifies or authorises the asker. Who asks is hostile: each
connection carries one request, has a deadline and bounded memory, and only so many are served at once; the others
wait in the socket's backlog. h11 parses; a general server would bring start-up time, signal handlers and connections
without deadlines.

``POST /ask`` or ``POST /`` with ``{"question": str, "request_id"?: str}`` (published ``append_id`` and ``task_id``
are accepted and ignored) gives ``{"data": {"reply": str}, "status": {"ok": true, "remaining": int}}``: the shape that
the clarification block tells the agent (ICAE Appendix G). A spent budget is, as published, status 200 with
``"data": null, "status": {"ok": false, "error": "max_interactions_reached", "remaining": 0}``; a mistake of the asker
is a 4xx of the same shape. There is no 5xx. Ids, scores and log never appear.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
from typing import Self

from underspec.errors import HarnessError, UnderspecError
from underspec.stakeholder.http1 import Deadlines, Response, respond_once
from underspec.stakeholder.wire import Asked, answer_request, refused_request, unavailable

MAX_CONNECTIONS = 64
GRACE_SECONDS = 0.5


class ChannelServer:
    """Serves ``session`` on a listening socket, in the running event loop, while the context is open.

    Takes the socket over and closes it. Leaving the context takes less than a second, whatever clients do.

    When the session fails, the asker is told ``unavailable`` (status 200, not ok, not charged), and the error stands
    in :attr:`failure`; :meth:`failed` waits for it, so that a phase can end what cannot be measured any more.
    """

    def __init__(
        self,
        sock: socket.socket,
        session: Asked,
        *,
        max_connections: int = MAX_CONNECTIONS,
        deadlines: Deadlines | None = None,
    ) -> None:
        _check_loopback(sock)
        sock.setblocking(False)
        self._sock = sock
        self._session = session
        self._slots = asyncio.Semaphore(max_connections)
        self._deadlines = deadlines or Deadlines()
        self._connections: set[asyncio.Task[None]] = set()
        self._accepting: asyncio.Task[None] | None = None
        self._failed = asyncio.Event()
        self.failure: UnderspecError | None = None

    async def __aenter__(self) -> Self:
        self._accepting = asyncio.create_task(self._accept())
        self._accepting.add_done_callback(self._watch)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._accepting is not None:
            self._accepting.cancel()
            await asyncio.wait({self._accepting})
        self._sock.close()
        if self._connections:
            await asyncio.wait(self._connections, timeout=GRACE_SECONDS)
        for connection in self._connections:
            connection.cancel()
        if self._connections:
            await asyncio.wait(self._connections)

    async def failed(self) -> UnderspecError:
        """Wait until the session, or the channel itself, has failed; gives the first failure."""
        await self._failed.wait()
        assert self.failure is not None
        return self.failure

    def _fail(self, error: UnderspecError) -> None:
        self.failure = self.failure or error
        self._failed.set()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._slots.acquire()
            try:
                client, _ = await loop.sock_accept(self._sock)
            except OSError as error:
                self._slots.release()
                if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                    await asyncio.sleep(0.1)  # the host is short of handles; those being served give some back
                elif error.errno != errno.ECONNABORTED:
                    self._fail(HarnessError(f"the question channel broke: {error}"))
                    return
                continue
            except BaseException:
                self._slots.release()
                raise
            task = asyncio.create_task(self._serve(client))
            self._connections.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._connections.discard(task)
        self._slots.release()
        self._watch(task)

    def _watch(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()):
            failure = HarnessError(f"the question channel failed: {error!r}")
            failure.__cause__ = error
            self._fail(failure)

    async def _serve(self, client: socket.socket) -> None:
        await respond_once(client, self._respond, refused_request, self._deadlines)

    async def _respond(self, method: str, path: str, body: bytes) -> Response:
        try:
            return await answer_request(self._session, method, path, body)
        except UnderspecError as error:
            self._fail(error)
            return unavailable()


def _check_loopback(sock: socket.socket) -> None:
    if sock.family == socket.AF_UNIX:
        return
    host = sock.getsockname()[0]
    if not ipaddress.ip_address(host).is_loopback:
        raise HarnessError(f"the question channel must listen on loopback, not on {host}")

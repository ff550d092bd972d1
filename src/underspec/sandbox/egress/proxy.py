"""The proxy: serves a socket that lives inside a sandbox, and lets out what the policy allows.

A forward proxy for HTTP/1.1: absolute form for ``http``, CONNECT for ``https``. Who connects is hostile: each
connection carries one request or one tunnel, has deadlines and bounded memory, and only so many are served at once.
A host's name is looked up once, each of its addresses is checked, and what was checked is connected to. Nothing of the
client's credentials for a proxy goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import time
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Self

import h11

from underspec.errors import HarnessError, UnderspecError
from underspec.sandbox.egress.addresses import Address
from underspec.sandbox.egress.exchange import UpstreamError, exchange
from underspec.sandbox.egress.hosts import host_name
from underspec.sandbox.egress.limits import MAX_ANSWER_HEAD_BYTES, MAX_HEAD_BYTES, Limits
from underspec.sandbox.egress.log import NetworkLog, Request
from underspec.sandbox.egress.peer import Peer
from underspec.sandbox.egress.policy import Policy, Target
from underspec.sandbox.egress.resolve import Resolver, SystemResolver, connect, is_this_machine
from underspec.sandbox.egress.target import UnfitError, read_target
from underspec.sandbox.egress.tunnel import NotAllowedError, tunnel

_SHORT = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class _Refused(Exception):
    """The client is told ``status`` and ``text``; the log, ``rule``."""

    def __init__(self, status: int, rule: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.rule = rule
        self.text = text


class Proxy:
    """Serves a listening socket, in the running event loop, while the context is open. Takes the socket over.

    Leaving the context takes less than a second, whatever clients do. Should the proxy itself break, or its log take no
    more, that stands in :attr:`failure`, and every request is refused.
    """

    def __init__(
        self,
        sock: socket.socket,
        policy: Policy,
        log: NetworkLog,
        *,
        part: str = "",
        resolver: Resolver | None = None,
        limits: Limits | None = None,
    ) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._policy = policy
        self._log = log
        self._part = part
        self._own_resolver = SystemResolver() if resolver is None else None
        self._resolver = resolver or self._own_resolver
        self._limits = limits or Limits()
        self._slots = asyncio.Semaphore(self._limits.connections)
        self._connections: set[asyncio.Task[None]] = set()
        self._accepting: asyncio.Task[None] | None = None
        self._refusals = 0
        self.failure: UnderspecError | None = None

    async def __aenter__(self) -> Self:
        self._accepting = asyncio.create_task(self._accept())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._accepting is not None
        tasks = {self._accepting, *self._connections}
        for task in tasks:
            task.cancel()
        try:
            await asyncio.wait(tasks)
        finally:
            self._sock.close()
            if self._own_resolver is not None:
                self._own_resolver.close()

    def _fail(self, error: BaseException) -> None:
        if self.failure is None and isinstance(error, UnderspecError):
            self.failure = error
        elif self.failure is None:
            self.failure = HarnessError(f"the network's proxy failed: {error!r}")
            self.failure.__cause__ = error

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._slots.acquire()
            try:
                sock, _ = await loop.sock_accept(self._sock)
            except OSError as error:
                self._slots.release()
                if error.errno in _SHORT:
                    await asyncio.sleep(0.1)  # the host is short of handles; those being served give some back
                elif error.errno != errno.ECONNABORTED:
                    self._fail(error)
                    return
                continue
            task = asyncio.create_task(self._serve(sock))
            self._connections.add(task)
            task.add_done_callback(partial(self._ended, sock))

    def _ended(self, sock: socket.socket, task: asyncio.Task[None]) -> None:
        sock.close()  # also of a task that was ended before it began
        self._connections.discard(task)
        self._slots.release()
        if not task.cancelled() and (error := task.exception()):
            self._fail(error)

    async def _serve(self, sock: socket.socket) -> None:
        """One connection, to its end and into the log."""
        began = time.monotonic()
        request = Request()
        client = Peer(sock, h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES))
        try:
            await self._answer(client, request)
        except _Refused as refused:
            request.outcome = "failed" if refused.status >= 500 and refused.rule != "no-http" else "refused"
            request.rule = refused.rule
            await self._refuse(client, refused, without_body=request.method == "HEAD")
        except NotAllowedError as error:
            request.outcome, request.rule = "refused", error.rule
            await self._slow_down()
            await client.hang_up(self._limits.hang_up)
        except (OSError, h11.ProtocolError):
            pass  # one of the two is gone, and there is nobody to tell
        finally:
            request.seconds = time.monotonic() - began
            # Who connects and says nothing has made no request.
            if request.method or request.outcome == "refused":
                self._log.add(request, self._part)

    async def _answer(self, client: Peer, request: Request) -> None:
        head = await self._read_head(client)
        if head is None:
            return
        request.method = head.method.decode("ascii")
        try:
            target = read_target(head)
        except UnfitError as error:
            raise _Refused(400, "unfit", f"the request is unfit: {error}") from error
        request.scheme, request.port = target.scheme, target.port
        request.host = host_name(target.host)
        request.path = target.path.partition("?")[0] if target.scheme == "http" else None
        if self.failure is not None:
            raise _Refused(503, "proxy-failed", "the network is out of order")
        decision = self._policy.decide(target)
        request.rule = decision.rule
        if not decision.allowed:
            raise _Refused(403, decision.rule, f"{_shown(target)} {decision.reason}")
        assert request.host is not None
        addresses = await self._addresses(request.host)
        with await self._connect(request.host, addresses, target) as sock:
            request.outcome = "allowed"
            upstream = Peer(sock, h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_ANSWER_HEAD_BYTES))
            try:
                await self._hand_on(client, upstream, head, target, request)
            finally:
                request.up, request.down = upstream.sent, upstream.received

    async def _read_head(self, client: Peer) -> h11.Request | None:
        """The request's head; None when the client hung up without one."""
        try:
            async with asyncio.timeout(self._limits.head):
                event = await client.next_event()
        except TimeoutError as error:
            raise _Refused(408, "slow", "the request did not come in time") from error
        except h11.RemoteProtocolError as error:
            raise _Refused(error.error_status_hint, "no-http", "this is no HTTP request, or too long a one") from error
        return event if isinstance(event, h11.Request) else None

    async def _addresses(self, host: str) -> Sequence[Address]:
        """The addresses of an allowed host that it may be connected to at."""
        assert self._resolver is not None
        try:
            async with asyncio.timeout(self._limits.connect):
                found = await self._resolver(host)
        except (OSError, UnicodeError) as error:  # TimeoutError is one of the first
            raise _Refused(502, "unresolved", f"{host} has no address") from error
        fit = [
            each
            for each in found
            if self._policy.may_connect(host, each) and (self._policy.is_named(host, each) or not is_this_machine(each))
        ]
        if not fit:
            raise _Refused(403, "private-address", f"{host} is not on the public internet")
        return fit

    async def _connect(self, host: str, addresses: Sequence[Address], target: Target) -> socket.socket:
        try:
            return await connect(addresses, target.port, seconds=self._limits.connect)
        except OSError as error:
            raise _Refused(502, "unreachable", f"{host} cannot be reached at port {target.port}") from error

    async def _hand_on(self, client: Peer, upstream: Peer, head: h11.Request, target: Target, request: Request) -> None:
        assert request.host is not None
        target = Target(target.scheme, request.host, target.port, target.path)
        if target.scheme == "https":
            assert isinstance(await client.next_event(), h11.EndOfMessage)
            async with asyncio.timeout(self._limits.head):
                await client.send(h11.Response(status_code=200, headers=[], reason=b"Connection established"))
            is_open = self._policy.kind == "open"
            await tunnel(client, upstream, target.host, self._limits, may_be_encrypted=is_open)
            return
        try:
            await exchange(client, upstream, head, target, self._limits)
        except UpstreamError as error:
            raise _Refused(502, "no-answer", f"{target.host}: {error}") from error
        await client.hang_up(self._limits.hang_up)

    async def _slow_down(self) -> None:
        self._refusals += 1
        await asyncio.sleep(min(self._limits.pause, self._refusals / 1000))

    async def _refuse(self, client: Peer, refused: _Refused, *, without_body: bool) -> None:
        await self._slow_down()
        body = f"underspec: {refused.text}.\n".encode()
        # The reason is all that most clients show of a refused tunnel.
        reason = f"{HTTPStatus(refused.status).phrase}: {refused.text}".encode("ascii", "replace")
        headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
        headers.append(("Connection", "close"))
        with contextlib.suppress(OSError, h11.LocalProtocolError):  # it may be gone, or have begun to get an answer
            async with asyncio.timeout(self._limits.head):
                await client.send(
                    h11.Response(status_code=refused.status, headers=headers, reason=reason),
                    h11.Data(data=b"" if without_body else body),
                    h11.EndOfMessage(),
                )
            await client.hang_up(self._limits.hang_up)


def _shown(target: Target) -> str:
    """The host and, where it was seen, the path, as they were sent: harmless in a status line, and not too long."""
    path = target.path.partition("?")[0] if target.scheme == "http" else ""
    return f"{target.host}:{target.port}{path}"[:200]

"""Listening, serving, and leaving in order: no stored reply, and no question under way, is lost by a SIGTERM."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import uvicorn

from underspec.errors import UsageError
from underspec.stakeholder.service.connections import MAX_CONNECTIONS, BoundedConnection

GRACE_SECONDS = 20
_BACKLOG = 1024

Application = Callable[..., Any]


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any that is free.

    Raises:
        UsageError: nothing can listen there.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{host!r} is no address to listen on", mend="use 127.0.0.1") from error
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        sock.close()
        mend = "choose another --host or --port; 0 takes any port that is free"
        raise UsageError(f"cannot listen on {host} port {port}: {error}", mend=mend) from error
    return sock


def port_of(sock: socket.socket) -> int:
    """The port that a socket listens on."""
    return int(sock.getsockname()[1])


class _Server(uvicorn.Server):
    """Says when it listens. Signals are handled by :func:`serve`, which returns where it was asked to end."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(apps: Sequence[tuple[socket.socket, Application]], ready: Callable[[], None]) -> None:
    """Serve each application on its socket until SIGTERM or SIGINT; then finish what is under way and return.

    A second signal does not wait for those under way.
    """
    _allow_many_files()
    config = uvicorn.Config(
        _by_port({port_of(sock): app for sock, app in apps}),
        http=BoundedConnection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=16 * 1024,
    )
    server = _Server(config, ready)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.force_exit = server.should_exit
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    try:
        await server.serve([sock for sock, _ in apps])
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


def _by_port(apps: Mapping[int, Application]) -> Application:
    async def dispatch(scope: Mapping[str, Any], receive: Any, send: Any) -> None:
        # The socket's own port, not what the client says in Host.
        await apps[scope["server"][1]](scope, receive, send)

    return dispatch


def _allow_many_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MAX_CONNECTIONS
    if soft < wanted:
        enough = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))

"""Where the engine is, and questions to it.

The keeper's own small client serves here too: what is asked are a few plain requests, some of them from functions that
are not asynchronous, and nothing is streamed.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from underspec.errors import EnvironmentLacksError, HostExhaustedError, SandboxError
from underspec.sandbox.keeper.engine import Engine, EngineError

DEFAULT_SOCKET = "/var/run/docker.sock"
INSTALL = (
    "install and start an engine (`apt install docker.io`), or set DOCKER_HOST to the socket of one that runs, "
    "such as unix:///var/run/docker.sock"
)


def socket_path() -> str:
    """The engine's Unix socket.

    Raises:
        EnvironmentLacksError: DOCKER_HOST names something else.
    """
    host = os.environ.get("DOCKER_HOST", "")
    if not host:
        return DEFAULT_SOCKET
    kind, _, path = host.partition("://")
    if kind != "unix" or not path.startswith("/"):
        raise EnvironmentLacksError(
            f"the docker backend needs an engine on this machine, and DOCKER_HOST is {host!r}",
            mend="set DOCKER_HOST to a Unix socket, such as unix:///var/run/docker.sock, or unset it",
        )
    return path


@contextlib.contextmanager
def engine() -> Iterator[Engine]:
    """The engine for some requests; what it says no to becomes an error of ours.

    Raises:
        EnvironmentLacksError: there is none.
        HostExhaustedError: it has no room.
        SandboxError: it refused.
    """
    connected: Engine | None = None
    try:
        connected = Engine(socket_path())
        yield connected
    except EngineError as error:
        if error.status == 0:
            raise EnvironmentLacksError(str(error), mend=INSTALL) from error
        if "no space left on device" in str(error):
            raise HostExhaustedError(f"container engine: {error}", mend="free some disk") from error
        raise SandboxError(f"container engine: {error}") from error
    finally:
        if connected is not None:
            connected.close()


def ask(path: str, **query: Any) -> Any:
    """What the engine answers to a GET, as decoded JSON."""
    suffix = f"?{urlencode(query)}" if query else ""
    with engine() as connected:
        return json.loads(connected.checked("GET", path + suffix))


def find_image(name: str) -> str | None:
    """The id of an image that the engine has, or None."""
    with engine() as connected:
        status, content = connected.request("GET", f"/images/{quote(name, safe='/:@')}/json")
    if status == 404:
        return None
    if status != 200:
        raise SandboxError(f"container engine: {content.decode(errors='replace').strip()}")
    return str(json.loads(content)["Id"])

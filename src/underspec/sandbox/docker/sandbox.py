"""One sandbox in a container, as the harness holds it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from underspec.errors import EnvironmentLacksError
from underspec.sandbox.bubblewrap.line import KeeperLine
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.bubblewrap.state import create_state, name_keeper, owner_document
from underspec.sandbox.docker.config import create_body
from underspec.sandbox.docker.connection import socket_path
from underspec.sandbox.docker.leftovers import container_name, labels_for, remove_container
from underspec.sandbox.docker.skeleton import Root, is_within, prepare
from underspec.sandbox.keeper.stage import WRITABLE
from underspec.sandbox.protocol import WORKSPACE


class DockerSandbox(BubblewrapSandbox):
    """See :class:`underspec.sandbox.protocol.Sandbox`.

    A keeper owns it, as it owns a bubblewrap sandbox; only what the sandbox is made with differs.
    """

    async def start(self) -> None:
        """Set everything up; on failure nothing is left."""
        self._check_spec()
        need_root()
        socket = socket_path()
        root = await asyncio.to_thread(prepare, self._spec.image)
        self._state = create_state(self.id, self._spec.owner)
        try:
            async with _gate():
                self._line = KeeperLine("container")
                name_keeper(self._state, self._spec.owner, self._line.pid)
                await self._line.order("start", **self._container_plan(self._state, root, socket))
        except BaseException:
            await self.close()
            raise

    def _container_plan(self, state: Path, root: Root, socket: str) -> dict[str, Any]:
        empty = state / "empty"
        empty.mkdir()
        marker = f"UNDERSPEC_SANDBOX={self.id}"
        inner = (*WRITABLE, WORKSPACE, *root.places)
        outer = [mount for mount in self._spec.mounts if not is_within(mount.target, inner)]
        create = create_body(
            root,
            self._spec.limits,
            marker=marker,
            labels=labels_for(self.id, owner_document(state)),
            empty=empty,
            outer_mounts=outer,
        )
        return {
            **self._common_plan(),
            "socket": socket,
            "container": container_name(self.id),
            "create": create,
            "marker": marker,
            "entries": list(root.entries),
            "places": [*root.places, *(mount.target for mount in outer)],
        }

    async def close(self) -> None:
        """Kill and remove everything."""
        is_first, state = not self._closed, self._state
        left = False
        if is_first and self._line is not None:
            await self._line.close()
            left = state is not None and state.exists()
        await super().close()
        if left:
            # The keeper could not tidy up: it was killed, or the engine did not answer it.
            await asyncio.to_thread(remove_container, container_name(self.id))


def _gate() -> asyncio.Semaphore:
    """Few sandboxes start at the same time, and others wait: an engine asked for all takes longer for all."""
    loop = asyncio.get_running_loop()
    if loop not in _gates:
        _gates[loop] = asyncio.Semaphore(2 * (os.cpu_count() or 1))
    return _gates[loop]


_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def need_root() -> None:
    """Containers are entered, and given their disk, by root of the same machine.

    Raises:
        EnvironmentLacksError: this process is not.
    """
    if os.geteuid() != 0:
        raise EnvironmentLacksError(
            "the docker backend works as root of the engine's machine",
            mend="run as root, or use the bubblewrap backend, which works for every user",
        )

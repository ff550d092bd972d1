"""Sandboxes with a network: any backend's sandbox, its proxy on its own loopback, and a policy and a log behind that.

A sandbox has its own loopback and no other interface, whatever is granted. So a backend knows nothing of networks, and
what is granted is the same on all of them.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from underspec.artifact.deliverable import Deliverable
from underspec.errors import HarnessError
from underspec.sandbox.egress.environment import PROXY_PORT, environment, files
from underspec.sandbox.egress.limits import Limits
from underspec.sandbox.egress.log import NetworkLog
from underspec.sandbox.egress.policy import Policy
from underspec.sandbox.egress.proxy import Proxy
from underspec.sandbox.egress.resolve import Resolver
from underspec.sandbox.protocol import (
    CHANNEL_PORT,
    WORKSPACE,
    Check,
    CollectedFile,
    ExecResult,
    Sandbox,
    SandboxBackend,
    SandboxSpec,
)


@dataclass(frozen=True)
class Grant:
    """What the sandboxes of a phase may reach, and the log in which their use of it is recorded."""

    policy: Policy
    log: NetworkLog
    resolver: Resolver | None = None
    limits: Limits | None = None


class NetworkedBackend:
    """A backend whose sandboxes have what is granted, where their spec asks for it. The others have no network.

    See :class:`underspec.sandbox.protocol.SandboxBackend`.
    """

    def __init__(self, backend: SandboxBackend, grant: Grant) -> None:
        self._backend = backend
        self._grant = grant
        self.name = backend.name

    def checks(self) -> list[Check]:
        """What this machine can and cannot do."""
        return self._backend.checks()

    def create(self, spec: SandboxSpec) -> Sandbox:
        """A sandbox, not yet started. Every process in it has variables that tell of the proxy.

        Raises:
            HarnessError: the spec asks for another network than is granted.
        """
        if spec.network == "none":
            return self._backend.create(spec)
        if spec.network != self._grant.policy.kind:
            raise HarnessError(f"the network {spec.network!r} is asked for, and {self._grant.policy.kind!r} granted")
        plain = replace(spec, network="none", env={**environment(), **spec.env})
        return NetworkedSandbox(self._backend.create(plain), self._grant, part=spec.owner.purpose)

    def image_digest(self, image: str) -> str:
        """The digest of an image, without starting anything."""
        return self._backend.image_digest(image)

    def reap(self) -> list[str]:
        """Remove what dead owners of ours left behind."""
        return self._backend.reap()


class NetworkedSandbox:
    """A sandbox, and the proxy that is served for it from its start until everything in it is killed.

    See :class:`underspec.sandbox.protocol.Sandbox`.
    """

    def __init__(self, sandbox: Sandbox, grant: Grant, *, part: str) -> None:
        self._sandbox = sandbox
        self._grant = grant
        self._part = part
        self._serving = contextlib.AsyncExitStack()
        self._proxy: Proxy | None = None

    @property
    def id(self) -> str:
        """The sandbox's own."""
        return self._sandbox.id

    @property
    def image_digest(self) -> str:
        """The sandbox's own."""
        return self._sandbox.image_digest

    async def start(self) -> None:
        """Set everything up, the proxy and what makes programs use it included."""
        await self._sandbox.start()
        for path, text in files().items():
            await self._sandbox.put(path, text.encode())
        grant = self._grant
        proxy = Proxy(
            await self._sandbox.listen(PROXY_PORT),
            grant.policy,
            grant.log,
            part=self._part,
            resolver=grant.resolver,
            limits=grant.limits,
        )
        self._proxy = await self._serving.enter_async_context(proxy)

    async def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        on_stdout: Callable[[bytes], None] | None = None,
        on_stderr: Callable[[bytes], None] | None = None,
        keep_output: bool = True,
        end_on_output_limit: bool = True,
    ) -> ExecResult:
        """Run one command to its end."""
        return await self._sandbox.exec(
            argv,
            cwd=cwd,
            env=env,
            stdin=stdin,
            timeout=timeout,
            on_stdout=on_stdout,
            on_stderr=on_stderr,
            keep_output=keep_output,
            end_on_output_limit=end_on_output_limit,
        )

    async def put(self, path: str, content: bytes, *, executable: bool = False) -> None:
        """Write a file."""
        await self._sandbox.put(path, content, executable=executable)

    async def put_tree(self, source: Path, path: str) -> None:
        """Copy a host folder."""
        await self._sandbox.put_tree(source, path)

    async def get(self, path: str, *, max_bytes: int) -> bytes:
        """Read a regular file."""
        return await self._sandbox.get(path, max_bytes=max_bytes)

    async def collect(
        self,
        path: str,
        *,
        max_file: int,
        max_files: int,
        max_total: int,
        pattern: str = "*",
        want: Callable[[str, int], bool] | None = None,
    ) -> list[CollectedFile]:
        """Regular files directly in a folder."""
        return await self._sandbox.collect(
            path, max_file=max_file, max_files=max_files, max_total=max_total, pattern=pattern, want=want
        )

    async def listen(self, port: int = CHANNEL_PORT) -> socket.socket:
        """A listening socket on the sandbox's own loopback."""
        return await self._sandbox.listen(port)

    async def connect(self, port: int) -> socket.socket:
        """A connection from outside to the sandbox's own loopback."""
        return await self._sandbox.connect(port)

    async def kill_all(self) -> None:
        """Let nothing out any more, and kill everything inside.

        Raises:
            HarnessError, HostExhaustedError: the proxy or its log had failed, so that what was done inside was not
                done under the conditions that it was to be done under.
        """
        await self._serving.aclose()
        await self._sandbox.kill_all()
        self._report()

    async def archive(self, destination: Path, *, path: str = WORKSPACE) -> Deliverable:
        """Seal ``path`` as a PAX tar."""
        return await self._sandbox.archive(destination, path=path)

    async def close(self) -> None:
        """Kill and remove everything. Raises as :meth:`kill_all` where that was not called."""
        try:
            await self._serving.aclose()
        finally:
            await self._sandbox.close()
        self._report()

    def _report(self) -> None:
        """Say once that the proxy failed."""
        proxy, self._proxy = self._proxy, None
        if proxy is not None and proxy.failure is not None:
            raise proxy.failure

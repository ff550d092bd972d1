"""The way out of a phase's sandboxes, as the phase holds it: a policy, a log, and the proxy between them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from underspec.artifact.network import NetworkUse
from underspec.sandbox.egress.environment import PROXY_PORT, environment, files
from underspec.sandbox.egress.limits import Limits
from underspec.sandbox.egress.log import NetworkLog
from underspec.sandbox.egress.policy import Policy
from underspec.sandbox.egress.proxy import Proxy
from underspec.sandbox.egress.resolve import Resolver
from underspec.sandbox.protocol import Sandbox


@dataclass(frozen=True)
class Granted:
    """What is granted: a policy, and the log in which its use is recorded."""

    policy: Policy
    log: NetworkLog


class Egress:
    """The way out of the sandboxes of one phase; without ``granted`` there is none.

    A sandbox has its own loopback and nothing else, whatever is granted: its proxy listens there, and is served from
    outside.
    """

    def __init__(
        self,
        granted: Granted | None = None,
        *,
        resolver: Resolver | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._granted = granted
        self._resolver = resolver
        self._limits = limits

    @property
    def env(self) -> dict[str, str]:
        """Variables for every process of the sandbox: for its :class:`SandboxSpec`."""
        return environment() if self._granted else {}

    @contextlib.asynccontextmanager
    async def serving(self, sandbox: Sandbox, part: str = "") -> AsyncIterator[None]:
        """Let a running sandbox out while the block runs. ``part`` names it in the log.

        Raises:
            HarnessError, HostExhaustedError: at the block's end, the proxy or its log failed within it.
        """
        if self._granted is None:
            yield
            return
        for path, text in files().items():
            await sandbox.put(path, text.encode())
        listener = await sandbox.listen(PROXY_PORT)
        proxy = Proxy(
            listener, self._granted.policy, self._granted.log, part=part, resolver=self._resolver, limits=self._limits
        )
        async with proxy:
            yield
        if proxy.failure is not None:
            raise proxy.failure

    def use(self) -> NetworkUse | None:
        """What was used so far; None where nothing is granted."""
        return self._granted.log.use(self._granted.policy) if self._granted else None


NO_EGRESS = Egress()

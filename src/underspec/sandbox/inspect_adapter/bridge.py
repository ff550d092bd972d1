"""The model, inside a sandbox: what speaks to a provider's API there is answered by the sample's model."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any

from inspect_ai.agent import AgentState, SandboxAgentBridge, sandbox_agent_bridge

from underspec.errors import SandboxError
from underspec.sandbox.inspect_adapter.attach import attached
from underspec.sandbox.protocol import Sandbox

PORT = 13131
_PATIENCE = 60.0


@contextlib.asynccontextmanager
async def model_bridge(
    sandbox: Sandbox, state: AgentState | None = None, *, port: int = PORT, **options: Any
) -> AsyncIterator[SandboxAgentBridge]:
    """Within the block any process in ``sandbox`` reaches the model on its loopback, without a credential.

    ``http://127.0.0.1:<port>`` speaks Anthropic's API and ``http://127.0.0.1:<port>/v1`` OpenAI's two. The sandbox is
    attached to the sample too. ``options`` are those of Inspect's ``sandbox_agent_bridge``, such as ``bridged_tools``,
    ``filter`` and ``model_aliases``.
    """
    async with attached(sandbox), sandbox_agent_bridge(state, port=port, **options) as bridge:
        await _listening(sandbox, port)
        yield bridge


async def _listening(sandbox: Sandbox, port: int) -> None:
    """Its server starts in its own time, and an agent that finds none gives up."""
    until = time.monotonic() + _PATIENCE
    while not (await sandbox.exec(["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}"], cwd="/", timeout=10)).ok:
        if time.monotonic() > until:
            raise SandboxError(f"the model bridge does not come up at port {port} of a sandbox")
        await asyncio.sleep(0.1)

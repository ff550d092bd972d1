"""The bridge: a program inside the sandbox reaches its model, and the stakeholder as a tool, on its own loopback.

It speaks the providers' dialects, so any model drives any program. It serves the role *builder* alone, and any process
of the sandbox can use it; it ends with the build.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from underspec.agent.protocol import Answered, Assignment
from underspec.agent.tools import said

if TYPE_CHECKING:
    from inspect_ai.model import Model
    from inspect_ai.tool import Tool

BRIDGE_PORT = 13131
MODEL_NAME = "underspec"
"""What programs call their model, where they let themselves be told; the bridge serves any name by the same model."""
STAKEHOLDER = "stakeholder"
"""Name of the MCP server whose tool ``ask`` reaches the stakeholder."""
KEY = "no-key-is-needed-here"
"""What programs send as their key; the bridge asks for none."""


def bridge_url(path: str = "") -> str:
    """Where the bridge is reached from inside."""
    return f"http://127.0.0.1:{BRIDGE_PORT}{path}"


@dataclass(frozen=True)
class Bridge:
    """What a program finds on its loopback beside the question channel. ``mcp`` are URLs of MCP servers by name."""

    mcp: Mapping[str, str]


@contextlib.asynccontextmanager
async def bridged(assignment: Assignment, *, with_tools: bool = False) -> AsyncIterator[Bridge]:
    """Serve the assignment's model on the sandbox's loopback while the block runs.

    With ``with_tools``, and where somebody answers, the stakeholder is an MCP tool as well.
    """
    from inspect_ai.agent import AgentState, BridgedToolsSpec

    from underspec.sandbox.inspect_adapter.bridge import model_bridge

    model = assignment.opened_model()

    def resolve(name: str) -> Model:
        return model

    tools = []
    if with_tools and assignment.ask is not None:
        # Any process inside may ask by the channel, so there is nothing for a model to propose first.
        tools.append(BridgedToolsSpec(name=STAKEHOLDER, tools=[ask_tool(assignment.ask)], require_proposal=False))
    async with model_bridge(
        assignment.sandbox,
        AgentState(messages=[]),
        port=BRIDGE_PORT,
        model_resolver=resolve,
        bridged_tools=tools,
    ) as bridge:
        yield Bridge({config.name: config.url for config in bridge.mcp_server_configs})


def ask_tool(ask: Callable[[str], Awaitable[Answered]]) -> Tool:
    """The stakeholder as a tool: the same session and budget as the channel."""
    from inspect_ai.tool import tool

    @tool(name="ask")
    def make() -> Tool:
        async def execute(question: str) -> str:
            """Ask the stakeholder one question about the request; it counts against the budget.

            Args:
                question: one short technical question, at most three points.
            """
            return said(await ask(question))

        return execute

    return make()


def presented_name(assignment: Assignment) -> str:
    """A name for the model that programs may show and look up: the provider's, where it is a plain one."""
    name = str(assignment.opened_model().name)
    return name if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name) else MODEL_NAME

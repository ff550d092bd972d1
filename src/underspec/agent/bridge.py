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

from underspec.agent.protocol import Answered, Assignment, Finish
from underspec.agent.seen import recording
from underspec.agent.tools import FINISHED, said

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

    tools = [ask_tool(assignment.ask, counted=assignment.finish is None)] if assignment.ask is not None else []
    tools += [finish_tool(assignment.finish)] if assignment.finish is not None else []
    # Any process inside may ask by the channel, so there is nothing for a model to propose first.
    servers = [BridgedToolsSpec(name=STAKEHOLDER, tools=tools, require_proposal=False)] if with_tools and tools else []
    async with model_bridge(
        assignment.sandbox,
        AgentState(messages=[]),
        port=BRIDGE_PORT,
        model_resolver=resolve,
        bridged_tools=servers,
        filter=recording(assignment.saw) if assignment.saw is not None else None,
    ) as bridge:
        yield Bridge({config.name: config.url for config in bridge.mcp_server_configs})


def ask_tool(ask: Callable[[str], Awaitable[Answered]], *, counted: bool = True) -> Tool:
    """The stakeholder as a tool: the same session, and budget if questions are ``counted``, as the channel."""
    from inspect_ai.tool import tool

    if not counted:
        return _ask_client(ask)

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


def _ask_client(ask: Callable[[str], Awaitable[Answered]]) -> Tool:
    from inspect_ai.tool import tool

    @tool(name="ask")
    def make() -> Tool:
        async def execute(question: str) -> str:
            """Ask the client one question.

            Args:
                question: what you want to know, and what you would assume.
            """
            return said(await ask(question))

        return execute

    return make()


def finish_tool(finish: Finish) -> Tool:
    """The end of a phase as a tool."""
    from inspect_ai.tool import ToolDef

    async def execute() -> str:
        finish.call()
        return FINISHED

    return ToolDef(execute, name=finish.name, description=finish.says, parameters={}).as_tool()


def presented_name(assignment: Assignment) -> str:
    """A name for the model that programs may show and look up: the provider's, where it is a plain one."""
    name = str(assignment.opened_model().name)
    return name if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name) else MODEL_NAME

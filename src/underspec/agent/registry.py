"""Finding agents by name."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import cast

from underspec.agent.protocol import Agent
from underspec.errors import UsageError

GROUP = "underspec.agents"


def agent_names() -> list[str]:
    """Names of all agents that are installed, ours and those of other packages."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def load_agent(name: str) -> Agent:
    """The agent of that name.

    Raises:
        UsageError: there is none; names those there are.
    """
    for point in entry_points(group=GROUP):
        if point.name == name:
            return cast(Agent, point.load()())
    raise UsageError(f"there is no agent {name!r}", mend=f"known agents: {', '.join(agent_names())}")

"""The prompts that an agent's own loop begins with, in the keys of the phases in which it works."""

from __future__ import annotations

from pathlib import Path

from underspec.agent.protocol import Agent, own_prompt
from underspec.prompts import load_prompt


def inspecting_prompt(agent: Agent, prompts: Path | None) -> dict[str, str]:
    """The digest of the one for the phase that only asks. An agent that has none does not depend on any."""
    name = own_prompt(agent, read_only=True)
    return {} if name is None else {"system": load_prompt("builder", name, override=prompts).sha256}


def building_prompt(agent: Agent, prompts: Path | None) -> dict[str, str]:
    """The digest of the one for phases that build, where a user replaced it: the packaged one is in the agent's own
    fingerprint."""
    name = own_prompt(agent, read_only=False)
    if name is None:
        return {}
    chosen = load_prompt("builder", name, override=prompts).sha256
    return {} if chosen == load_prompt("builder", name).sha256 else {"system": chosen}

"""Codex (npm ``@openai/codex``), without anybody at the keyboard, inside the sandbox."""

from __future__ import annotations

import json

from underspec.agent.bridge import KEY, Bridge, bridge_url, presented_name
from underspec.agent.launch import Launch, prompt_of
from underspec.agent.program import ProgramAgent
from underspec.agent.protocol import Assignment
from underspec.sandbox.images.agents.layer import AgentLayer

_HOME = "/root/.codex"


class CodexAgent(ProgramAgent):
    """Reads the prompt on standard input. Its own sandbox is off: it is in one, and cannot make another inside."""

    name = "codex"
    speaks_mcp = True

    def launch(self, assignment: Assignment, layer: AgentLayer, bridge: Bridge) -> Launch:
        """See :class:`ProgramAgent`."""
        argv = [layer.program, "exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "--json"]
        config = {
            "model": presented_name(assignment),
            "model_provider": "underspec",
            "web_search": "live" if assignment.network == "open" else "disabled",
        }
        provider = {
            "name": "underspec",
            "base_url": bridge_url("/v1"),
            "env_key": "UNDERSPEC_KEY",
            "wire_api": "responses",
        }
        lines = [f"{key} = {json.dumps(value)}" for key, value in config.items()]
        lines += ["[model_providers.underspec]", *(f"{key} = {json.dumps(value)}" for key, value in provider.items())]
        for name, url in bridge.mcp.items():
            lines += [f"[mcp_servers.{name}]", f"url = {json.dumps(url)}"]
        files = {f"{_HOME}/config.toml": ("\n".join(lines) + "\n").encode()}
        env = {"CODEX_HOME": _HOME, "UNDERSPEC_KEY": KEY, "HOME": "/root"}
        return Launch((*argv, "-"), env, prompt_of(assignment).encode(), files)

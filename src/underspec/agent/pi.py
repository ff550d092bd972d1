"""Pi (npm ``@mariozechner/pi-coding-agent``), which the runtime of SWE-Clar is built on."""

from __future__ import annotations

import json

from underspec.agent.bridge import KEY, Bridge, bridge_url, presented_name
from underspec.agent.launch import PROMPT_PATH, Launch, prompt_of
from underspec.agent.program import ProgramAgent
from underspec.agent.protocol import Assignment
from underspec.sandbox.images.agents.layer import AgentLayer

_HOME = "/root/.pi/agent"


class PiAgent(ProgramAgent):
    """Runs once over the prompt and prints what it does."""

    name = "pi"

    def launch(self, assignment: Assignment, layer: AgentLayer, bridge: Bridge) -> Launch:
        """See :class:`ProgramAgent`."""
        model = presented_name(assignment)
        provider = {
            "baseUrl": bridge_url("/v1"),
            "api": "openai-completions",
            "apiKey": KEY,
            "models": [{"id": model, "contextWindow": 200_000, "maxTokens": 32_000}],
        }
        files = {
            f"{_HOME}/models.json": json.dumps({"providers": {"underspec": provider}}).encode(),
            PROMPT_PATH: prompt_of(assignment).encode(),
        }
        argv = (
            layer.program,
            "--print",
            "--mode",
            "json",
            "--provider",
            "underspec",
            "--model",
            model,
            f"@{PROMPT_PATH}",
        )
        return Launch(argv, {"HOME": "/root", "PI_OFFLINE": "1"}, files=files)

"""mini-swe-agent (PyPI ``mini-swe-agent``): a bash tool and a loop."""

from __future__ import annotations

from underspec.agent.bridge import KEY, Bridge, bridge_url
from underspec.agent.launch import Launch, prompt_of
from underspec.agent.program import ProgramAgent
from underspec.agent.protocol import Assignment
from underspec.sandbox.images.agents.layer import AgentLayer

_MODEL = "openai/underspec"  # the first part is LiteLLM's name of the dialect
_OUTPUT = "/root/.underspec/trajectory.json"


class MiniSweAgent(ProgramAgent):
    """Runs in its mode without confirmation and ends when the model says so."""

    name = "mini-swe-agent"

    def launch(self, assignment: Assignment, layer: AgentLayer, bridge: Bridge) -> Launch:
        """See :class:`ProgramAgent`."""
        argv = (layer.program, "--yolo", "--exit-immediately", "--model", _MODEL, "--output", _OUTPUT)
        env = {
            "OPENAI_BASE_URL": bridge_url("/v1"),
            "OPENAI_API_BASE": bridge_url("/v1"),
            "OPENAI_API_KEY": KEY,
            "MSWEA_CONFIGURED": "true",
            "MSWEA_MODEL_NAME": _MODEL,
            # LiteLLM knows no price of it; ours is the ledger.
            "MSWEA_COST_TRACKING": "ignore_errors",
            "MSWEA_SILENT_STARTUP": "1",
            "HOME": "/root",
        }
        return Launch((*argv, "--task", prompt_of(assignment)), env)

"""OpenHands (PyPI ``openhands-sdk`` and ``openhands-tools``): its default agent, driven by a few lines of its SDK."""

from __future__ import annotations

from importlib import resources

from underspec.agent.bridge import KEY, Bridge, bridge_url
from underspec.agent.launch import Launch, prompt_of
from underspec.agent.program import ProgramAgent
from underspec.agent.protocol import Assignment
from underspec.sandbox.images.agents.layer import AgentLayer

_DRIVER = "/root/.underspec/openhands_driver.py"


class OpenHandsAgent(ProgramAgent):
    """Terminal, file editor and task tracker, as its preset has them; no browser."""

    name = "openhands"

    def launch(self, assignment: Assignment, layer: AgentLayer, bridge: Bridge) -> Launch:
        """See :class:`ProgramAgent`."""
        driver = (resources.files("underspec.agent") / "openhands_driver.py").read_bytes()
        env = {
            "UNDERSPEC_BASE_URL": bridge_url("/v1"),
            "UNDERSPEC_KEY": KEY,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENHANDS_SUPPRESS_BANNER": "1",
            "HOME": "/root",
        }
        return Launch((layer.program, _DRIVER), env, prompt_of(assignment).encode(), {_DRIVER: driver})

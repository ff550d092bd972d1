"""The agent that does nothing: its score must be 0, or the grading is wrong."""

from __future__ import annotations

from underspec.agent.protocol import Assignment
from underspec.artifact.build import BuildEnd
from underspec.sandbox.protocol import Mount
from underspec.task.model import Task


class NopAgent:
    """Hands over the workspace as it was."""

    name = "nop"
    version = "1"

    def fingerprint(self, task: Task) -> str:
        """Nothing but the version decides what it does."""
        return ""

    def mounts(self, task: Task) -> tuple[Mount, ...]:
        """It needs nothing."""
        return ()

    async def build(self, assignment: Assignment) -> BuildEnd:
        """Return at once."""
        return BuildEnd(agent=self.name, agent_version=self.version, ended="done")

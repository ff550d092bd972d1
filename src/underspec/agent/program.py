"""Agents that are programs of their own, installed beside any image and run inside the sandbox."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from underspec.agent.bridge import Bridge, bridged
from underspec.agent.launch import Launch, run_program
from underspec.agent.protocol import Assignment
from underspec.artifact.build import BuildEnd
from underspec.sandbox.images.agents.layer import AgentLayer, agent_layer
from underspec.sandbox.protocol import Mount
from underspec.task.model import Task

INHERITED_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class ProgramAgent(ABC):
    """An agent whose program lies in a layer that is mounted into any image (``underspec image build NAME``)."""

    name: str
    needs_model = True
    speaks_mcp = False
    own_version = "1"
    """Of the way in which we start it; its package has a version of its own."""

    @property
    def version(self) -> str:
        """Ours and its package's."""
        return f"{self.own_version}+{self.layer.version}"

    @property
    def layer(self) -> AgentLayer:
        """Its program.

        Raises:
            EnvironmentLacksError: not built on this machine; says how.
        """
        return agent_layer(self.name)

    def fingerprint(self, task: Task) -> str:
        """The layer's digest."""
        return self.layer.digest

    def mounts(self, task: Task) -> tuple[Mount, ...]:
        """The layer."""
        return self.layer.mounts

    async def build(self, assignment: Assignment) -> BuildEnd:
        """Run the program until it ends."""
        layer = self.layer
        async with bridged(assignment, with_tools=self.speaks_mcp) as bridge:
            launch = self.launch(assignment, layer, bridge)
            env = {**layer.env, "PATH": f"{layer.bin}:{INHERITED_PATH}", **launch.env}
            return await run_program(assignment, replace(launch, env=env), agent=self.name, version=self.version)

    @abstractmethod
    def launch(self, assignment: Assignment, layer: AgentLayer, bridge: Bridge) -> Launch:
        """How the program is started on an assignment."""

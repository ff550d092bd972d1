"""The interface behind which every agent works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from underspec.artifact.build import BuildEnd
from underspec.sandbox.protocol import Mount, Sandbox
from underspec.task.model import Task


@dataclass(frozen=True)
class Assignment:
    """All that an agent is given. Nothing hidden is in it.

    ``instruction`` and ``request`` are texts; the request also lies at ``request_path`` inside the sandbox.
    ``ask_url`` is where questions are POSTed from inside, or None when nobody answers. ``seconds`` bounds the build.
    ``log`` takes lines for the operator's log.
    """

    sandbox: Sandbox
    task_id: str
    instruction: str
    request: str
    request_path: str
    ask_url: str | None
    seconds: float
    log: Callable[[str], None]


class Agent(Protocol):
    """Builds a repository in the sandbox's workspace. Found by entry point group ``underspec.agents``.

    ``version`` stands in the key of every build by this agent: raise it when the agent's behaviour changes.
    """

    name: str
    version: str

    def fingerprint(self, task: Task) -> str:
        """What, besides name and version, decides this agent's behaviour on a task (files it uses): a digest or ''.

        Raises:
            UsageError: this agent cannot work on this task; said before a run starts.
        """

    def mounts(self, task: Task) -> tuple[Mount, ...]:
        """Read-only host folders that this agent needs inside (only the golden agent needs any)."""

    async def build(self, assignment: Assignment) -> BuildEnd:
        """Do the work. The runner enforces the limits, kills what is left and archives the workspace.

        Raises:
            AgentError: the agent gave up; what lies in the workspace is graded all the same.
        """

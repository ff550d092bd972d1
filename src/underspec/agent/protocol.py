"""The interface behind which every agent works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from underspec.artifact.build import BuildEnd
from underspec.sandbox.protocol import Mount, Sandbox


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
    """Builds a repository in the sandbox's workspace. Found by entry point group ``underspec.agents``."""

    name: str
    version: str

    def mounts(self, task: Path) -> tuple[Mount, ...]:
        """Read-only host folders this agent needs inside (the golden agent only; others need none)."""

    async def build(self, assignment: Assignment) -> BuildEnd:
        """Do the work. The runner enforces the limits, kills what is left and archives the workspace."""

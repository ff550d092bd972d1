"""The interface behind which every agent works."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from underspec.artifact.build import BuildEnd
from underspec.errors import HarnessError
from underspec.sandbox.protocol import Mount, Sandbox
from underspec.task.model import Task

if TYPE_CHECKING:
    from inspect_ai.model import Model


@dataclass(frozen=True)
class Answered:
    """What the stakeholder said to a question asked from within this process. ``reply`` is None, and ``reason`` says
    why, when there was no reply; that is never charged. ``remaining`` is None where questions are not counted."""

    reply: str | None
    remaining: int | None
    reason: str | None = None


@dataclass(frozen=True)
class Finish:
    """How an agent says that a phase is over: the tool's name, what the tool says of itself, and what it does. The
    runner ends the phase thereupon, whatever the agent does next."""

    name: str
    says: str
    call: Callable[[], None]


@dataclass(frozen=True)
class SeenTool:
    """What one tool returned to a model. ``id`` is the call's own, so that nothing counts twice."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    result: str


@dataclass(frozen=True)
class Assignment:
    """All that an agent is given. Nothing hidden is in it.

    ``instruction`` and ``request`` are texts; the request also lies at ``request_path`` inside the sandbox.
    ``ask_url`` is where questions are POSTed from inside, or None when nobody answers. ``seconds`` bounds the build.
    ``log`` takes lines for the operator's log. ``progress`` is to be called when something moved: an agent with a
    model that stands still for too long is ended.

    ``ask`` is for agents whose loop runs in this process: the same session and budget as ``ask_url``. ``model`` serves
    the role *builder*, for agents that need one; ``command`` is the condition's, for the agent of that name.
    ``network`` is what the condition grants: tools of a provider that reach the web are refused unless it is ``open``.

    ``finish`` ends a phase that the agent ends by a tool. ``read_only``: the workspace cannot be written. ``saw`` is to
    be called with what tools return, by agents whose model's conversation goes through this process. ``history`` holds
    the messages of an earlier phase to go on from, as JSON values, and ``keep_history`` takes those of this one.
    ``prompts`` is a user's folder of prompts, for agents with prompts of their own.
    """

    sandbox: Sandbox
    task_id: str
    instruction: str
    request: str
    request_path: str
    ask_url: str | None
    seconds: float
    log: Callable[[str], None]
    progress: Callable[[], None] = lambda: None
    ask: Callable[[str], Awaitable[Answered]] | None = None
    model: Model | None = None
    command: str | None = None
    network: str = "none"
    finish: Finish | None = None
    read_only: bool = False
    saw: Callable[[SeenTool], None] | None = None
    history: tuple[dict[str, Any], ...] | None = None
    keep_history: Callable[[tuple[dict[str, Any], ...]], None] | None = None
    prompts: Path | None = None

    def opened_model(self) -> Model:
        """The model, for agents that cannot be without.

        Raises:
            HarnessError: none was opened, although the agent says that it needs one.
        """
        if self.model is None:
            raise HarnessError(f"no model was opened for the build of {self.task_id}")
        return self.model


class Agent(Protocol):
    """Builds a repository in the sandbox's workspace. Found by entry point group ``underspec.agents``.

    ``version`` stands in the key of every build by this agent: raise it when the agent's behaviour changes.
    An agent that works with a model has an attribute ``needs_model`` that is true. One whose loop begins with a prompt
    of the role ``builder`` has an attribute ``own_prompts``: its name by whether the workspace is read-only.
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


def keeps_history(agent: Agent) -> bool:
    """Whether the agent can go on from the messages of an earlier phase."""
    return bool(getattr(agent, "keeps_history", False))


def own_prompt(agent: Agent, *, read_only: bool) -> str | None:
    """The name of the prompt that the agent's own loop begins with; None where it has none."""
    names: Mapping[bool, str] = getattr(agent, "own_prompts", {})
    return names.get(read_only)


def needs_model(agent: Agent) -> bool:
    """Whether the agent works with a model."""
    return bool(getattr(agent, "needs_model", False))

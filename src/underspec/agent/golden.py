"""The agent that hands over the golden implementation: its score must be 100 %, or the task is wrong."""

from __future__ import annotations

from underspec.agent.protocol import Assignment
from underspec.artifact.build import BuildEnd
from underspec.errors import AgentError, UsageError
from underspec.sandbox.protocol import WORKSPACE, Mount
from underspec.task.commission import has_reference_alone
from underspec.task.model import Task
from underspec.task.release import golden_tree

_INSIDE = "/opt/golden"


class GoldenAgent:
    """Copies the golden tree, which only this agent's sandbox is shown, into the workspace."""

    name = "golden"
    version = "2"

    def fingerprint(self, task: Task) -> str:
        """The golden package's hash; the dispatcher beside it is covered by the task's digest, and so is a reference.

        Raises:
            UsageError: the task names no golden implementation, and has no reference variant.
        """
        if has_reference_alone(task):
            return f"reference:{task.digest}"
        if task.golden is None:
            raise UsageError(
                f"task {task.id} names no golden implementation",
                mend="leave the golden agent out, or add hidden/golden.toml",
            )
        return f"{task.golden.sha256}:{task.digest}"

    def mounts(self, task: Task) -> tuple[Mount, ...]:
        """The composed golden deliverable, fetched and checked by hash, or the reference variant."""
        return (Mount(source=golden_tree(task), target=_INSIDE),)

    async def build(self, assignment: Assignment) -> BuildEnd:
        """Copy everything; ask nothing, where one only asks."""
        if assignment.read_only:
            return BuildEnd(agent=self.name, agent_version=self.version, ended="done")
        copied = await assignment.sandbox.exec(["cp", "-R", f"{_INSIDE}/.", WORKSPACE], timeout=assignment.seconds)
        if not copied.ok:
            raise AgentError(f"copying the golden tree failed: {copied.stderr[-500:].decode(errors='replace')}")
        return BuildEnd(agent=self.name, agent_version=self.version, ended="done", exit_code=copied.exit_code)

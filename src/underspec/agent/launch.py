"""Running a program as the agent: how it is started, and how its end is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from underspec.agent.protocol import Assignment
from underspec.artifact.build import BuildEnd
from underspec.sandbox.protocol import WORKSPACE, ExecResult

PROMPT_PATH = "/root/request/prompt.md"
_KEPT = 4000  # bytes of the end of an output


@dataclass(frozen=True)
class Launch:
    """How a program is started: its arguments, what it reads, and what must lie there before (absolute paths)."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass
class Tail:
    """The last bytes of an output; each chunk tells that something moved."""

    assignment: Assignment
    kept: bytes = b""

    def __call__(self, chunk: bytes) -> None:
        self.assignment.progress()
        self.kept = (self.kept + chunk)[-_KEPT:]

    @property
    def text(self) -> str:
        return self.kept.decode(errors="replace").strip()


async def run_program(assignment: Assignment, launch: Launch, *, agent: str, version: str) -> BuildEnd:
    """Run a program in the workspace until it ends."""
    for path, content in launch.files.items():
        await assignment.sandbox.put(path, content)
    stdout, stderr = Tail(assignment), Tail(assignment)
    done = await assignment.sandbox.exec(
        launch.argv,
        cwd=WORKSPACE,
        env=launch.env,
        stdin=launch.stdin,
        on_stdout=stdout,
        on_stderr=stderr,
        keep_output=False,
        end_on_output_limit=False,
    )
    for name, tail in (("stdout", stdout), ("stderr", stderr)):
        if tail.kept:
            assignment.log(f"{name} ends with: {tail.text}")
    return _end(done, stderr.text or stdout.text, agent, version)


def _end(done: ExecResult, said: str, agent: str, version: str) -> BuildEnd:
    if done.ok:
        return BuildEnd(agent=agent, agent_version=version, ended="done")
    if done.limit is not None:
        return BuildEnd(agent=agent, agent_version=version, ended="limit", limit=done.limit, layer=done.layer)
    how = f"exit code {done.exit_code}" if done.exit_code is not None else f"signal {done.signal}"
    detail = f"its program ended with {how}: {said[-1000:]}"
    return BuildEnd(agent=agent, agent_version=version, ended="failed", detail=detail, exit_code=done.exit_code)


def prompt_of(assignment: Assignment) -> str:
    """Instruction and request as one text."""
    return f"{assignment.instruction}\n{assignment.request}"

"""Any program of the image as an agent: for people's own agents."""

from __future__ import annotations

from underspec.agent.bridge import KEY, MODEL_NAME, bridge_url, bridged
from underspec.agent.launch import PROMPT_PATH, Launch, prompt_of, run_program
from underspec.agent.protocol import Assignment
from underspec.artifact.build import BuildEnd
from underspec.errors import UsageError
from underspec.sandbox.protocol import Mount
from underspec.task.model import Task


class CommandAgent:
    """Runs the condition's ``command`` by bash in the workspace.

    It finds the whole prompt in the file that ``UNDERSPEC_PROMPT`` names, the request alone in ``UNDERSPEC_REQUEST``,
    where to ask in ``UNDERSPEC_ASK_URL`` (empty where nobody answers), and a model in the usual variables of the
    providers' libraries: ``OPENAI_BASE_URL`` and ``ANTHROPIC_BASE_URL``, with keys that are worth nothing. The model's
    name is ``underspec``, in ``UNDERSPEC_MODEL``.
    """

    name = "command"
    version = "1"
    needs_model = True
    takes_command = True

    def fingerprint(self, task: Task) -> str:
        """None: the command stands in the condition, and its program in the image."""
        return ""

    def mounts(self, task: Task) -> tuple[Mount, ...]:
        """None."""
        return ()

    async def build(self, assignment: Assignment) -> BuildEnd:
        """Run the command until it ends."""
        if assignment.command is None:
            raise UsageError("the agent 'command' has no command", where="$.command", mend="give --agent-command")
        env = {
            "UNDERSPEC_PROMPT": PROMPT_PATH,
            "UNDERSPEC_REQUEST": assignment.request_path,
            "UNDERSPEC_ASK_URL": assignment.ask_url or "",
            "UNDERSPEC_MODEL": MODEL_NAME,
            "OPENAI_BASE_URL": bridge_url("/v1"),
            "OPENAI_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": bridge_url(),
            "ANTHROPIC_API_KEY": KEY,
        }
        launch = Launch(
            argv=("bash", "-c", assignment.command),
            env=env,
            files={PROMPT_PATH: prompt_of(assignment).encode()},
        )
        async with bridged(assignment):
            return await run_program(assignment, launch, agent=self.name, version=self.version)

"""The build phase: an agent, a request, perhaps a stakeholder, and in the end a sealed deliverable (ICAE III-C, III-E).

The phase owns the sandbox: it starts it, lets the agent work under a time limit, kills everything inside, archives the
workspace from outside and closes. Whatever the agent does, what lies in its workspace then is handed over.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from underspec.agent.protocol import Agent, Assignment, needs_model
from underspec.artifact.build import BuildEnd
from underspec.artifact.canonical import digest_of, sha256_hex
from underspec.artifact.condition import Condition
from underspec.artifact.deliverable import Deliverable
from underspec.artifact.session import SessionLog
from underspec.artifact.threads import in_thread
from underspec.errors import AgentError, HarnessError, TaskError
from underspec.grade.suite import sandbox_limits
from underspec.model.limits import Limits
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec
from underspec.phase.at_work import asker, let_work, nothing_handed_over
from underspec.phase.models import PhaseModels, identity_of, phase_models
from underspec.phase.network import identity_of_network, network_policy, networked
from underspec.phase.prompting import building_prompt
from underspec.phase.work import Work
from underspec.prompts.builder import clarification_block, instruction_text
from underspec.sandbox.egress.lists import Lists
from underspec.sandbox.protocol import CHANNEL_PORT, WORKSPACE, Sandbox, SandboxSpec
from underspec.stakeholder.channel import ChannelServer
from underspec.stakeholder.router import Router, RouterWithModel
from underspec.stakeholder.session import Session
from underspec.task import release
from underspec.task.model import Task

if TYPE_CHECKING:
    from inspect_ai.model import Model

VERSION = 2
REQUEST_PATH = "/root/request/start.md"
ASK_URL = f"http://127.0.0.1:{CHANNEL_PORT}/ask"

BUILD_FILE = "build.json"
DELIVERABLE_FILE = "deliverable.json"
DELIVERABLE_TAR = "deliverable.tar"
SESSION_FILE = "session.json"


@dataclass(frozen=True)
class BuildInputs:
    """All that decides a build."""

    task: Task
    condition: Condition
    agent: Agent
    router: Router
    image: str
    image_digest: str
    model: ModelSpec | None = None
    stakeholder_model: ModelSpec | None = None
    adopted: Model | None = None
    """In place of ``model``, one that is already open; its name stands in the condition."""
    lists: Lists | None = None
    """Which hosts are registries, and which are blocked; the packaged ones when None."""
    prompts: Path | None = None
    """A user's folder of prompts."""

    def request(self) -> str:
        """The request as the agent reads it: the chosen exposure, and how to ask where anybody answers."""
        text = release.request_text(self.task, self.condition.exposure).rstrip()
        if self.condition.asks:
            text += "\n\n" + clarification_block(ASK_URL, self.condition.budget, override=self.prompts).rstrip()
        return text + "\n"

    def instruction(self) -> str:
        """The versioned text before the request."""
        condition = self.condition
        return instruction_text(
            asks=condition.asks,
            network=condition.network,
            grade_network=condition.grade_network,
            scaffold=condition.scaffold,
            language=condition.language or self.task.toml.language,
            budget=condition.budget,
            request_path=REQUEST_PATH,
            ask_url=ASK_URL if condition.asks else None,
            override=self.prompts,
        )

    def key(self) -> str:
        """The phase's key: the files it reads, its prompts, image and limits, the agent and this phase's version."""
        condition = self.condition
        records = release.session_records(self.task, condition.exposure) if condition.asks else None
        workspace = release.visible_workspace(self.task)
        scaffold = release.scaffold_cases(self.task) if condition.scaffold else {}
        return digest_of(
            {
                "phase": "build",
                "version": VERSION,
                "instruction": sha256_hex(self.instruction().encode()),
                "request": sha256_hex(self.request().encode()),
                "records": digest_of(records.model_dump(mode="json")) if records else None,
                "router": [self.router.name, self.router.version] if condition.asks else None,
                "budget": condition.budget if condition.asks else 0,
                "workspace": release.visible_digest(self.task) if workspace else None,
                "scaffold": {path: sha256_hex(content) for path, content in scaffold.items()},
                "agent": [self.agent.name, self.agent.version, self.agent.fingerprint(self.task)],
                **building_prompt(self.agent, self.prompts),
                "command": condition.command,
                "model": identity_of(self.model) if self.adopted is None else {"adopted": condition.model},
                "stakeholder_model": identity_of(self.stakeholder_model) if condition.asks else None,
                "max": [condition.max_tokens, condition.max_turns, condition.max_cost],
                "image": self.image_digest,
                "network": identity_of_network(self.task, condition.network, self.lists),
                "limits": asdict(sandbox_limits(self.task.toml.limits)),
                "seconds": condition.build_seconds,
            }
        )

    def limits(self) -> Limits:
        """What the agent may use. Only an agent with a model is watched for standing still: what others do inside
        their sandbox is not seen from outside."""
        condition = self.condition
        limits = Limits(
            seconds=condition.build_seconds,
            tokens=condition.max_tokens,
            turns=condition.max_turns,
            cost=condition.max_cost,
        )
        return limits if needs_model(self.agent) else replace(limits, inactivity=None)


async def build(inputs: BuildInputs, work: Work) -> None:
    """Run one build and leave its artifact in ``work.artifact``.

    Raises:
        SandboxError, StakeholderError, HarnessError: not the agent's doing; nothing is published.
        TaskError: what the task starts with does not fit into its sandbox.
    """
    with networked(work, network_policy(inputs.task, inputs.condition.network, inputs.lists)) as with_network:
        await _build(inputs, with_network)


async def _build(inputs: BuildInputs, work: Work) -> None:
    # In a thread: the golden agent's library may have to be fetched.
    mounts = await in_thread(inputs.agent.mounts, inputs.task)
    spec = SandboxSpec(
        owner=work.owner,
        image=inputs.image,
        limits=sandbox_limits(inputs.task.toml.limits),
        mounts=mounts,
        network=inputs.condition.network,
    )
    sandbox = work.backend.create(spec)
    try:
        await sandbox.start()
        work.log("sandbox started", sandbox=sandbox.id)
        await _furnish(inputs, sandbox)
        with phase_models("build", work, inputs.limits()) as models:
            async with _stakeholder(inputs, sandbox, work, models) as conversation:
                end = await _let_work(inputs, sandbox, work, conversation, models)
        await sandbox.kill_all()
        work.progress("archiving")
        try:
            deliverable = await sandbox.archive(work.artifact / DELIVERABLE_TAR)
        except AgentError as error:
            end, deliverable = nothing_handed_over(end, error, work, DELIVERABLE_TAR)
    finally:
        await sandbox.close()
    log = conversation.session.log() if conversation else None
    _write(work.artifact, end, deliverable, log)
    work.log("built", ended=end.ended, deliverable=deliverable.sha256, questions=len(log.turns) if log else 0)


async def _furnish(inputs: BuildInputs, sandbox: Sandbox) -> None:
    workspace = release.visible_workspace(inputs.task)
    # Written and not mounted: where a mount comes from stands in the sandbox's mount table, and that would tell the
    # agent the run, the item and the host's folders.
    await sandbox.put(REQUEST_PATH, inputs.request().encode())
    try:
        if workspace:
            await sandbox.put_tree(workspace, WORKSPACE)
        if inputs.condition.scaffold:
            for path, content in release.scaffold_cases(inputs.task).items():
                await sandbox.put(f"{WORKSPACE}/{path}", content)
    except AgentError as error:
        # No agent has been there yet.
        raise TaskError(
            f"what task {inputs.task.id} starts with cannot be put into its sandbox: {error.message}",
            file="task.toml",
            where="$.limits",
            mend="raise disk_mb, or make the workspace smaller",
        ) from error


@dataclass(frozen=True)
class Conversation:
    """A session, and the channel over which the agent reaches it."""

    session: Session
    channel: ChannelServer


@contextlib.asynccontextmanager
async def _stakeholder(
    inputs: BuildInputs, sandbox: Sandbox, work: Work, models: PhaseModels
) -> AsyncIterator[Conversation | None]:
    """Answer questions on the sandbox's own loopback while the block runs; None where nobody answers."""
    if not inputs.condition.asks:
        yield None
        return
    with Session.open(
        work.attempt / "session.jsonl",
        task=inputs.task.id,
        level=inputs.condition.exposure,
        records=release.session_records(inputs.task, inputs.condition.exposure),
        router=_router(inputs, models),
        budget=inputs.condition.budget,
    ) as session:
        listener = await sandbox.listen(CHANNEL_PORT)
        async with ChannelServer(listener, session) as channel:
            yield Conversation(session, channel)


def _builder_model(inputs: BuildInputs, models: PhaseModels) -> Model | None:
    if inputs.adopted is not None:
        return models.adopt(inputs.adopted, Role.BUILDER)
    return models.open(inputs.model, Role.BUILDER) if inputs.model else None


def _router(inputs: BuildInputs, models: PhaseModels) -> Router:
    if inputs.stakeholder_model is None:
        return inputs.router
    if not isinstance(inputs.router, RouterWithModel):
        raise HarnessError(f"the router {inputs.router.name!r} takes no model")
    return inputs.router.with_model(models.open(inputs.stakeholder_model, Role.ROUTER))


async def _let_work(
    inputs: BuildInputs, sandbox: Sandbox, work: Work, conversation: Conversation | None, models: PhaseModels
) -> BuildEnd:
    assignment = Assignment(
        sandbox=sandbox,
        task_id=inputs.task.id,
        instruction=inputs.instruction(),
        request=inputs.request(),
        request_path=REQUEST_PATH,
        ask_url=ASK_URL if conversation else None,
        seconds=inputs.condition.build_seconds,
        log=lambda line: work.log("agent", line=line),
        progress=models.watch.progress,
        ask=asker(conversation.session) if conversation else None,
        model=_builder_model(inputs, models),
        command=inputs.condition.command,
        network=inputs.condition.network,
        prompts=inputs.prompts,
    )
    work.progress("building")
    channel = conversation.channel if conversation else None
    return await let_work(inputs.agent, assignment, models.watch, work, channel=channel)


def _write(folder: Path, end: BuildEnd, deliverable: Deliverable, session: SessionLog | None) -> None:
    (folder / BUILD_FILE).write_bytes(end.to_bytes())
    (folder / DELIVERABLE_FILE).write_bytes(deliverable.to_bytes())
    if session is not None:
        (folder / SESSION_FILE).write_bytes(session.to_bytes())

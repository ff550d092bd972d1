"""The clarify phase: an agent looks at the material and asks a client, and builds nothing (SWE-Clar 2.2, B.1).

What it leaves: the operator's transcript, and what the agent saw, from which the context is frozen.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from underspec.agent.protocol import Agent, Assignment, needs_model
from underspec.artifact.build import BuildEnd
from underspec.artifact.canonical import canonical_json, digest_of, sha256_hex
from underspec.artifact.clarification import Round, Transcript
from underspec.artifact.condition import Condition
from underspec.artifact.context import SeenEvents
from underspec.artifact.threads import in_thread
from underspec.grade.suite import sandbox_limits
from underspec.model.limits import Limits
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec
from underspec.phase.at_work import Finished, asker, let_work
from underspec.phase.materials import Materials, read_only_copy
from underspec.phase.models import PhaseModels, identity_of, phase_models
from underspec.phase.network import identity_of_network, network_policy, networked
from underspec.phase.prompting import inspecting_prompt
from underspec.phase.recorder import Recorder
from underspec.phase.work import Work
from underspec.prompts.builder.clarify_first import clarify_text
from underspec.prompts.client import client_prompts
from underspec.prompts.supervisor import supervisor_prompts
from underspec.sandbox.egress.lists import Lists
from underspec.sandbox.protocol import CHANNEL_PORT, WORKSPACE, Mount, Sandbox, SandboxSpec
from underspec.stakeholder.clarification import ClarificationDesk, DeskLimits, RoundLog
from underspec.stakeholder.client import Client, Knowledge
from underspec.stakeholder.ending import EndingChannel
from underspec.stakeholder.supervisor import Supervisor
from underspec.task import release
from underspec.task.model import Task

if TYPE_CHECKING:
    from inspect_ai.model import Model

VERSION = 1
REQUEST_PATH = "/root/request/start.md"
ASK_URL = f"http://127.0.0.1:{CHANNEL_PORT}/ask"
FINISH = "finish_clarification"
FINISH_URL = f"http://127.0.0.1:{CHANNEL_PORT}/{FINISH}"
_SAYS = "End clarification: the client cannot be reached any more, and building begins."

TRANSCRIPT_FILE = "transcript.json"
SEEN_FILE = "seen.json"
HISTORY_FILE = "history.json"
ROUNDS_FILE = "rounds.jsonl"


@dataclass(frozen=True)
class ClarifyInputs:
    """All that decides a clarification. ``stakeholder_model`` plays both client and supervisor."""

    task: Task
    condition: Condition
    agent: Agent
    image: str
    image_digest: str
    stakeholder_model: ModelSpec
    model: ModelSpec | None = None
    adopted: Model | None = None
    lists: Lists | None = None
    prompts: Path | None = None
    """A user's folder of prompts."""

    def request(self) -> str:
        """The incomplete request as the agent reads it."""
        return release.request_text(self.task, self.condition.exposure)

    def instruction(self) -> str:
        """What precedes it."""
        return clarify_text(
            request_path=REQUEST_PATH,
            ask_url=ASK_URL,
            finish_url=FINISH_URL,
            most_rounds=self.condition.most_rounds,
            override=self.prompts,
        )

    def key(self) -> str:
        """The phase's key: what the agent and those who answer read, who they are, and this phase's version."""
        condition = self.condition
        return digest_of(
            {
                "phase": "clarify",
                "version": VERSION,
                "instruction": sha256_hex(self.instruction().encode()),
                "request": sha256_hex(self.request().encode()),
                **builder_identity(self.task, condition, self.agent, self.model, self.adopted),
                **inspecting_prompt(self.agent, self.prompts),
                "history": condition.native_history,
                **client_identity(self.task, condition, self.stakeholder_model, self.prompts),
                "image": self.image_digest,
                "network": identity_of_network(self.task, condition.network, self.lists),
                "limits": asdict(sandbox_limits(self.task.toml.limits)),
            }
        )


def builder_identity(
    task: Task, condition: Condition, agent: Agent, model: ModelSpec | None, adopted: Model | None
) -> dict[str, Any]:
    """What of an agent, its model, its material and its limits belongs into a phase's key."""
    return {
        "workspace": release.visible_digest(task) if release.visible_workspace(task) else None,
        "agent": [agent.name, agent.version, agent.fingerprint(task)],
        "command": condition.command,
        "model": identity_of(model) if adopted is None else {"adopted": condition.model},
        "max": [condition.max_tokens, condition.max_turns, condition.max_cost],
        "seconds": condition.build_seconds,
    }


def client_identity(task: Task, condition: Condition, model: ModelSpec, prompts: Path | None) -> dict[str, Any]:
    """What of the client and its supervisor belongs into a phase's key."""
    return {
        "requirement": sha256_hex(release.complete_requirement(task).encode()),
        "stakeholder_model": identity_of(model),
        "client": client_prompts(override=prompts).version,
        "supervisor": supervisor_prompts(override=prompts).version,
        "rounds": condition.most_rounds,
        "revisions": condition.most_revisions,
    }


def builder_limits(condition: Condition, agent: Agent) -> Limits:
    """What an agent may use in one phase; see :meth:`underspec.phase.build.BuildInputs.limits`."""
    limits = Limits(
        seconds=condition.build_seconds,
        tokens=condition.max_tokens,
        turns=condition.max_turns,
        cost=condition.max_cost,
    )
    return limits if needs_model(agent) else replace(limits, inactivity=None)


def builder_model(models: PhaseModels, model: ModelSpec | None, adopted: Model | None) -> Model | None:
    """The agent's model, opened for the phase."""
    if adopted is not None:
        return models.adopt(adopted, Role.BUILDER)
    return models.open(model, Role.BUILDER) if model else None


async def clarify(inputs: ClarifyInputs, work: Work) -> None:
    """Run one clarification and leave its artifact in ``work.artifact``.

    Raises:
        StakeholderError, ModelServiceError, SandboxError, HarnessError: not the agent's doing; nothing is published.
    """
    with networked(work, network_policy(inputs.task, inputs.condition.network, inputs.lists)) as with_network:
        await _clarify(inputs, with_network)


async def _clarify(inputs: ClarifyInputs, work: Work) -> None:
    mounts = await in_thread(inputs.agent.mounts, inputs.task)
    material = await in_thread(read_only_copy, inputs.task)
    spec = SandboxSpec(
        owner=work.owner,
        image=inputs.image,
        limits=sandbox_limits(inputs.task.toml.limits),
        mounts=(*mounts, Mount(material, WORKSPACE)),
        network=inputs.condition.network,
    )
    recorder = Recorder()
    sandbox = work.backend.create(spec)
    try:
        await sandbox.start()
        work.log("sandbox started", sandbox=sandbox.id)
        await sandbox.put(REQUEST_PATH, inputs.request().encode())
        with phase_models("clarify", work, builder_limits(inputs.condition, inputs.agent)) as models:
            end, finished, desk = await _talk(inputs, sandbox, work, models, recorder)
        await sandbox.kill_all()
    finally:
        await sandbox.close()
    transcript = transcript_of(inputs.task, inputs.condition, desk, finished=finished, end=end)
    (work.artifact / TRANSCRIPT_FILE).write_bytes(transcript.to_bytes())
    (work.artifact / SEEN_FILE).write_bytes(SeenEvents(events=tuple(recorder.events)).to_bytes())
    write_history(recorder, inputs.condition, work)
    work.log("clarified", ended=end.ended, rounds=len(desk.rounds), failed_rounds=len(desk.failed))


async def _talk(
    inputs: ClarifyInputs, sandbox: Sandbox, work: Work, models: PhaseModels, recorder: Recorder
) -> tuple[BuildEnd, bool, ClarificationDesk]:
    agent, condition = inputs.agent, inputs.condition
    desk = open_desk(inputs.task, condition, inputs.stakeholder_model, work, models, recorder, inputs.prompts)
    finished = finish_of(agent, FINISH, _SAYS)
    async with ending_channel(sandbox, desk, finished) as channel:
        assignment = Assignment(
            sandbox=sandbox,
            task_id=inputs.task.id,
            instruction=inputs.instruction(),
            request=inputs.request(),
            request_path=REQUEST_PATH,
            ask_url=ASK_URL,
            seconds=condition.build_seconds,
            log=lambda line: work.log("agent", line=line),
            progress=models.watch.progress,
            ask=asker(desk),
            model=builder_model(models, inputs.model, inputs.adopted),
            command=condition.command,
            network=condition.network,
            finish=finished.tool(),
            read_only=True,
            saw=recorder.saw,
            keep_history=recorder.keep if condition.native_history else None,
            prompts=inputs.prompts,
        )
        work.progress("clarifying")
        end = await let_work(agent, assignment, models.watch, work, channel=channel, finished=finished)
    desk.close()
    return end, finished.said, desk


def finish_of(agent: Agent, name: str, says: str) -> Finished:
    """How an agent ends a phase by the tool ``name``."""
    return Finished(name, says, BuildEnd(agent=agent.name, agent_version=agent.version, ended="done", detail=name))


@contextlib.asynccontextmanager
async def ending_channel(
    sandbox: Sandbox, desk: ClarificationDesk | None, finished: Finished
) -> AsyncIterator[EndingChannel]:
    """The channel of one phase, on the sandbox's own loopback."""
    listener = await sandbox.listen(CHANNEL_PORT)
    async with EndingChannel(listener, desk, name=finished.name, end=finished.event.set) as channel:
        yield channel


def open_desk(
    task: Task,
    condition: Condition,
    spec: ModelSpec,
    work: Work,
    models: PhaseModels,
    recorder: Recorder,
    prompts: Path | None,
) -> ClarificationDesk:
    """Client and supervisor, with what Table 3 lets them know."""
    knowledge = Knowledge(release.complete_requirement(task), Materials.of(task).texts())

    def heard(one: Round) -> None:
        recorder.heard(one)
        work.progress(f"{one.number} questions answered")

    return ClarificationDesk(
        Client(models.open(spec, Role.CLIENT), client_prompts(override=prompts), knowledge),
        Supervisor(models.open(spec, Role.SUPERVISOR), supervisor_prompts(override=prompts), knowledge),
        knowledge,
        DeskLimits(rounds=condition.most_rounds, revisions=condition.most_revisions),
        RoundLog(work.attempt / ROUNDS_FILE),
        heard=heard,
    )


def transcript_of(
    task: Task, condition: Condition, desk: ClarificationDesk, *, finished: bool, end: BuildEnd
) -> Transcript:
    """The operator's log of a conversation that has ended."""
    return Transcript(
        task=task.id,
        most_rounds=condition.most_rounds,
        most_revisions=condition.most_revisions,
        rounds=tuple(desk.rounds),
        failed=tuple(desk.failed),
        finished=finished,
        end=end,
    )


def write_history(recorder: Recorder, condition: Condition, work: Work) -> None:
    """Keep the agent's own messages, where a later phase is to go on from them."""
    if condition.native_history:
        (work.artifact / HISTORY_FILE).write_bytes(canonical_json(json.loads(json.dumps(recorder.history))) + b"\n")

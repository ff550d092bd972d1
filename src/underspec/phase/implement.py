"""The implement phase: from the frozen context to a sealed deliverable, with nobody to ask (SWE-Clar 2.3).

Under the protocol ``continued`` it goes from the request to both, with questions and edits in turn (Appendix D).

What it is given of the task is the context and the material. Questions that assess, reference answers, private tests
and what the client and its supervisor said to each other are in no file that it reads.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from underspec.agent.protocol import Agent, Assignment
from underspec.artifact.canonical import digest_of, sha256_hex
from underspec.artifact.condition import Condition
from underspec.artifact.context import Basis, FrozenContext, SeenEvents
from underspec.artifact.files import read_regular
from underspec.artifact.threads import in_thread
from underspec.errors import AgentError, HarnessError, StoreError, TaskError
from underspec.grade.suite import sandbox_limits
from underspec.model.spec import ModelSpec
from underspec.phase.at_work import Finished, asker, let_work, nothing_handed_over
from underspec.phase.build import BUILD_FILE, DELIVERABLE_FILE, DELIVERABLE_TAR
from underspec.phase.clarify import (
    ASK_URL,
    HISTORY_FILE,
    REQUEST_PATH,
    SEEN_FILE,
    TRANSCRIPT_FILE,
    builder_identity,
    builder_limits,
    builder_model,
    client_identity,
    ending_channel,
    finish_of,
    open_desk,
    transcript_of,
)
from underspec.phase.freeze import CONTEXT_FILE
from underspec.phase.models import PhaseModels, phase_models
from underspec.phase.network import identity_of_network, network_policy, networked
from underspec.phase.prompting import building_prompt
from underspec.phase.recorder import Recorder
from underspec.phase.work import Work
from underspec.prompts.builder.clarify_first import continued_text, implement_text
from underspec.sandbox.egress.lists import Lists
from underspec.sandbox.protocol import CHANNEL_PORT, WORKSPACE, Sandbox, SandboxSpec
from underspec.stakeholder.clarification import ClarificationDesk
from underspec.task import release
from underspec.task.model import Task

if TYPE_CHECKING:
    from inspect_ai.model import Model

VERSION = 1
BASIS_FILE = "basis.json"
SUBMIT = "submit_delivery"
SUBMIT_URL = f"http://127.0.0.1:{CHANNEL_PORT}/{SUBMIT}"
_SAYS = "Hand over what lies in /workspace. This ends your work."


@dataclass(frozen=True)
class ImplementInputs:
    """All that decides an implementation.

    ``frozen`` is the published artifact of the freeze phase; None under ``continued``, where ``stakeholder_model``
    plays client and supervisor. ``clarified`` holds the agent's own history, where the condition wants it.
    """

    task: Task
    condition: Condition
    agent: Agent
    image: str
    image_digest: str
    frozen: Path | None
    clarified: Path | None = None
    stakeholder_model: ModelSpec | None = None
    model: ModelSpec | None = None
    adopted: Model | None = None
    lists: Lists | None = None
    prompts: Path | None = None
    """A user's folder of prompts."""

    def context(self) -> FrozenContext | None:
        """What is known, where clarification is over.

        Raises:
            StoreError: the file is missing or damaged.
        """
        return None if self.frozen is None else FrozenContext.read(self.frozen / CONTEXT_FILE)

    def history(self) -> tuple[dict[str, Any], ...] | None:
        """The agent's own messages, where it goes on from them.

        Raises:
            StoreError: the file is missing or damaged.
        """
        if self.clarified is None or not self.condition.native_history:
            return None
        path = self.clarified / HISTORY_FILE
        try:
            return tuple(json.loads(read_regular(path)))
        except (OSError, ValueError, TypeError) as error:
            mend = "remove the folder that holds it and run the same command again"
            raise StoreError(f"not a history: {error}", file=str(path), mend=mend) from error

    def basis(self) -> Basis:
        """The hashes of what the agent begins from."""
        context, history = self.context(), self.history()
        return Basis(
            context=context.sha256 if context else None,
            history=digest_of(list(history)) if history is not None else None,
        )

    def request(self) -> str:
        """What the agent works from."""
        context = self.context()
        if context is None:
            return release.request_text(self.task, self.condition.exposure)
        return "" if self.history() is not None else context.render()

    def instruction(self) -> str:
        """What precedes it."""
        condition = self.condition
        language = condition.language or self.task.toml.language
        if self.frozen is None:
            return continued_text(
                request_path=REQUEST_PATH,
                ask_url=ASK_URL,
                finish_url=SUBMIT_URL,
                language=language,
                network=condition.network,
                most_rounds=condition.most_rounds,
                override=self.prompts,
            )
        return implement_text(
            finish_url=SUBMIT_URL,
            language=language,
            network=condition.network,
            with_context=self.history() is None,
            override=self.prompts,
        )

    def key(self) -> str:
        """The phase's key: the context, or else who answers meanwhile; the agent, its limits, this phase's version."""
        condition = self.condition
        asked = None
        if self.stakeholder_model is not None:
            asked = client_identity(self.task, condition, self.stakeholder_model, self.prompts)
        return digest_of(
            {
                "phase": "implement",
                "version": VERSION,
                "instruction": sha256_hex(self.instruction().encode()),
                "request": sha256_hex(self.request().encode()),
                "basis": self.basis().model_dump(mode="json"),
                "client": asked,
                **builder_identity(self.task, condition, self.agent, self.model, self.adopted),
                **building_prompt(self.agent, self.prompts),
                "image": self.image_digest,
                "network": identity_of_network(self.task, condition.network, self.lists),
                "limits": asdict(sandbox_limits(self.task.toml.limits)),
            }
        )


async def implement(inputs: ImplementInputs, work: Work) -> None:
    """Let the agent build, and leave the sealed deliverable in ``work.artifact``; under ``continued`` also what it saw.

    Raises:
        StakeholderError, ModelServiceError, SandboxError, HarnessError: not the agent's doing; nothing is published.
        TaskError: what the task starts with does not fit into its sandbox.
    """
    with networked(work, network_policy(inputs.task, inputs.condition.network, inputs.lists)) as with_network:
        await _implement(inputs, with_network)


async def _implement(inputs: ImplementInputs, work: Work) -> None:
    mounts = await in_thread(inputs.agent.mounts, inputs.task)
    spec = SandboxSpec(
        owner=work.owner,
        image=inputs.image,
        limits=sandbox_limits(inputs.task.toml.limits),
        mounts=mounts,
        network=inputs.condition.network,
    )
    recorder = Recorder()
    desk: ClarificationDesk | None = None
    finished = finish_of(inputs.agent, SUBMIT, _SAYS)
    sandbox = work.backend.create(spec)
    try:
        await sandbox.start()
        work.log("sandbox started", sandbox=sandbox.id)
        await _furnish(inputs, sandbox)
        with phase_models("implement", work, builder_limits(inputs.condition, inputs.agent)) as models:
            if inputs.frozen is None:
                desk = _desk(inputs, work, models, recorder)
            async with ending_channel(sandbox, desk, finished) as channel:
                assignment = _assignment(inputs, sandbox, work, models, desk, finished, recorder)
                work.progress("building")
                end = await let_work(inputs.agent, assignment, models.watch, work, channel=channel, finished=finished)
        await sandbox.kill_all()
        work.progress("archiving")
        try:
            deliverable = await sandbox.archive(work.artifact / DELIVERABLE_TAR)
        except AgentError as error:
            end, deliverable = nothing_handed_over(end, error, work, DELIVERABLE_TAR)
    finally:
        await sandbox.close()
    (work.artifact / BUILD_FILE).write_bytes(end.to_bytes())
    (work.artifact / DELIVERABLE_FILE).write_bytes(deliverable.to_bytes())
    (work.artifact / BASIS_FILE).write_bytes(inputs.basis().to_bytes())
    if desk is not None:
        transcript = transcript_of(inputs.task, inputs.condition, desk, finished=finished.said, end=end)
        (work.artifact / TRANSCRIPT_FILE).write_bytes(transcript.to_bytes())
        (work.artifact / SEEN_FILE).write_bytes(SeenEvents(events=tuple(recorder.events)).to_bytes())
    work.log("built", ended=end.ended, deliverable=deliverable.sha256)


def _desk(inputs: ImplementInputs, work: Work, models: PhaseModels, recorder: Recorder) -> ClarificationDesk:
    if inputs.stakeholder_model is None:
        raise HarnessError("a continued session has nobody to ask")
    spec, condition = inputs.stakeholder_model, inputs.condition
    return open_desk(inputs.task, condition, spec, work, models, recorder, inputs.prompts)


async def _furnish(inputs: ImplementInputs, sandbox: Sandbox) -> None:
    workspace = release.visible_workspace(inputs.task)
    await sandbox.put(REQUEST_PATH, inputs.request().encode())
    try:
        if workspace:
            await sandbox.put_tree(workspace, WORKSPACE)
    except AgentError as error:
        # No agent has been there yet.
        raise TaskError(
            f"what task {inputs.task.id} starts with cannot be put into its sandbox: {error.message}",
            file="task.toml",
            where="$.limits",
            mend="raise disk_mb, or make the workspace smaller",
        ) from error


def _assignment(
    inputs: ImplementInputs,
    sandbox: Sandbox,
    work: Work,
    models: PhaseModels,
    desk: ClarificationDesk | None,
    finished: Finished,
    recorder: Recorder,
) -> Assignment:
    condition = inputs.condition
    return Assignment(
        sandbox=sandbox,
        task_id=inputs.task.id,
        instruction=inputs.instruction(),
        request=inputs.request(),
        request_path=REQUEST_PATH,
        ask_url=ASK_URL if desk is not None else None,
        seconds=condition.build_seconds,
        log=lambda line: work.log("agent", line=line),
        progress=models.watch.progress,
        ask=asker(desk) if desk is not None else None,
        model=builder_model(models, inputs.model, inputs.adopted),
        command=condition.command,
        network=condition.network,
        finish=finished.tool(),
        saw=recorder.saw if desk is not None else None,
        history=inputs.history(),
        prompts=inputs.prompts,
    )

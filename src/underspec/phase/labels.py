"""The assess and annotate phases: after a run, a model labels approved replies (SWE-Clar C.3, Appendix E).

The assessor says whether first draft and final reply agree with the complete requirement; the annotator says what each
reply discloses of each requirement unit. Neither is needed for a score, and neither sees what the other said.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from underspec.artifact.canonical import digest_of, sha256_hex
from underspec.artifact.clarification import Round, Transcript
from underspec.artifact.labels import (
    DISCLOSURES,
    Disclosure,
    DisclosureLabel,
    DisclosureLabels,
    ReplyLabel,
    ReplyLabels,
)
from underspec.errors import JudgeError
from underspec.model.limits import Limits
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec
from underspec.model.structured import Shape, ask_structured, told
from underspec.phase.at_work import under_watch
from underspec.phase.clarify import TRANSCRIPT_FILE
from underspec.phase.models import identity_of, phase_models
from underspec.phase.work import Work
from underspec.prompts.annotator import annotator_prompts
from underspec.prompts.assessor import assessor_prompts
from underspec.task import release
from underspec.task.model import Task

if TYPE_CHECKING:
    from inspect_ai.model import Model

VERSION = 1
REPLY_LABELS_FILE = "reply-labels.json"
DISCLOSURES_FILE = "disclosures.json"
CORRECT_SHAPE = Shape("assessment", {"reason": {"type": "string"}, "correct": {"type": "boolean"}})
DISCLOSURE_SHAPE = Shape("disclosure", {"disclosure": {"type": "string", "enum": list(DISCLOSURES)}})
_MOST_REASON = 2000


@dataclass(frozen=True)
class LabelInputs:
    """All that decides the labels of one clarification. ``talked`` is the published artifact with the transcript."""

    task: Task
    talked: Path
    model: ModelSpec
    role: Role
    prompts: Path | None = None
    """A user's folder of prompts."""

    def transcript(self) -> Transcript:
        """What is labelled.

        Raises:
            StoreError: the file is missing or damaged.
        """
        return Transcript.read(self.talked / TRANSCRIPT_FILE)

    def digest(self) -> str:
        """The digest of what is labelled."""
        return sha256_hex(self.transcript().to_bytes())

    def key(self) -> str:
        """The phase's key: transcript, what it is compared with, model, prompts and this phase's version."""
        assessing = self.role is Role.ASSESSOR
        chosen = assessor_prompts if assessing else annotator_prompts
        units = [list(each) for each in release.unit_requirements(self.task)]
        return digest_of(
            {
                "phase": str(self.role),
                "version": VERSION,
                "transcript": self.digest(),
                "known": release.complete_requirement(self.task) if assessing else units,
                "prompts": chosen(override=self.prompts).version,
                "model": identity_of(self.model),
            }
        )


async def assess(inputs: LabelInputs, work: Work) -> None:
    """Label every round's first draft and final reply, and leave ``reply-labels.json`` in ``work.artifact``.

    Raises:
        ModelServiceError: the model's provider failed.
        JudgeError: the model could label nothing at all.
    """
    prompts, transcript = assessor_prompts(override=inputs.prompts), inputs.transcript()
    system = prompts.system(release.complete_requirement(inputs.task))

    async def correct(model: Model, question: str, reply: str) -> tuple[bool, str] | None:
        messages = told(system, prompts.ask(question, reply))
        return await ask_structured(model, messages, CORRECT_SHAPE, read_assessment, again=prompts.again())

    async def label(model: Model, one: Round) -> ReplyLabel:
        final = await correct(model, one.question, one.reply)
        first = await correct(model, one.question, one.drafts[0].text) if one.revised else final
        return ReplyLabel(
            round=one.number,
            first=first[0] if first else None,
            final=final[0] if final else None,
            reason=final[1] if final else "",
        )

    labels: list[ReplyLabel] = []
    with phase_models("assess", work, Limits()) as models:
        model = models.open(inputs.model, Role.ASSESSOR)
        for one in transcript.rounds:
            work.progress(f"assessing {one.number} of {len(transcript.rounds)}")
            labels.append(await under_watch(label(model, one), models.watch))
    if labels and all(each.final is None for each in labels):
        raise JudgeError("the assessor gave no label that can be read")
    found = ReplyLabels(task=inputs.task.id, transcript=inputs.digest(), labels=tuple(labels))
    (work.artifact / REPLY_LABELS_FILE).write_bytes(found.to_bytes())


async def annotate(inputs: LabelInputs, work: Work) -> None:
    """Label what every reply discloses of every unit, and leave ``disclosures.json`` in ``work.artifact``.

    Raises:
        ModelServiceError: the model's provider failed.
        JudgeError: the model could label nothing at all.
    """
    prompts, transcript = annotator_prompts(override=inputs.prompts), inputs.transcript()
    requirements = release.unit_requirements(inputs.task)

    async def label(model: Model, one: Round, unit: str, requirement: str) -> DisclosureLabel:
        messages = told(prompts.system(), prompts.ask(requirement, one.question, one.reply))
        found = await ask_structured(model, messages, DISCLOSURE_SHAPE, read_disclosure, again=prompts.again())
        return DisclosureLabel(round=one.number, unit=unit, disclosure=found)

    labels: list[DisclosureLabel] = []
    with phase_models("annotate", work, Limits()) as models:
        model = models.open(inputs.model, Role.ANNOTATOR)
        for one in transcript.rounds:
            work.progress(f"annotating {one.number} of {len(transcript.rounds)}")
            for each in requirements:
                labels.append(await under_watch(label(model, one, each.unit, each.text), models.watch))
    if labels and all(each.disclosure is None for each in labels):
        raise JudgeError("the annotator gave no label that can be read")
    hidden = tuple(each.unit for each in requirements if each.initially_hidden)
    found = DisclosureLabels(task=inputs.task.id, transcript=inputs.digest(), hidden=hidden, labels=tuple(labels))
    (work.artifact / DISCLOSURES_FILE).write_bytes(found.to_bytes())


def read_assessment(document: dict[str, Any]) -> tuple[bool, str] | None:
    """The label and the reason in a document; None if it has no label."""
    correct, reason = document.get("correct"), document.get("reason")
    if not isinstance(correct, bool):
        return None
    return correct, (reason if isinstance(reason, str) else "")[:_MOST_REASON].encode(errors="replace").decode()


def read_disclosure(document: dict[str, Any]) -> Disclosure | None:
    """The label in a document; None if it has none."""
    said = document.get("disclosure")
    return next((each for each in DISCLOSURES if each == said), None)

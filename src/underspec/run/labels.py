"""Labels of a run's clarifications, after it: by a model, or by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from underspec.artifact.answers import Answers
from underspec.artifact.canonical import sha256_hex
from underspec.artifact.clarification import Transcript
from underspec.artifact.condition import Condition
from underspec.artifact.files import write_atomic
from underspec.artifact.labels import DisclosureLabels, ManualLabels, ReplyLabels
from underspec.errors import UsageError
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec
from underspec.phase.answer import ANSWERS_FILE
from underspec.phase.clarify import TRANSCRIPT_FILE
from underspec.phase.labels import DISCLOSURES_FILE, REPLY_LABELS_FILE, LabelInputs, annotate, assess
from underspec.run.context import RunContext
from underspec.run.executor import ensure_step
from underspec.run.item import Item
from underspec.run.protocols import Step
from underspec.run.store import RunStore
from underspec.task import release
from underspec.task.model import Task

MANUAL_LABELS_FILE = "manual-labels.json"
"""In a run's folder: labels that somebody gave by hand."""
LabelRole = Literal["assessor", "annotator"]
_PHASES = {"assessor": "assess", "annotator": "annotate"}


def talking_phase(condition: Condition) -> str | None:
    """The phase in which the item's agent asked; None where it asked nobody that drafts replies."""
    if condition.protocol == "build" or not condition.asks:
        return None
    return "implement" if condition.protocol == "continued" else "clarify"


def chosen_artifact(store: RunStore, item: Item, phase: str) -> Path | None:
    """The artifact of a phase that the item's last run went by."""
    folder = store.phase(item, phase)
    choice = folder.chosen()
    return folder.artifact(choice.key) if choice else None


def talked(store: RunStore, item: Item) -> Path | None:
    """The artifact with the item's transcript, as far as the last run went by one."""
    phase = talking_phase(item.condition)
    return chosen_artifact(store, item, phase) if phase else None


async def label_item(context: RunContext, item: Item, role: LabelRole, model: ModelSpec) -> Path | None:
    """Let a model label one item's clarification; returns the artifact, None where there is nothing to label or its
    attempts are used up. What was labelled before under the same key is not labelled again."""
    artifact = talked(context.store, item)
    if artifact is None:
        return None
    inputs = LabelInputs(context.tasks[item.task], artifact, model, Role(role), context.prompts)
    step = Step(_PHASES[role], lambda context, item, made: inputs, assess if role == "assessor" else annotate)
    return await ensure_step(context, item, step, {})


@dataclass(frozen=True)
class ItemLabels:
    """All labels of one item's clarification, those given by hand over the models'; ``digest`` is the transcript's."""

    transcript: Transcript
    digest: str
    replies: ReplyLabels | None
    disclosures: DisclosureLabels | None


def item_labels(store: RunStore, item: Item, task: Task) -> ItemLabels | None:
    """The labels of one item of ``task``; None where it asked nobody, or did not come to that.

    Raises:
        StoreError: names the file that is damaged.
    """
    artifact = talked(store, item)
    if artifact is None:
        return None
    transcript = Transcript.read(artifact / TRANSCRIPT_FILE)
    digest = sha256_hex(transcript.to_bytes())
    by_hand = manual_labels(store.path)
    replies, disclosures = None, None
    if (found := chosen_artifact(store, item, "assess")) is not None:
        replies = ReplyLabels.read(found / REPLY_LABELS_FILE)
    if (found := chosen_artifact(store, item, "annotate")) is not None:
        disclosures = DisclosureLabels.read(found / DISCLOSURES_FILE)
    if replies is None or replies.transcript != digest:
        replies = ReplyLabels(task=item.task, transcript=digest, labels=())
    if disclosures is None or disclosures.transcript != digest:
        hidden = tuple(each.unit for each in release.unit_requirements(task) if each.initially_hidden)
        disclosures = DisclosureLabels(task=item.task, transcript=digest, hidden=hidden, labels=())
    replies, disclosures = by_hand.on_replies(replies, transcript), by_hand.on_disclosures(disclosures)
    return ItemLabels(
        transcript, digest, replies if replies.labels else None, disclosures if disclosures.labels else None
    )


def manual_labels(run: Path) -> ManualLabels:
    """The labels that were given by hand for a run; none without a file.

    Raises:
        StoreError: the file is damaged.
    """
    path = run / MANUAL_LABELS_FILE
    return ManualLabels.read(path) if path.exists() else ManualLabels()


def import_labels(store: RunStore, path: Path) -> ManualLabels:
    """Add a file of labels to those of the run; what it says again, it says anew.

    Raises:
        StoreError: the file is none of labels.
        UsageError: it speaks of answers or of a transcript that the run does not have.
    """
    read = ManualLabels.read(path)
    digests = known_digests(store)
    for each in read.adjudications:
        if each.unit not in digests.answers.get(each.answers, ()):
            raise _unknown(path, f"answers {each.answers[:16]} with unit {each.unit!r}")
    about = [(each.transcript, each.round) for each in read.replies]
    about += [(each.transcript, each.round) for each in read.disclosures]
    for transcript, number in about:
        if number > digests.rounds.get(transcript, 0):
            raise _unknown(path, f"transcript {transcript[:16]} with round {number}")
    joined = manual_labels(store.path).joined(read)
    write_atomic(store.path / MANUAL_LABELS_FILE, joined.to_bytes())
    return joined


@dataclass(frozen=True)
class KnownDigests:
    """What of a run can be labelled by hand: units by digest of answers, numbers of rounds by digest of transcript."""

    answers: dict[str, tuple[str, ...]]
    rounds: dict[str, int]


def known_digests(store: RunStore) -> KnownDigests:
    """The same for what the items' last runs went by.

    Raises:
        StoreError: names the file that is damaged.
    """
    known = KnownDigests({}, {})
    for item in store.items():
        if item.condition.protocol == "build":
            continue
        answered = chosen_artifact(store, item, "answer")
        if answered is not None:
            answers = Answers.read(answered / ANSWERS_FILE)
            known.answers[sha256_hex(answers.to_bytes())] = tuple(answer.unit for answer in answers.answers)
        if (artifact := talked(store, item)) is not None:
            transcript = Transcript.read(artifact / TRANSCRIPT_FILE)
            known.rounds[sha256_hex(transcript.to_bytes())] = len(transcript.rounds)
    return known


def _unknown(path: Path, what: str) -> UsageError:
    mend = "take digests from `underspec label RUN --json`, after the run's last command"
    return UsageError(f"the run has no {what}", file=str(path), mend=mend)

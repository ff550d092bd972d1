"""Reading an item that clarifies: what its phases left, as far as the last run went by it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.acceptance import Acceptance
from underspec.artifact.answers import Answers
from underspec.artifact.build import BuildEnd
from underspec.artifact.canonical import sha256_hex
from underspec.artifact.clarification import Transcript
from underspec.artifact.deliverable import Deliverable
from underspec.artifact.judgements import Judgements
from underspec.artifact.labels import ManualLabels
from underspec.phase.accept import ACCEPTANCE_FILE
from underspec.phase.answer import ANSWERS_FILE
from underspec.phase.build import BUILD_FILE, DELIVERABLE_FILE
from underspec.phase.clarify import TRANSCRIPT_FILE
from underspec.phase.judge import JUDGEMENTS_FILE
from underspec.run.item import Item
from underspec.run.labels import manual_labels
from underspec.run.protocols import steps_of
from underspec.run.store import RunStore


@dataclass(frozen=True)
class Clarified:
    """What there is of one item that clarifies. ``judgements`` have the labels that were settled by hand; what the
    judge itself had said stays in its artifact."""

    transcript: Transcript | None = None
    end: BuildEnd | None = None
    deliverable: Deliverable | None = None
    acceptance: Acceptance | None = None
    answers: Answers | None = None
    judgements: Judgements | None = None

    @property
    def scored(self) -> bool:
        """Whether both branches came to their ends."""
        return self.acceptance is not None and self.judgements is not None and self.judgements.score is not None


def clarified_item(store: RunStore, item: Item) -> tuple[Clarified, dict[str, Path], bool]:
    """What the item's last run went by, its artifacts by phase, and whether one of them is stale.

    Raises:
        StoreError: names the file that is damaged.
    """
    made: dict[str, Path] = {}
    stale = False
    for step in steps_of(item.condition):
        folder = store.phase(item, step.phase)
        choice = folder.chosen()
        artifact = folder.artifact(choice.key) if choice else None
        if choice is not None and artifact is not None and all(need in made for need in step.needs):
            made[step.phase] = artifact
            stale = stale or choice.stale
    talked = made.get("clarify") or (made.get("implement") if item.condition.protocol == "continued" else None)
    built, deliverable, acceptance = made.get("implement"), None, None
    if built is not None:
        deliverable = Deliverable.read(built / DELIVERABLE_FILE)
    if "accept" in made and deliverable is not None:
        found = Acceptance.read(made["accept"] / ACCEPTANCE_FILE)
        acceptance = found if found.deliverable == deliverable.sha256 else None
    answers, judgements = _understood(made, manual_labels(store.path))
    clarified = Clarified(
        transcript=Transcript.read(talked / TRANSCRIPT_FILE) if talked else None,
        end=BuildEnd.read(built / BUILD_FILE) if built else None,
        deliverable=deliverable,
        acceptance=acceptance,
        answers=answers,
        judgements=judgements,
    )
    return clarified, made, stale


def _understood(made: dict[str, Path], settled: ManualLabels) -> tuple[Answers | None, Judgements | None]:
    if "answer" not in made:
        return None, None
    answers = Answers.read(made["answer"] / ANSWERS_FILE)
    if "judge" not in made:
        return answers, None
    judgements = Judgements.read(made["judge"] / JUDGEMENTS_FILE)
    # A run that was stopped in between has answers that nobody has judged yet.
    same = judgements.answers == sha256_hex(answers.to_bytes())
    return answers, settled.on_judgements(judgements) if same else None

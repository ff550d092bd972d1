"""Where an item stands: which artifacts it goes by, which of them are stale, and what is left to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from underspec.run.context import RunContext
from underspec.run.item import Item
from underspec.run.protocols import BESIDE, Inputs, Made, Step, all_steps
from underspec.run.store import Choice

NOTHING_YET = "0" * 64
"""No phase's key: what a phase goes by as long as it is not known what it reads."""


@dataclass(frozen=True)
class ItemStatus:
    """Where an item stands. ``made`` are its artifacts by phase; ``stale`` names phases whose artifact was made from
    other inputs than today's; ``dead`` those that come to nothing, their attempts or those of what they need being used
    up; ``waiting`` those that are still to be run."""

    made: Mapping[str, Path]
    stale: tuple[str, ...]
    dead: frozenset[str]
    waiting: tuple[str, ...]

    @property
    def built(self) -> Path | None:
        """The artifact that holds the deliverable."""
        return self.made.get("build") or self.made.get("implement")

    @property
    def graded(self) -> Path | None:
        """The artifact that says what the deliverable is worth."""
        return self.made.get("grade") or self.made.get("accept")

    @property
    def complete(self) -> bool:
        """Whether there is all that the item's score is made of, whatever stands beside it."""
        return not self.exhausted and not self.to_score

    @property
    def exhausted(self) -> bool:
        """Whether there will be no score: nothing is left to do for it, and attempts are used up."""
        return bool(self.dead - BESIDE) and not self.to_score

    @property
    def to_score(self) -> tuple[str, ...]:
        """What is left to be run for the score."""
        return tuple(phase for phase in self.waiting if phase not in BESIDE)

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return not self.waiting


@dataclass(frozen=True)
class Found:
    """Where one step of an item stands: the artifact to go on with, if there is one, and whether it is stale."""

    inputs: Inputs
    key: str
    artifact: Path | None
    stale: bool


def find(context: RunContext, item: Item, step: Step, made: Made) -> Found:
    """An artifact under today's key is used. One under another key is stale where models worked on it: it was paid for
    and stays, unless it is to be redone, or was made from other artifacts than those that the item goes by."""
    folder = context.store.phase(item, step.phase)
    inputs = step.inputs(context, item, made)
    key = inputs.key()
    current = folder.artifact(key)
    if current is not None or not step.paid or step.phase in context.redo:
        return Found(inputs, key, current, stale=False)
    for earlier in reversed(folder.artifacts()):
        if step.follows(inputs, earlier):
            return Found(inputs, key, earlier, stale=True)
    return Found(inputs, key, None, stale=False)


def status(context: RunContext, item: Item) -> ItemStatus:
    """Where an item stands, without running anything."""
    made: dict[str, Path] = {}
    stale: list[str] = []
    dead: set[str] = set()
    steps = all_steps(context, item)
    for step in steps:
        if dead & set(step.needs):
            dead.add(step.phase)
        elif all(need in made for need in step.needs):
            found = find(context, item, step, made)
            if found.artifact is not None:
                made[step.phase] = found.artifact
                stale += [step.phase] if found.stale else []
            elif context.store.phase(item, step.phase).given_up(found.key):
                dead.add(step.phase)
    waiting = tuple(step.phase for step in steps if step.phase not in made and step.phase not in dead)
    return ItemStatus(made, tuple(stale), frozenset(dead), waiting)


def choose(context: RunContext, item: Item) -> None:
    """Record by which artifacts the item goes. A phase of which that is not known yet goes by none."""
    made: dict[str, Path] = {}
    steps = all_steps(context, item)
    for step in steps:
        if all(need in made for need in step.needs):
            chosen(context, item, step, made)
        else:
            context.store.phase(item, step.phase).choose(Choice(NOTHING_YET, stale=False))
    for phase in BESIDE - {step.phase for step in steps}:
        _keep(context, item, phase)


def _keep(context: RunContext, item: Item, phase: str) -> None:
    """A run that leaves out what stands beside the score keeps what an earlier one found, but none of its failures."""
    folder = context.store.phase(item, phase)
    choice = folder.chosen()
    if choice is not None and folder.artifact(choice.key) is None:
        folder.choose(None)


def chosen(context: RunContext, item: Item, step: Step, made: dict[str, Path]) -> Found:
    """The same for one step; what is there is added to ``made``."""
    found = find(context, item, step, made)
    key = found.artifact.name if found.artifact is not None else found.key
    context.store.phase(item, step.phase).choose(Choice(key, found.stale))
    if found.artifact is not None:
        made[step.phase] = found.artifact
    return found

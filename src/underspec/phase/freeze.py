"""The freeze phase: what an agent knows when clarification ends, as one file with one hash (SWE-Clar 2.3).

Pure: no model, no sandbox. Both branches read this file and nothing else of what came before.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.canonical import digest_of
from underspec.artifact.condition import Condition
from underspec.artifact.context import FrozenContext, RequestEvent, SeenEvents
from underspec.phase.clarify import SEEN_FILE
from underspec.phase.work import Work
from underspec.task import release
from underspec.task.model import Task

VERSION = 1
CONTEXT_FILE = "context.json"


@dataclass(frozen=True)
class FreezeInputs:
    """``clarified`` is the published artifact of the phase in which the agent asked; None where nobody was asked."""

    task: Task
    condition: Condition
    clarified: Path | None

    def seen(self) -> SeenEvents:
        """What the agent saw.

        Raises:
            StoreError: the file is missing or damaged.
        """
        return SeenEvents() if self.clarified is None else SeenEvents.read(self.clarified / SEEN_FILE)

    def request(self) -> str:
        """The request; where all of it is told from the start, the complete requirement below it."""
        text = release.request_text(self.task, self.condition.exposure)
        if self.condition.information == "complete":
            complete = release.request_text(self.task, "ground")
            text = f"{text.rstrip()}\n\n# The complete requirement\n\n{complete}"
        return text

    def context(self) -> FrozenContext:
        """The frozen context."""
        return FrozenContext(task=self.task.id, events=(RequestEvent(text=self.request()), *self.seen().events))

    def key(self) -> str:
        """The phase's key: the context itself, with its rendering's version, and this phase's version."""
        return digest_of(
            {
                "phase": "freeze",
                "version": VERSION,
                "context": self.context().sha256,
            }
        )


async def freeze(inputs: FreezeInputs, work: Work) -> None:
    """Leave ``context.json`` in ``work.artifact``."""
    context = inputs.context()
    (work.artifact / CONTEXT_FILE).write_bytes(context.to_bytes())
    work.log("frozen", context=context.sha256, events=len(context.events))

"""What an agent answered to the requirement questions, from the frozen context (SWE-Clar 2.3)."""

from __future__ import annotations

from typing import Literal

from underspec.artifact.base import Artifact
from underspec.artifact.build import BuildEnd


class UnitAnswer(Artifact):
    """The answer to one unit's question; empty where none was given."""

    unit: str
    text: str


class Answers(Artifact):
    """All answers of one agent to the questions of one task.

    ``context`` is the hash of the frozen context that they were given from. ``besides`` is what the agent wrote
    outside any answer: whoever judges sees it too, since evidence counts wherever it stands.
    """

    schema_version: Literal[1] = 1
    task: str
    context: str
    answers: tuple[UnitAnswer, ...]
    besides: str = ""
    end: BuildEnd

    @property
    def nothing(self) -> bool:
        """Whether nothing was said at all."""
        return not self.besides.strip() and not any(answer.text.strip() for answer in self.answers)

"""Clarification as the operator sees it: rounds with every draft, reason and verdict (SWE-Clar 2.2, Appendix E).

None of this reaches the agent but the approved replies. What the agent saw is :mod:`underspec.artifact.context`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from underspec.artifact.base import Artifact
from underspec.artifact.build import BuildEnd

Objection = Literal["accuracy", "completeness", "scope"]
UngroundedKind = Literal["number", "identifier", "quotation"]


class Verdict(Artifact):
    """What the supervisor said to one draft. ``objections`` are what it found wanting; none of them approves."""

    objections: tuple[Objection, ...] = ()
    reasons: str = ""

    @property
    def approved(self) -> bool:
        """Whether the draft may be sent."""
        return not self.objections


class Draft(Artifact):
    """One reply as the client wrote it, and what the supervisor made of it."""

    text: str
    verdict: Verdict


class Ungrounded(Artifact):
    """Something in an approved reply that stands neither in the requirement nor in what the agent had said."""

    kind: UngroundedKind
    text: str


class Round(Artifact):
    """One question and its approved reply, which is the text of the last draft.

    ``ungrounded`` is the automatic audit of that reply; ``request_id`` is the asker's own idempotency key.
    """

    number: int = Field(ge=1)
    question: str
    reply: str
    drafts: tuple[Draft, ...] = Field(min_length=1)
    ungrounded: tuple[Ungrounded, ...] = ()
    request_id: str | None = None

    @property
    def revised(self) -> bool:
        """Whether the supervisor asked for at least one revision."""
        return len(self.drafts) > 1


class FailedRound(Artifact):
    """A round that came to no approved reply, and was tried again from the conversation before it.

    ``number`` is the one that the round would have had.
    """

    number: int = Field(ge=1)
    question: str
    drafts: tuple[Draft, ...]
    reason: str


class Transcript(Artifact):
    """A whole clarification, for the operator alone.

    ``finished``: the agent itself said that it was done, by its tool. ``most_rounds`` is the condition's limit.
    """

    schema_version: Literal[1] = 1
    task: str
    most_rounds: int | None
    most_revisions: int
    rounds: tuple[Round, ...]
    failed: tuple[FailedRound, ...] = ()
    finished: bool
    end: BuildEnd

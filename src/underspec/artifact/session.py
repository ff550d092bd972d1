"""The session log: what was asked, what was replied, and (for the operator only) which records matched."""

from __future__ import annotations

from typing import Literal

from underspec.artifact.base import Artifact


class HiddenPoint(Artifact):
    """One record that a session could have uncovered: its id, its kind and its category of ambiguity."""

    id: str
    kind: str
    category: str


class Turn(Artifact):
    """One stored, and therefore charged, question with its reply.

    ``matched`` are record ids (``P0``... pointers by position, ``SIG`` the signature). ``fallback`` is true when the
    fixed fallback was the whole reply. ``alignment`` is the interface-alignment event (ICAE III-E): the reply brought
    the signature, because the router found it or because the rules of a reply forced it. ``request_id`` is the asker's
    own idempotency key, if it sent one.
    """

    number: int
    question: str
    reply: str
    matched: tuple[str, ...]
    fallback: bool
    acknowledged_default: bool = False
    more_asked: bool = False
    alignment: Literal["routed", "forced"] | None = None
    request_id: str | None = None
    remaining: int


class SessionLog(Artifact):
    """All turns of one agent about one task (ICAE III-E).

    ``hidden_ids`` is C of constraint coverage. ``points`` says of each of them what it is, in the same order; it is
    empty in logs that were written before it was kept.
    """

    schema_version: Literal[1] = 1
    task: str
    level: str
    router: str
    budget: int
    hidden_ids: tuple[str, ...]
    points: tuple[HiddenPoint, ...] = ()
    turns: tuple[Turn, ...]

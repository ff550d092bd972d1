"""One agent's conversation about one task: budget, history, log."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, Self

from underspec.artifact.canonical import digest_of
from underspec.artifact.session import HiddenPoint, SessionLog, Turn
from underspec.errors import StakeholderError, UnderspecError
from underspec.stakeholder.interface import asks_for_interface
from underspec.stakeholder.journal import Journal, SessionHeader
from underspec.stakeholder.reply import assemble
from underspec.stakeholder.router import Router
from underspec.task.model import LevelRecords

DEFAULT_BUDGET = 16
MAX_QUESTION_BYTES = 8 * 1024
MAX_REQUEST_ID_BYTES = 256

RefusalReason = Literal[
    "max_interactions_reached", "request_id_reused", "invalid_question", "invalid_request_id", "session_closed"
]


@dataclass(frozen=True)
class Answer:
    """What the asker gets: the reply and what is left of the budget after it; None where there is no bound."""

    reply: str
    remaining: int | None


@dataclass(frozen=True)
class Refusal:
    """Why the asker got no reply. Never charged, never logged."""

    reason: RefusalReason
    remaining: int | None


class TurnStore(Protocol):
    """Where a session keeps its turns: a file of its own (:class:`Journal`), or rows of the service's database."""

    @property
    def header(self) -> SessionHeader:
        """Which session this is."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The stored turns, oldest first."""

    def by_request_id(self, request_id: str) -> Turn | None:
        """The stored turn that carries this request id."""

    async def store(self, turn: Turn) -> None:
        """Make one turn durable. Once begun it ends, even if the caller is cancelled."""

    def close(self) -> None:
        """Let go of what is held. May be called more than once."""


def hidden_points(records: LevelRecords) -> tuple[HiddenPoint, ...]:
    """C of constraint coverage |H|/|C| (ICAE III-F): every record, in file order.

    Each record hides something, whatever its kind, so case files, architecture and harness count. Context pointers
    and the signature do not: they explain or align what the request says already, and the paper counts constraint
    identifiers. A turn's ``matched`` may hold them all the same (``P0``..., ``SIG``); coverage intersects.
    """
    return tuple(HiddenPoint(id=one.id, kind=one.kind.value, category=one.category) for one in records.records)


def session_header(task: str, level: str, records: LevelRecords, router: Router, budget: int) -> SessionHeader:
    """What identifies a session. ``level`` is the exposure that the records belong to."""
    return SessionHeader(
        task=task,
        level=level,
        router=router.name,
        budget=budget,
        points=hidden_points(records),
        records=digest_of(records.model_dump(mode="json")),
    )


def session_log(header: SessionHeader, turns: tuple[Turn, ...]) -> SessionLog:
    """The artifact that a session amounts to."""
    return SessionLog(
        task=header.task,
        level=header.level,
        router=header.router,
        budget=header.budget,
        hidden_ids=tuple(point.id for point in header.points),
        points=header.points,
        turns=turns,
    )


class Session:
    """Asks are answered one after another. A question is charged when, and only when, its turn has been stored.

    Not for use from more than one event loop. Made by :meth:`open`, which holds the file until :meth:`close`.
    """

    def __init__(self, journal: TurnStore, records: LevelRecords, router: Router) -> None:
        self._journal = journal
        self._records = records
        self._router = router
        self._lock = asyncio.Lock()
        self._retired = False

    @classmethod
    def open(
        cls, path: Path, *, task: str, level: str, records: LevelRecords, router: Router, budget: int = DEFAULT_BUDGET
    ) -> Self:
        """Open the session stored at ``path``, or begin one. ``level`` is the exposure that the records belong to.

        Raises:
            StoreError: the file is damaged, in use, or belongs to another session.
            HostExhaustedError: the host has no room.
        """
        header = session_header(task, level, records, router, budget)
        return cls(Journal.open(path, header), records, router)

    @property
    def remaining(self) -> int:
        """How many questions may still be charged."""
        return self._journal.header.budget - len(self._journal.turns)

    async def ask(self, question: str, request_id: str | None = None) -> Answer | Refusal:
        """Answer one question.

        With a ``request_id`` already stored, the stored reply comes again, uncharged. Cancelling is safe: either the
        turn is stored and charged, or neither.

        Raises:
            StakeholderError: the router failed. Not charged.
            StoreError, HostExhaustedError: the turn could not be stored. Not charged; the session is of no more use.
        """
        if not fits(question, MAX_QUESTION_BYTES):
            return Refusal("invalid_question", self.remaining)
        if request_id is not None and not fits(request_id, MAX_REQUEST_ID_BYTES):
            return Refusal("invalid_request_id", self.remaining)
        async with self._lock:
            if request_id is not None and (stored := self._journal.by_request_id(request_id)):
                if stored.question != question:
                    return Refusal("request_id_reused", self.remaining)
                return Answer(stored.reply, stored.remaining)
            if self._retired:
                return Refusal("session_closed", self.remaining)
            if self.remaining <= 0:
                return Refusal("max_interactions_reached", 0)
            turn = await self._turn(question, request_id)
            await self._journal.store(turn)
            return Answer(turn.reply, turn.remaining)

    async def _turn(self, question: str, request_id: str | None) -> Turn:
        try:
            routing = await self._router.route(question, self._records, self._journal.turns)
        except UnderspecError:
            raise
        except Exception as error:
            # A router is a plug-in: whatever it raises is the stakeholder's failure, and is passed on as such.
            raise StakeholderError(f"the router {self._router.name!r} failed: {error!r}") from error
        reply = assemble(routing, self._records, interface_asked=asks_for_interface(question))
        return Turn(
            number=len(self._journal.turns) + 1,
            question=question,
            reply=reply.text,
            matched=reply.matched,
            fallback=reply.fallback,
            acknowledged_default=reply.acknowledged_default,
            more_asked=reply.more_asked,
            alignment=reply.alignment,
            request_id=request_id,
            remaining=self.remaining - 1,
        )

    async def retire(self) -> None:
        """Answer what is being asked, and nothing new afterwards; stored replies can still be had again."""
        async with self._lock:
            self._retired = True

    def log(self) -> SessionLog:
        """Everything so far, for the operator; never for the asker."""
        return session_log(self._journal.header, self._journal.turns)

    def close(self) -> None:
        """Let go of the file. May be called more than once."""
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def fits(text: str, limit: int) -> bool:
    """Whether ``text`` says something, is valid Unicode, and is at most ``limit`` bytes of UTF-8."""
    try:
        return bool(text.strip()) and len(text.encode("utf-8")) <= limit
    except UnicodeEncodeError:
        return False

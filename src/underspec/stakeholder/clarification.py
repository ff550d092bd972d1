"""One agent's clarification with a client: rounds, revisions, retries, and the operator's log of all of it.

A round is a question and its approved reply (SWE-Clar 2.2). Its checkpoint is the conversation before it: when a round
comes to no approved reply, the same question is put again to a client that knows nothing of the failure. The agent
waits meanwhile, and sees approved replies alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from underspec.artifact.base import Artifact
from underspec.artifact.clarification import Draft, FailedRound, Round, Verdict
from underspec.artifact.files import host_exhaustion
from underspec.artifact.threads import in_thread
from underspec.errors import StakeholderError
from underspec.stakeholder.audit import audit
from underspec.stakeholder.client import Exchange, Knowledge
from underspec.stakeholder.session import MAX_QUESTION_BYTES, MAX_REQUEST_ID_BYTES, Answer, Refusal, fits

ROUND_RETRIES = 5
"""How often one round is tried again from its checkpoint (SWE-Clar B.2)."""


class Drafts(Protocol):
    """Who drafts; see :class:`underspec.stakeholder.client.Client`."""

    async def draft(
        self, question: str, conversation: tuple[Exchange, ...], returned: tuple[Exchange, ...] = ()
    ) -> str: ...


class Reviews(Protocol):
    """Who reviews; see :class:`underspec.stakeholder.supervisor.Supervisor`."""

    async def review(self, question: str, draft: str, conversation: tuple[Exchange, ...]) -> Verdict: ...


class RoundLog:
    """An append-only file of rounds, failed ones too. Each line is on disk before a reply leaves."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def append(self, line: Artifact) -> None:
        """Store one round.

        Raises:
            HostExhaustedError: the host has no room.
        """
        await in_thread(self._append, line.to_bytes())

    def _append(self, line: bytes) -> None:
        import os

        with host_exhaustion(self._path), self._path.open("ab") as stream:
            stream.write(line)
            stream.flush()
            os.fsync(stream.fileno())


@dataclass(frozen=True)
class DeskLimits:
    """``rounds`` is how many questions are answered (None: any number), ``revisions`` how often a reply is revised."""

    rounds: int | None
    revisions: int


class ClarificationDesk:
    """Answers questions, one after another, for one event loop.

    ``heard`` is called with each round that an agent got its reply of, before the reply leaves.
    """

    def __init__(
        self,
        client: Drafts,
        supervisor: Reviews,
        knowledge: Knowledge,
        limits: DeskLimits,
        log: RoundLog,
        *,
        heard: Callable[[Round], None] = lambda one: None,
    ) -> None:
        self._client = client
        self._supervisor = supervisor
        self._knowledge = knowledge
        self._limits = limits
        self._log = log
        self._heard = heard
        self._lock = asyncio.Lock()
        self._closed = False
        self._failing: tuple[Draft, ...] = ()
        self.rounds: list[Round] = []
        self.failed: list[FailedRound] = []

    @property
    def remaining(self) -> int | None:
        """How many questions may still be asked; None for any number."""
        return None if self._limits.rounds is None else self._limits.rounds - len(self.rounds)

    async def ask(self, question: str, request_id: str | None = None) -> Answer | Refusal:
        """Answer one question; with a ``request_id`` that was answered before, the same reply comes again.

        Raises:
            StakeholderError: no attempt at this round came to an approved reply.
            ModelServiceError: a model's provider failed, after retries.
        """
        if not fits(question, MAX_QUESTION_BYTES):
            return Refusal("invalid_question", self.remaining)
        if request_id is not None and not fits(request_id, MAX_REQUEST_ID_BYTES):
            return Refusal("invalid_request_id", self.remaining)
        async with self._lock:
            stored = next((one for one in self.rounds if request_id is not None and one.request_id == request_id), None)
            if stored is not None:
                if stored.question != question:
                    return Refusal("request_id_reused", self.remaining)
                return Answer(stored.reply, self.remaining)
            if self._closed:
                return Refusal("session_closed", self.remaining)
            if self.remaining is not None and self.remaining <= 0:
                return Refusal("max_interactions_reached", 0)
            one = await self._round(question, request_id)
            await self._log.append(one)
            self.rounds.append(one)
            self._heard(one)
            return Answer(one.reply, self.remaining)

    def close(self) -> None:
        """Answer nothing new from now on."""
        self._closed = True

    async def _round(self, question: str, request_id: str | None) -> Round:
        number = len(self.rounds) + 1
        reason = ""
        for _ in range(1 + ROUND_RETRIES):
            self._failing = ()
            try:
                drafts = await self._approved(question)
            except StakeholderError as error:
                reason = error.message
                failure = FailedRound(number=number, question=question, drafts=self._failing, reason=reason)
                await self._log.append(failure)
                self.failed.append(failure)
                continue
            reply = drafts[-1].text
            sources = (self._knowledge.requirement, *self._knowledge.materials, question)
            return Round(
                number=number,
                question=question,
                reply=reply,
                drafts=drafts,
                ungrounded=audit(reply, sources),
                request_id=request_id,
            )
        raise StakeholderError(f"question {number} came to no approved reply in {1 + ROUND_RETRIES} attempts: {reason}")

    async def _approved(self, question: str) -> tuple[Draft, ...]:
        """Drafts up to the one that was approved."""
        conversation = tuple((one.question, one.reply) for one in self.rounds)
        returned: list[Exchange] = []
        for _ in range(1 + self._limits.revisions):
            text = await self._client.draft(question, conversation, tuple(returned))
            verdict = await self._supervisor.review(question, text, conversation)
            self._failing = (*self._failing, Draft(text=text, verdict=verdict))
            if verdict.approved:
                return self._failing
            returned.append((text, f"{', '.join(verdict.objections)}: {verdict.reasons}"))
        raise StakeholderError(f"the supervisor approved none of {1 + self._limits.revisions} drafts")

"""What a commission is made from: a request, a conversation, what was paid, and materials.

::

    request.md            what the client first wrote
    conversation.json     {"messages": [{"who": "client", "name": "...", "when": "...", "text": "...", "files": [...]}]}
    job.toml              payment, currency, milestones, accounts
    materials/            files that changed hands
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from underspec.artifact.base import json_path
from underspec.construct.findings import GateFinding
from underspec.construct.materials import read_part
from underspec.task.model import NonEmpty, Part

REQUEST, CONVERSATION, JOB, MATERIALS = "request.md", "conversation.json", "job.toml", "materials"
FILES = {
    REQUEST: "what the client first wrote",
    CONVERSATION: "the messages, in order",
    JOB: "payment, milestones and what there is of accounts",
    f"{MATERIALS}/": "files that changed hands",
}
Who = Literal["client", "freelancer"]
Model = TypeVar("Model", bound=BaseModel)


class Message(Part):
    """One message. ``when`` is a date or time as ISO 8601; ``files`` are names below ``materials``."""

    who: Who
    name: str | None = None
    when: str | None = None
    text: NonEmpty
    files: tuple[str, ...] = ()


class Conversation(Part):
    """All messages, in the order in which they were written. A message is known by its place, from 1; 0 is the
    request."""

    messages: tuple[Message, ...] = ()


class Milestone(Part):
    """A part of the job that was paid for."""

    title: NonEmpty
    amount: float = Field(ge=0)


class Job(Part):
    """``job.toml``. ``names`` are people and firms whose names must not stay."""

    title: NonEmpty
    payment: float = Field(ge=0)
    currency: NonEmpty = "USD"
    milestones: tuple[Milestone, ...] = ()
    names: tuple[NonEmpty, ...] = ()


class Candidate(Part):
    """All of it but the materials."""

    request: NonEmpty
    conversation: Conversation
    job: Job

    def said(self, place: int) -> str | None:
        """What stands at a place: 0 is the request; None where there is no such message."""
        if place == 0:
            return self.request
        messages = self.conversation.messages
        return messages[place - 1].text if 0 < place <= len(messages) else None

    def speaker(self, place: int) -> Who:
        """Who wrote it; the request is the client's."""
        return "client" if place == 0 else self.conversation.messages[place - 1].who

    @property
    def last(self) -> int:
        """The place of the last message."""
        return len(self.conversation.messages)

    def shown(self) -> str:
        """Request and messages with their places, for a prompt."""
        lines = [f"[0] client, the request:\n{self.request}"]
        lines += [f"[{place}] {one.who}:\n{one.text}" for place, one in enumerate(self.conversation.messages, 1)]
        return "\n\n".join(lines)


def parsed(model: type[Model], document: Mapping[str, Any]) -> Model:
    """A typed part from plain values, as strictly as from its file.

    Raises:
        ValidationError: it is none.
    """
    return model.model_validate_json(json.dumps(document, default=str))


def read_candidate(folder: Path, findings: list[GateFinding]) -> Candidate | None:
    """The candidate in a folder; None, with findings, where a part is missing or damaged."""
    conversation = read_part(folder, CONVERSATION, Conversation, findings)
    job = _job(folder, findings)
    try:
        request = (folder / REQUEST).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        request = ""
        findings.append(GateFinding(kind="bad_file", message=f"cannot be read: {problem}", file=REQUEST))
    if conversation is None or job is None or not request.strip():
        if not request.strip():
            findings.append(GateFinding(kind="missing_file", message="is missing or empty", file=REQUEST))
        return None
    return Candidate(request=request, conversation=conversation, job=job)


def _job(folder: Path, findings: list[GateFinding]) -> Job | None:
    try:
        return parsed(Job, tomllib.loads((folder / JOB).read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        where, message = json_path(first["loc"]), str(first["msg"])
        findings.append(GateFinding(kind="bad_file", message=message, file=JOB, where=where))
    except (OSError, ValueError) as problem:
        findings.append(GateFinding(kind="bad_file", message=f"cannot be read: {problem}", file=JOB))
    return None

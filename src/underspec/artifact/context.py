"""The frozen context: all that an agent knows when clarification ends, as one list of events (SWE-Clar 2.3).

There are no thoughts in it and nothing of the operator's: the request, the questions, the approved replies, and what
tools returned. Every agent is given the same rendering of it.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

from pydantic import Field

from underspec.artifact.base import Artifact
from underspec.artifact.canonical import digest_of

_REPLY = re.compile(r"The client's reply to question [0-9]+:")


class RequestEvent(Artifact):
    """The request as the agent read it."""

    kind: Literal["request"] = "request"
    text: str


class QuestionEvent(Artifact):
    """What the agent asked."""

    kind: Literal["question"] = "question"
    number: int = Field(ge=1)
    text: str


class ReplyEvent(Artifact):
    """The approved reply to the question of that number."""

    kind: Literal["reply"] = "reply"
    number: int = Field(ge=1)
    text: str


class ToolEvent(Artifact):
    """What one tool returned. ``arguments`` is one line of JSON."""

    kind: Literal["tool"] = "tool"
    tool: str
    arguments: str
    result: str


Event = Annotated[RequestEvent | QuestionEvent | ReplyEvent | ToolEvent, Field(discriminator="kind")]


class SeenEvents(Artifact):
    """What an agent saw in one session, oldest first; the request is not among it."""

    schema_version: Literal[1] = 1
    events: tuple[Event, ...] = ()


class Basis(Artifact):
    """What an implementation was begun from, by hash: the frozen context, and the agent's own history where it had
    that. Both are None where questions and edits alternate."""

    schema_version: Literal[1] = 1
    context: str | None
    history: str | None = None


class FrozenContext(Artifact):
    """What both branches start from, and from nothing else. ``rendering`` is the version of :meth:`render`: part of the
    hash, so that another rendering makes another context."""

    schema_version: Literal[1] = 1
    task: str
    rendering: Literal[1] = 1
    events: tuple[Event, ...] = Field(min_length=1)

    @property
    def sha256(self) -> str:
        """The hash of the whole."""
        return digest_of(self.model_dump(mode="json"))

    def render(self) -> str:
        """The context as every agent reads it. Text that somebody wrote is indented, so no line of it passes for one
        of ours."""
        return "\n".join(_rendered(event) for event in self.events)


def _rendered(event: Any) -> str:
    match event:
        case RequestEvent():
            return f"The client's request:\n\n{_indented(event.text)}\n"
        case QuestionEvent():
            return f"Question {event.number}, asked of the client:\n\n{_indented(event.text)}\n"
        case ReplyEvent():
            return f"The client's reply to question {event.number}:\n\n{_indented(event.text)}\n"
        case _:
            called = json.dumps(event.tool, ensure_ascii=True)
            return f"Tool {called} was called with {event.arguments} and returned:\n\n{_indented(event.result)}\n"


def rendered_replies(text: str) -> list[str]:
    """The client's replies in a rendered context, in order: for agents that are no models."""
    replies: list[list[str]] = []
    within = False
    for line in text.splitlines():
        if line and not line.startswith(" "):
            within = _REPLY.fullmatch(line) is not None
            replies += [[]] if within else []
        elif within:
            replies[-1].append(line.removeprefix("    "))
    return ["\n".join(lines).strip() for lines in replies]


def _indented(text: str) -> str:
    # All that counts as the end of a line somewhere, so that none begins at the margin.
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines() or [""])

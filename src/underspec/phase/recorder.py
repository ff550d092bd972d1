"""What an agent saw in a phase, as the events of a frozen context."""

from __future__ import annotations

import json
from typing import Any

from underspec.agent.protocol import SeenTool
from underspec.artifact.clarification import Round
from underspec.artifact.context import Event, QuestionEvent, ReplyEvent, ToolEvent


class Recorder:
    """Collects events in the order in which they came about."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.history: tuple[dict[str, Any], ...] = ()

    def saw(self, one: SeenTool) -> None:
        """A tool returned something to the agent."""
        arguments = json.dumps(one.arguments, ensure_ascii=True, sort_keys=True, default=str)
        self.events.append(ToolEvent(tool=_text(one.tool), arguments=arguments, result=_text(one.result)))

    def heard(self, one: Round) -> None:
        """A question got its approved reply. Drafts, reasons and verdicts stay behind."""
        self.events.append(QuestionEvent(number=one.number, text=one.question))
        self.events.append(ReplyEvent(number=one.number, text=one.reply))

    def keep(self, messages: tuple[dict[str, Any], ...]) -> None:
        """The agent's own messages so far."""
        self.history = messages


def _text(said: str) -> str:
    return said.encode(errors="backslashreplace").decode()

"""From single model calls to conversations, in the chat format that training programs read.

A program sends its whole conversation with every call, and may rewrite parts of it: drop a reminder, shorten an old
result, sum everything up and begin again. So calls are joined by what the model itself said and which results it was
given; a conversation is what its last call saw, and the answer to that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from underspec.artifact.canonical import sha256_hex

if TYPE_CHECKING:
    from inspect_ai.event import ModelEvent
    from inspect_ai.model import ChatMessage

Message = dict[str, Any]
_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{32})")


@dataclass
class Conversation:
    """Messages as the last call saw them, with its answer; how many ``calls`` it took; the ``tools`` on offer."""

    messages: list[Message]
    keys: list[str]
    calls: int = 1
    tools: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Joiner:
    """Joins calls, given in the order in which they were made. ``attachments`` are the log's long texts by hash."""

    attachments: Mapping[str, str]
    conversations: list[Conversation] = field(default_factory=list)
    calls: int = 0
    _known: dict[int, tuple[ChatMessage, Message, str | None]] = field(default_factory=dict)

    def add(self, event: ModelEvent) -> None:
        """One call; one that came to no answer is none."""
        if event.pending or event.error or event.output.empty:
            return
        self.calls += 1
        seen = [self._message(each) for each in event.input]
        answer, answer_key = self._message(event.output.message)
        messages = [*(message for message, _key in seen), answer]
        keys = [key for _message, key in seen if key is not None]
        continued = self._continued(keys)
        if continued is None:
            continued = Conversation([], [], calls=0)
            self.conversations.append(continued)
        continued.messages = messages
        continued.keys = [*keys, answer_key or ""]
        continued.calls += 1
        continued.tools = [tool_definition(tool) for tool in event.tools]

    def _continued(self, keys: list[str]) -> Conversation | None:
        """The longest conversation that these keys go on from."""
        found = [each for each in self.conversations if keys[: len(each.keys)] == each.keys]
        # The latest of those that are equally long: some models number their calls anew in each conversation.
        return max(reversed(found), key=lambda each: len(each.keys), default=None)

    def _message(self, message: ChatMessage) -> tuple[Message, str | None]:
        # The engine gives the same object for the same message of every call.
        known = self._known.get(id(message))
        if known is None or known[0] is not message:
            made = chat_message(message, self.attachments)
            known = (message, made, _key(made))
            self._known[id(message)] = known
        return known[1], known[2]


def _key(message: Message) -> str | None:
    """What tells one message of a model, or of a tool, from another; None for all others.

    Where there are calls it is their ids: programs send arguments back in a spelling of their own.
    """
    if message["role"] not in ("assistant", "tool"):
        return None
    calls = [f"{call['id']} {call['function']['name']}" for call in message.get("tool_calls", [])]
    told = message.get("tool_call_id") or calls or message["content"].strip()
    return sha256_hex(json.dumps([message["role"], told]).encode())


def chat_message(message: ChatMessage, attachments: Mapping[str, str]) -> Message:
    """One message in the chat format: ``role``, ``content`` as text, ``reasoning``, ``tool_calls`` whose arguments are
    JSON text, and ``tool_call_id`` and ``name`` of results. What is no text is named in brackets."""

    def whole(text: str) -> str:
        # Only where the engine itself put the reference: the whole of a text.
        found = _ATTACHMENT.fullmatch(text)
        return attachments.get(found[1], text) if found else text

    said, thought = [], []
    parts = [message.content] if isinstance(message.content, str) else message.content
    for part in parts:
        if isinstance(part, str):
            said.append(whole(part))
        elif part.type == "text":
            said.append(whole(part.text))
        elif part.type == "reasoning":
            # Some providers hand out their models' thoughts sealed.
            thought.append(whole(part.summary or "") if part.redacted else whole(part.reasoning))
        else:
            said.append(f"[{part.type}]")
    made: Message = {"role": message.role, "content": "\n".join(said)}
    if any(thought):
        made["reasoning"] = "\n".join(each for each in thought if each)
    if message.role == "assistant" and message.tool_calls:
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function, "arguments": _arguments(call.arguments, whole)},
            }
            for call in message.tool_calls
        ]
    if message.role == "tool":
        made |= {"tool_call_id": message.tool_call_id or "", "name": message.function or ""}
        if message.error is not None:
            made["content"] = made["content"] or whole(message.error.message)
    return made


def _arguments(arguments: Any, whole: Any) -> str:
    def resolved(value: Any) -> Any:
        if isinstance(value, str):
            return whole(value)
        if isinstance(value, dict):
            return {name: resolved(each) for name, each in value.items()}
        return [resolved(each) for each in value] if isinstance(value, list) else value

    return json.dumps(resolved(arguments), ensure_ascii=False, default=str)


def tool_definition(tool: Any) -> dict[str, Any]:
    """A tool as it was offered."""
    parameters = tool.parameters.model_dump(mode="json", exclude_none=True)
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


def joined(events: Iterable[ModelEvent], attachments: Mapping[str, str]) -> Joiner:
    """All conversations of these calls."""
    joiner = Joiner(attachments)
    for event in events:
        joiner.add(event)
    return joiner

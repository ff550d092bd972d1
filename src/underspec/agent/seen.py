"""What a model saw while it worked: tool results for the frozen context, and whole messages for a native history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from underspec.agent.protocol import Assignment, SeenTool
from underspec.agent.tools import OWN_TOOLS, shortened

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateFilter

# Of messages: ids are random, and say nothing.
_NO_PART = {"id", "metadata"}


def recording(saw: Callable[[SeenTool], None]) -> GenerateFilter:
    """A filter for the bridge that changes nothing and tells of each tool result as soon as the model is given it."""
    known: set[str] = set()

    async def record(model: Any, messages: list[ChatMessage], tools: Any, tool_choice: Any, config: Any) -> None:
        for each in seen_tools(messages):
            if each.id not in known:
                known.add(each.id)
                saw(each)

    return record


def seen_tools(messages: Sequence[ChatMessage]) -> list[SeenTool]:
    """Results in a conversation, in order, without those of our own tools (however a program prefixes their names)."""
    calls: dict[str, tuple[str, dict[str, Any]]] = {}
    found = []
    for place, message in enumerate(messages):
        if message.role == "assistant":
            calls.update({call.id: (call.function, call.arguments) for call in message.tool_calls or []})
        elif message.role == "tool":
            identity = message.tool_call_id or f"#{place}"
            name, arguments = calls.get(identity, (message.function or "tool", {}))
            if not any(name == own or name.endswith((f"_{own}", f".{own}")) for own in OWN_TOOLS):
                found.append(SeenTool(identity, name, arguments, shortened(message.text)))
    return found


def keep_messages(assignment: Assignment, messages: Sequence[ChatMessage]) -> None:
    """Hand over the conversation so far, without the system message, where a history is wanted."""
    if assignment.keep_history is not None:
        kept = tuple(
            message.model_dump(mode="json", exclude=_NO_PART, exclude_none=True)
            for message in messages
            if message.role != "system"
        )
        assignment.keep_history(kept)


def earlier_messages(history: Sequence[dict[str, Any]]) -> list[ChatMessage]:
    """The messages of an earlier phase. Calls that it ended before their result came are answered by its end."""
    from inspect_ai.model import ChatMessage, ChatMessageTool
    from pydantic import TypeAdapter

    from underspec.agent.tools import FINISHED

    messages: list[ChatMessage] = TypeAdapter(list[ChatMessage]).validate_python(list(history))
    answered = {message.tool_call_id for message in messages if message.role == "tool"}
    for message in list(messages):
        if message.role == "assistant":
            for call in message.tool_calls or []:
                if call.id not in answered:
                    messages.append(ChatMessageTool(content=FINISHED, tool_call_id=call.id, function=call.function))
    return messages

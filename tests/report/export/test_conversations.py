"""Single calls become the conversations that they were, whatever programs do to what they send back."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai.event import ModelEvent
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
)
from inspect_ai.tool import ToolCall, ToolInfo

from underspec.report.export.conversations import chat_message, joined

SYSTEM, TASK = ChatMessageSystem(content="be good"), ChatMessageUser(content="build it")


def call_of(identity: str, **arguments: Any) -> ToolCall:
    return ToolCall(id=identity, function="shell", arguments=arguments or {"command": "ls"})


def said(text: str, *calls: ToolCall) -> ChatMessageAssistant:
    return ChatMessageAssistant(content=text, tool_calls=list(calls) or None)


def result(identity: str, text: str = "fine") -> ChatMessageTool:
    return ChatMessageTool(content=text, tool_call_id=identity, function="shell")


def event(messages: list[ChatMessage], answer: ChatMessageAssistant, **fields: Any) -> ModelEvent:
    output = ModelOutput.from_message(answer)
    tools = [ToolInfo(name="shell", description="Runs a command.")]
    given: dict[str, Any] = {"tools": tools, "tool_choice": "auto", "config": GenerateConfig(), "role": "builder"}
    return ModelEvent(model="m", input=messages, output=output, **{**given, **fields})


def roles(messages: list[dict[str, Any]]) -> str:
    return "".join(message["role"][0] for message in messages)


def test_calls_that_go_on_from_each_other_are_one_conversation() -> None:
    one, two = said("first", call_of("1")), said("second", call_of("2"))
    made = joined(
        [
            event([SYSTEM, TASK], one),
            event([SYSTEM, TASK, one, result("1")], two),
            event([SYSTEM, TASK, one, result("1"), two, result("2")], said("done")),
        ],
        {},
    )
    (found,) = made.conversations
    assert (made.calls, found.calls) == (3, 3)
    assert roles(found.messages) == "suatata"
    assert [message["content"] for message in found.messages if message["role"] == "assistant"] == [
        "first",
        "second",
        "done",
    ]
    assert found.tools[0]["function"]["name"] == "shell"


def test_programs_may_respell_arguments_trim_texts_and_drop_reminders() -> None:
    one = said("first ", call_of("1", command="cd /w && ls"))
    respelt = said("first", call_of("1", command="ls"))
    reminder = ChatMessageUser(content="<reminder>")
    two = said("  in words alone\n")
    made = joined(
        [
            event([SYSTEM, TASK, reminder], one),
            event([SYSTEM, TASK, respelt, result("1", "long")], two),
            event([TASK, respelt, result("1", "shortened"), said("in words alone"), reminder], said("done")),
        ],
        {},
    )
    (found,) = made.conversations
    assert [message["content"] for message in found.messages] == [
        "build it",
        "first",
        "shortened",
        "in words alone",
        "<reminder>",
        "done",
    ]


def test_side_conversations_and_new_beginnings_stay_apart() -> None:
    one, side = said("first", call_of("1")), said("a title")
    made = joined(
        [
            event([SYSTEM, TASK], one),
            event([ChatMessageUser(content="find a title")], side),
            event([SYSTEM, TASK, one, result("1")], said("second", call_of("2"))),
            event([SYSTEM, ChatMessageUser(content="summary of all before")], said("third", call_of("3"))),
        ],
        {},
    )
    assert [(each.calls, roles(each.messages)) for each in made.conversations] == [(2, "suata"), (1, "ua"), (1, "sua")]


def test_calls_that_came_to_nothing_are_none() -> None:
    failed = event([TASK], said("x"), error="429")
    empty = ModelEvent(
        model="m", input=[TASK], output=ModelOutput(), tools=[], tool_choice="auto", config=GenerateConfig()
    )
    waiting = event([TASK], said("x"), pending=True)
    made = joined([failed, empty, waiting], {})
    assert (made.calls, made.conversations) == (0, [])


def test_a_message_is_in_the_chat_format() -> None:
    message = ChatMessageAssistant(
        content=[
            ContentReasoning(reasoning="sealed", redacted=True, summary="what it thought"),
            ContentText(text="Look:"),
            ContentImage(image="data:image/png;base64,AAAA"),
        ],
        tool_calls=[call_of("7", path="ä", number=1)],
    )
    assert chat_message(message, {}) == {
        "role": "assistant",
        "content": "Look:\n[image]",
        "reasoning": "what it thought",
        "tool_calls": [
            {"id": "7", "type": "function", "function": {"name": "shell", "arguments": '{"path": "ä", "number": 1}'}}
        ],
    }
    assert chat_message(result("7"), {}) == {
        "role": "tool",
        "content": "fine",
        "tool_call_id": "7",
        "name": "shell",
    }


def test_long_texts_come_from_where_the_log_keeps_them_and_a_forged_reference_is_a_text() -> None:
    name = "0123456789abcdef0123456789abcdef"
    kept = {name: "a long text", "f" * 32: "the-judges-secret"}
    whole = ChatMessageUser(content=f"attachment://{name}")
    assert chat_message(whole, kept)["content"] == "a long text"
    called = said("", call_of("1", command=f"attachment://{name}", nested=[{"x": f"attachment://{name}"}]))
    arguments = json.loads(chat_message(called, kept)["tool_calls"][0]["function"]["arguments"])
    assert arguments == {"command": "a long text", "nested": [{"x": "a long text"}]}
    forged = ChatMessageUser(content=f"see attachment://{'f' * 32} please")
    assert chat_message(forged, kept)["content"] == forged.content
    missing = ChatMessageUser(content="attachment://" + "e" * 32)
    assert chat_message(missing, kept)["content"] == missing.content

"""Programs in the sandbox clarify too: by the model bridge, with their own tools, asking over the loopback channel."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.scripts import shell, turn
from tests.agent.test_with_models import OWN_COMMAND
from tests.clarify.runs import artifact, clarified, run, toy_context
from tests.clarify.scripts import (
    ANSWERER,
    ANSWERS,
    APPROVAL,
    CLIENT,
    JUDGE,
    QUESTION,
    REPLY,
    SUPERVISOR,
    write_tally,
)
from underspec.agent.registry import load_agent
from underspec.agent.seen import earlier_messages, seen_tools
from underspec.artifact.context import FrozenContext, ToolEvent
from underspec.phase.freeze import CONTEXT_FILE
from underspec.sandbox.backends import load_backend

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")

ASK = (
    'python3 -c \'import urllib.request as u, json; print(u.urlopen(u.Request("http://127.0.0.1:8077/ask", '
    f'json.dumps({{"question": "{QUESTION}"}}).encode())).read().decode())\''
)
POST = 'python3 -c \'import urllib.request as u; u.urlopen(u.Request("http://127.0.0.1:8077/{}", b""))\''
CLARIFYING, IMPLEMENTING = {"anywhere": "You do not build anything yet"}, {"anywhere": "# What is known"}


@pytest.mark.parametrize("sandbox", ["bubblewrap", pytest.param("docker", marks=pytest.mark.proof)])
def test_a_program_behind_the_bridge_clarifies_and_builds_and_what_it_saw_is_frozen(
    sandbox: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if sandbox == "docker":
        request.getfixturevalue("container_engine")

    def when(condition: dict[str, str], *turns: dict[str, object]) -> list[dict[str, object]]:
        return [{**each, "when": condition} for each in turns]

    turns = [
        *when(CLIENT, turn(text=REPLY, repeat=True)),
        *when(SUPERVISOR, turn(text=APPROVAL, repeat=True)),
        *when(JUDGE, turn(text='{"label": "partial"}', repeat=True)),
        *when(ANSWERER, turn(text=ANSWERS)),
        *when(
            CLARIFYING,
            shell("cat README.md"),
            shell(ASK),
            shell("touch new; true"),
            shell(POST.format("finish_clarification")),
        ),
        *when(IMPLEMENTING, shell(write_tally()), shell(POST.format("submit_delivery"))),
    ]
    context, items = toy_context(tmp_path, {"x": {}}, agent=load_agent("command"), command=OWN_COMMAND)
    (tmp_path / "x.jsonl").write_text("".join(_line(each) for each in turns))
    context.backend = load_backend(sandbox)
    context.image_digests = {"host": context.backend.image_digest("host")}
    found = clarified(run(context, items)["x"])
    assert found.transcript is not None
    assert found.transcript.finished
    assert [one.question for one in found.transcript.rounds] == [QUESTION]
    assert found.acceptance is not None
    assert found.acceptance.passed
    assert found.judgements is not None
    assert found.judgements.score == 0.5
    frozen = FrozenContext.read(artifact(context, items["x"], "freeze") / CONTEXT_FILE)
    assert [event.kind for event in frozen.events] == ["request", "tool", "question", "reply", "tool", "tool"]
    results = [event.result for event in frozen.events if isinstance(event, ToolEvent)]
    assert "Nothing is here yet." in results[0]
    assert REPLY in results[1]
    assert "Read-only file system" in results[2]


def _line(each: dict[str, object]) -> str:
    import json

    return json.dumps(each) + "\n"


def test_what_our_own_tools_return_is_not_seen_twice() -> None:
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser
    from inspect_ai.tool import ToolCall

    names = ["Bash", "mcp__stakeholder__ask", "ask", "stakeholder.finish_clarification", "task", "Read"]
    calls = [ToolCall(id=str(number), function=name, arguments={"n": number}) for number, name in enumerate(names)]
    messages: list[ChatMessage] = [
        ChatMessageUser(content="go"),
        ChatMessageAssistant(content="", tool_calls=calls),
        *(ChatMessageTool(content=f"result {call.id}", tool_call_id=call.id) for call in calls),
    ]
    assert [(each.tool, each.arguments, each.result) for each in seen_tools(messages)] == [
        ("Bash", {"n": 0}, "result 0"),
        ("task", {"n": 4}, "result 4"),
        ("Read", {"n": 5}, "result 5"),
    ]


def test_a_history_that_ended_in_a_call_is_answered_before_it_goes_on() -> None:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
    from inspect_ai.tool import ToolCall

    said = ChatMessageAssistant(
        content="", tool_calls=[ToolCall(id="1", function="finish_clarification", arguments={})]
    )
    kept = [each.model_dump(mode="json", exclude={"id"}) for each in (ChatMessageUser(content="go"), said)]
    assert [message.role for message in earlier_messages(kept)] == ["user", "assistant", "tool"]

"""Streams are what the providers' own clients understand: whole, in order, with tools, thinking and usage."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anthropic
import httpx
import openai
import pytest
from inspect_ai.agent import AgentState, BridgedToolsSpec, SandboxAgentBridge
from inspect_ai.model import ContentReasoning, ContentText, ModelOutput
from inspect_ai.solver import TaskState
from inspect_ai.tool import Tool, ToolCall, tool
from inspect_ai.util import LimitExceededError, token_limit

from tests.sandbox_inspect.evaluation import answering, evaluate
from underspec.sandbox.inspect_adapter import bridge as bridging
from underspec.sandbox.inspect_adapter.streams import anthropic_stream

WORDS: list[Any] = [{"role": "user", "content": "which word?"}]
PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


class LoopbackOfHost:
    """Stands in for a sandbox whose loopback is the host's own, so that clients in this process reach it."""

    id = "loopback"

    async def listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        return listener

    async def exec(self, argv: list[str], **options: Any) -> Any:
        raise RuntimeError("nothing is run here")


async def slow(*arguments: Any) -> None:
    await asyncio.sleep(0.3)


Client = Callable[[str, SandboxAgentBridge], Awaitable[None]]


def with_bridge(client: Client, logs: Path, answer: Callable[..., ModelOutput], **options: Any) -> None:
    async def work(state: TaskState) -> None:
        box = LoopbackOfHost()
        async with bridging.model_bridge(box, AgentState(messages=[]), **options) as bridge:  # type: ignore[arg-type]
            await client(box.url, bridge)

    asyncio.run(evaluate(work, logs, model=answering(answer)))


def rich(messages: list[Any], tools: list[Any]) -> ModelOutput:
    """Thinking, words and a call of each tool that was offered."""
    calls = [ToolCall(id=f"call_{each.name}", function=each.name, arguments={"path": "a ü"}) for each in tools]
    output = ModelOutput.from_content("mockllm/model", "", stop_reason="tool_calls" if calls else "stop")
    message = output.choices[0].message
    message.content = [ContentReasoning(reasoning="hm", signature="signed"), ContentText(text="heliotrope ü")]
    message.tool_calls = calls
    return output


def test_anthropics_client_understands_the_stream(tmp_path: Path) -> None:
    async def client(url: str, bridge: SandboxAgentBridge) -> None:
        api = anthropic.AsyncAnthropic(base_url=url, api_key="none", max_retries=0)
        offered: Any = [{"name": "read", "description": "Reads.", "input_schema": PARAMETERS}]
        async with api.messages.stream(model="inspect", max_tokens=99, messages=WORDS, tools=offered) as stream:
            kinds = [event.type async for event in stream]
            message = await stream.get_final_message()
        whole = await api.messages.create(model="inspect", max_tokens=99, messages=WORDS, tools=offered)
        for told in (message, whole):
            *texts, call = told.content  # Inspect gives the thinking of a model of another maker as text
            assert [block.text for block in texts if block.type == "text"][-1] == "heliotrope ü"
            assert call.type == "tool_use"
            assert (call.name, call.input) == ("read", {"path": "a ü"})
            assert told.stop_reason == "tool_use"
            assert (told.usage.input_tokens, told.usage.output_tokens) == (11, 7)
        assert kinds[0] == "message_start"
        assert kinds[-1] == "message_stop"
        counted = await api.messages.count_tokens(model="inspect", messages=WORDS)
        assert counted.input_tokens > 0

    with_bridge(client, tmp_path, rich)


def test_thinking_and_what_it_is_signed_with_are_told_in_their_own_events() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm", "signature": "signed"},
        {"type": "redacted_thinking", "data": "secret"},
        {"type": "text", "text": "words", "citations": None},
    ]
    message = {
        "id": "m",
        "content": blocks,
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    told = [json.loads(piece.split(b"data: ")[1]) for piece in anthropic_stream(message)]
    starts = [each["content_block"] for each in told if each["type"] == "content_block_start"]
    assert [start.get("thinking", start.get("text", start.get("data"))) for start in starts] == ["", "secret", ""]
    deltas = [(each["index"], each["delta"]) for each in told if each["type"] == "content_block_delta"]
    assert deltas == [
        (0, {"type": "thinking_delta", "thinking": "hm"}),
        (0, {"type": "signature_delta", "signature": "signed"}),
        (2, {"type": "text_delta", "text": "words"}),
    ]
    assert told[-2]["delta"]["stop_reason"] == "end_turn"


def test_openais_client_understands_both_streams(tmp_path: Path) -> None:
    async def client(url: str, bridge: SandboxAgentBridge) -> None:
        api = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
        function = {"name": "read", "description": "Reads.", "parameters": PARAMETERS}
        offered: Any = [{"type": "function", "function": function}]
        async with api.chat.completions.stream(
            model="inspect", messages=WORDS, tools=offered, stream_options={"include_usage": True}
        ) as stream:
            async for _ in stream:
                pass
            completion = await stream.get_final_completion()
        message = completion.choices[0].message
        assert "heliotrope ü" in (message.content or "")
        assert completion.choices[0].finish_reason == "tool_calls"
        assert message.tool_calls is not None
        assert json.loads(message.tool_calls[0].function.arguments) == {"path": "a ü"}
        assert completion.usage is not None
        assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (11, 7)
        flat: Any = [{"type": "function", "strict": False, **function}]
        async with api.responses.stream(model="inspect", input="which word?", tools=flat) as responses:
            numbers = [event.sequence_number async for event in responses]
            response = await responses.get_final_response()
        assert numbers == list(range(len(numbers)))
        assert response.output_text.endswith("heliotrope ü")
        calls = [item for item in response.output if item.type == "function_call"]
        assert [json.loads(call.arguments) for call in calls] == [{"path": "a ü"}]
        assert response.usage is not None
        assert response.usage.output_tokens == 7
        assert [model.id for model in (await api.models.list()).data] == ["inspect"]

    with_bridge(client, tmp_path, rich)


def test_a_slow_answer_comes_after_signs_of_life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridging, "_PROMPT_SECONDS", 0.0)
    monkeypatch.setattr(bridging, "_KEEP_ALIVE_SECONDS", 0.05)

    async def client(url: str, bridge: SandboxAgentBridge) -> None:
        async with httpx.AsyncClient(base_url=url, timeout=20) as http:
            body = {"model": "inspect", "max_tokens": 9, "messages": WORDS, "stream": True}
            said = (await http.post("/v1/messages", json=body)).text
            assert said.count("event: ping") >= 2
            assert said.rstrip().endswith('data: {"type": "message_stop"}')
            for path, asked in (("/v1/chat/completions", {"messages": WORDS}), ("/v1/responses", {"input": "x"})):
                said = (await http.post(path, json={"model": "inspect", "stream": True, **asked})).text
                assert said.count(": waiting\n\n") >= 2
                assert "heliotrope" in said

    with_bridge(client, tmp_path, rich, filter=slow)


@pytest.mark.parametrize("prompt", [0.0, 10.0])
@pytest.mark.parametrize("stream", [False, True])
def test_no_call_of_a_model_outlives_the_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: bool, prompt: float
) -> None:
    monkeypatch.setattr(bridging, "_PROMPT_SECONDS", prompt)
    told: list[str] = []
    pending: list[asyncio.Task[Any]] = []

    async def stuck(*arguments: Any) -> None:
        told.append("begun")
        try:
            await asyncio.sleep(60)
        finally:
            told.append("ended")

    async def client(url: str, bridge: SandboxAgentBridge) -> None:
        async def ask() -> None:
            async with httpx.AsyncClient(base_url=url, timeout=60) as http:
                await http.post("/v1/responses", json={"model": "inspect", "input": "x", "stream": stream})

        pending.append(asyncio.create_task(ask()))
        while not told:
            await asyncio.sleep(0.01)

    async def work(state: TaskState) -> None:
        box = LoopbackOfHost()
        async with bridging.model_bridge(box, AgentState(messages=[]), filter=stuck) as bridge:  # type: ignore[arg-type]
            await client(box.url, bridge)
        for _ in range(100):
            if told == ["begun", "ended"]:
                break
            await asyncio.sleep(0.01)
        assert told == ["begun", "ended"]
        with pytest.raises(httpx.HTTPError):
            await pending[0]

    asyncio.run(evaluate(work, tmp_path, model=answering(rich)))


def test_a_failure_has_its_status_or_is_told_in_the_stream_and_tells_nothing_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(messages: list[Any], tools: list[Any]) -> ModelOutput:
        raise ValueError(f"no such file {Path(__file__)}")

    async def client(url: str, bridge: SandboxAgentBridge) -> None:
        async with httpx.AsyncClient(base_url=url, timeout=20) as http:
            for path, asked in (
                ("/v1/messages", {"max_tokens": 9, "messages": WORDS}),
                ("/v1/chat/completions", {"messages": WORDS}),
                ("/v1/responses", {"input": "x"}),
            ):
                for stream in (False, True):
                    for prompt in (10.0, 0.0):
                        monkeypatch.setattr(bridging, "_PROMPT_SECONDS", prompt)
                        reply = await http.post(path, json={"model": "inspect", "stream": stream, **asked})
                        assert reply.status_code == (200 if stream and not prompt else 500)
                        assert "could not" in reply.text
                        assert "no such file" not in reply.text
                        assert "Traceback" not in reply.text

    with_bridge(client, tmp_path, fails, filter=slow)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v1/messages", b"no json", 400),
        ("POST", "/v1/messages", b"[" * 100_000, 400),
        ("POST", "/v1/responses", b"[]", 400),
        ("POST", "/v1/embeddings", b"{}", 404),
        ("POST", "/mcp/none", b"{}", 404),
        ("PUT", "/v1/messages", b"{}", 405),
        ("GET", "/v1/messages", b"", 404),
        ("HEAD", "/", b"", 200),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, method: str, path: str, body: bytes, status: int) -> None:
    async def client(url: str, bridge: SandboxAgentBridge) -> None:
        async with httpx.AsyncClient(base_url=url, timeout=20) as http:
            assert (await http.request(method, path, content=body)).status_code == status

    with_bridge(client, tmp_path, rich)


def test_clients_that_send_rubbish_too_much_or_nothing_do_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("underspec.sandbox.inspect_adapter.http.MAX_BODY_BYTES", 1000)

    async def client(url: str, bridge: SandboxAgentBridge) -> None:
        host, port = url.removeprefix("http://").split(":")
        silent = [await asyncio.open_connection(host, int(port)) for _ in range(8)]
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"\x16\x03\x01 no http at all\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 400")
        async with httpx.AsyncClient(base_url=url, timeout=20) as http:
            assert (await http.post("/v1/responses", content=b"x" * 2000)).status_code == 413
            asked = {"model": "inspect", "input": "x"}
            replies = await asyncio.gather(*(http.post("/v1/responses", json=asked) for _ in range(20)))
        assert {reply.status_code for reply in replies} == {200}
        for _, each in [*silent, (reader, writer)]:
            each.close()

    with_bridge(client, tmp_path, rich)


@tool
def ask() -> Tool:
    async def execute(question: str) -> str:
        """Ask.

        Args:
            question: What to ask.
        """
        if question == "hidden":
            raise PermissionError("not for you")
        return f"you asked {question}"

    return execute


def test_tools_of_the_host_are_offered_over_mcp(tmp_path: Path) -> None:
    async def client(url: str, bridge: SandboxAgentBridge) -> None:
        [config] = bridge.mcp_server_configs
        assert config.url.endswith("/mcp/stakeholder")
        async with httpx.AsyncClient(base_url=url, timeout=20) as http:

            async def call(method: str, number: int | None = 1, **params: Any) -> httpx.Response:
                message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                return await http.post("/mcp/stakeholder", json=message)

            began = (await call("initialize", protocolVersion="2025-03-26")).json()
            assert began["result"]["protocolVersion"] == "2025-03-26"
            assert (await call("notifications/initialized", None)).status_code == 202
            [offered] = (await call("tools/list")).json()["result"]["tools"]
            assert (offered["name"], list(offered["inputSchema"]["properties"])) == ("ask", ["question"])
            told = (await call("tools/call", 7, name="ask", arguments={"question": "why"})).json()
            assert told["id"] == 7
            assert told["result"] == {"content": [{"type": "text", "text": "you asked why"}], "isError": False}
            denied = (await call("tools/call", name="ask", arguments={"question": "hidden"})).json()
            assert denied["result"]["isError"]
            assert (await call("resources/list")).json()["error"]["code"] == -32601
            assert (await http.get("/mcp/stakeholder")).status_code == 405

    spec = BridgedToolsSpec(name="stakeholder", tools=[ask()], require_proposal=False)
    with_bridge(client, tmp_path, rich, bridged_tools=[spec])


def test_a_limit_that_a_request_reaches_ends_the_work(tmp_path: Path) -> None:
    reached: list[str] = []

    async def client(url: str, bridge: SandboxAgentBridge) -> None:
        async with httpx.AsyncClient(base_url=url, timeout=20) as http:
            for _ in range(5):
                await http.post("/v1/responses", json={"model": "inspect", "input": "x"})
                reached.append("answered")
                await asyncio.sleep(0.2)

    async def work(state: TaskState) -> None:
        box = LoopbackOfHost()
        async with bridging.model_bridge(box, AgentState(messages=[])):  # type: ignore[arg-type]
            await client(box.url, None)  # type: ignore[arg-type]

    with pytest.raises((LimitExceededError, asyncio.CancelledError)), token_limit(40):
        asyncio.run(evaluate(work, tmp_path, model=answering(rich)))
    assert len(reached) < 5

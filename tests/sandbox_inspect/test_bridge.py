"""Inspect's model bridge in our sandboxes: any process inside reaches the model, and nothing else."""

from __future__ import annotations

import asyncio
import inspect
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.agent import SandboxAgentBridge, sandbox_agent_bridge
from inspect_ai.agent._bridge.sandbox import service
from inspect_ai.model import ModelOutput
from inspect_ai.solver import TaskState

from tests.sandbox_inspect.evaluation import answering, evaluate
from underspec.sandbox.backends import load_backend
from underspec.sandbox.inspect_adapter import bridge as bridging
from underspec.sandbox.inspect_adapter.bridge import PORT, model_bridge
from underspec.sandbox.protocol import Owner, Sandbox, SandboxSpec

pytestmark = pytest.mark.sandbox
_CALL = """
import json, sys, urllib.request
url, body, headers = json.loads(sys.stdin.read())
request = urllib.request.Request(url, json.dumps(body).encode(), headers)
sys.stdout.write(urllib.request.urlopen(request, timeout=60).read().decode())
"""
_WORDS = [{"role": "user", "content": "which word?"}]
_JSON = {"content-type": "application/json"}
_HERE = f"http://127.0.0.1:{PORT}"
CALLS: dict[str, Any] = {
    "anthropic": (
        f"{_HERE}/v1/messages",
        {"model": "inspect", "max_tokens": 100, "messages": _WORDS},
        {**_JSON, "x-api-key": "none", "anthropic-version": "2023-06-01"},
    ),
    "openai": (f"{_HERE}/v1/chat/completions", {"model": "inspect", "messages": _WORDS}, _JSON),
    "openai responses": (f"{_HERE}/v1/responses", {"model": "inspect", "input": "which word?"}, _JSON),
}


def text_of(dialect: str, reply: dict[str, Any]) -> str:
    if dialect == "anthropic":
        return str(reply["content"][0]["text"])
    if dialect == "openai":
        return str(reply["choices"][0]["message"]["content"])
    return str(reply["output"][0]["content"][0]["text"])


@asynccontextmanager
async def running(backend: str) -> AsyncIterator[Sandbox]:
    sandbox = load_backend(backend).create(SandboxSpec(owner=Owner("tests", "bridge")))
    try:
        await sandbox.start()
        yield sandbox
    finally:
        await sandbox.close()


@pytest.fixture(params=["bubblewrap", "docker"])
def backend(request: pytest.FixtureRequest) -> str:
    if request.param == "docker":
        request.getfixturevalue("container_engine")
    elif shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    return str(request.param)


def test_every_dialect_reaches_the_model_from_inside_and_only_loopback_is_there(backend: str, tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(messages: list[Any], tools: list[Any]) -> ModelOutput:
        asked.append(messages[-1].text)
        return ModelOutput.from_content("mockllm/model", "heliotrope")

    async def run() -> None:
        async with running(backend) as box:

            async def work(state: TaskState) -> None:
                async with model_bridge(box):
                    for dialect, call in CALLS.items():
                        ended = await box.exec(["python3", "-c", _CALL], stdin=json.dumps(call).encode(), timeout=60)
                        assert ended.ok, ended
                        assert text_of(dialect, json.loads(ended.stdout)) == "heliotrope"
                    devices = await box.exec(["cat", "/proc/net/dev"])
                    names = {line.split(b":")[0].strip() for line in devices.stdout.splitlines()[2:]}
                    assert names == {b"lo"}

            log = await evaluate(work, tmp_path, model=answering(answer))
            assert log.samples is not None
            usage = log.samples[0].model_usage["mockllm/model"]
            assert (usage.input_tokens, usage.output_tokens) == (33, 21)
            refused = await box.exec(["python3", "-c", _CALL], stdin=json.dumps(CALLS["openai"]).encode(), timeout=60)
            assert b"Connection refused" in refused.stderr  # the bridge went with its block

    asyncio.run(run())
    assert asked == ["which word?"] * len(CALLS)


def test_what_is_private_to_inspects_bridge_and_used_here_is_still_there() -> None:
    # A method that Inspect's bridge had and ours has not would be one that an agent misses.
    source = inspect.getsource(service.run_model_service)
    offered = {line.split('"')[1] for line in source.splitlines() if line.strip().startswith('"')}
    google = {"generate_google"}  # none of our agents speaks it
    assert offered - google == {
        "generate_completions",
        "generate_responses",
        "generate_anthropic",
        "list_tools",
        "call_tool",
    }
    told = set(inspect.signature(SandboxAgentBridge.__init__).parameters)
    assert set(bridging.BridgeOptions.__annotations__) <= told
    # What Inspect's own bridge withholds unless it is granted is never granted here.
    own = inspect.signature(sandbox_agent_bridge).parameters
    assert {"web_search", "code_execution", "client_mcp_servers"} <= set(own)
    assert inspect.signature(SandboxAgentBridge.__init__).parameters["allow_remote_mcp"].default is False

"""The model, inside a sandbox: what speaks to a provider's API there is answered by the sample's model.

Inspect translates between the APIs and the sample's model; how requests get out is ours. Inspect's own
``sandbox_agent_bridge`` runs a proxy inside, which leaves requests in files that are looked for every two seconds: that
costs each call up to two seconds, each sample three seconds at its start, a hundred megabytes and a tenth of a core,
most of it for asking whether the proxy still runs. Here the host itself listens on the sandbox's loopback.

This file uses what is private to Inspect's bridge; ``tests/sandbox_inspect/test_bridge.py`` notices when that changes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, TypedDict, Unpack

import anyio
from inspect_ai._util.working import untracked_sandbox_execs
from inspect_ai.agent import AgentState, BridgedToolsSpec, SandboxAgentBridge
from inspect_ai.agent._bridge._errors import PROVIDER_ERROR_KEY
from inspect_ai.agent._bridge.sandbox.bridge import _monitor_failure, _register_bridged_tools
from inspect_ai.agent._bridge.sandbox.service import (
    _forward_provider_errors,
    call_tool,
    generate_anthropic,
    generate_completions,
    generate_responses,
    list_tools,
)
from inspect_ai.log._samples import sample_active
from inspect_ai.model import GenerateFilter, Model
from inspect_ai.util import LimitExceededError
from inspect_ai.util._anyio import inner_exception
from inspect_ai.util._sandbox.service import find_control_flow

from underspec.sandbox.inspect_adapter.attach import attached
from underspec.sandbox.inspect_adapter.http import Reply, Request, serve
from underspec.sandbox.inspect_adapter.mcp import answer_mcp
from underspec.sandbox.inspect_adapter.streams import anthropic_stream, completions_stream, event, responses_stream
from underspec.sandbox.protocol import Sandbox

PORT = 13131
# How long a stream's answer is waited for before its head is sent: what fails sooner has a status of its own.
_PROMPT_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 10.0
_CHARACTERS_A_TOKEN = 4

log = logging.getLogger(__name__)
Json = dict[str, Any]
Generate = Callable[..., Awaitable[Json]]


class BridgeOptions(TypedDict, total=False):
    """What Inspect's ``sandbox_agent_bridge`` calls so."""

    model: str | None
    model_aliases: dict[str, str | Model] | None
    model_resolver: Any
    filter: GenerateFilter | None
    retry_refusals: int | None
    compaction: Any
    model_event_sink: Any
    forward_generation_config: bool
    approval: Any
    response_filter: Any


@contextlib.asynccontextmanager
async def model_bridge(
    sandbox: Sandbox,
    state: AgentState | None = None,
    *,
    port: int = PORT,
    bridged_tools: Sequence[BridgedToolsSpec] = (),
    **options: Unpack[BridgeOptions],
) -> AsyncIterator[SandboxAgentBridge]:
    """Within the block any process in ``sandbox`` reaches the model on its loopback, without a credential.

    ``http://127.0.0.1:<port>`` speaks Anthropic's API and ``http://127.0.0.1:<port>/v1`` OpenAI's two, and
    ``/mcp/<name>`` offers the bridged tools of that name. A model that a request names is the sample's unless the
    options say otherwise; a provider's own tools (web search, code execution) are withheld. The sandbox is attached to
    the sample too. A limit or a termination of the sample, and a fault of the host's tools, end the block.
    """
    wanted: dict[str, Any] = {"filter": None, "retry_refusals": None, "compaction": None, "model": None, **options}
    bridge = SandboxAgentBridge(state=state or AgentState(messages=[]), port=port, **wanted)
    for spec in bridged_tools:
        if spec.name in bridge.bridged_tools:
            raise ValueError(f"two groups of bridged tools are called {spec.name!r}")
        bridge.mcp_server_configs.append(_register_bridged_tools(bridge, spec, port))
    bridge.warn_indistinct_tools()
    async with attached(sandbox):
        listener = await sandbox.listen(port)
        done = False
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(serve, listener, _Endpoint(bridge), tasks.start_soon)
                tasks.start_soon(_monitor_failure, bridge)
                with untracked_sandbox_execs():
                    yield bridge
                done = True
                tasks.cancel_scope.cancel()
        except Exception as error:
            termination = find_control_flow(error)
            if termination is not None:
                raise termination from error
            if not done:
                raise inner_exception(error) from error
            log.warning("the model bridge ended with an error after the agent was done: %s", inner_exception(error))


class _Endpoint:
    """Answers the requests of one sandbox."""

    def __init__(self, bridge: SandboxAgentBridge) -> None:
        self._bridge = bridge
        self._list_tools, self._call_tool = list_tools(bridge), call_tool(bridge)
        self._dialects: Mapping[str, tuple[Generate, Callable[[Json, Json], Iterator[bytes]], str]] = {
            "/v1/messages": (
                _forward_provider_errors(generate_anthropic(None, None, bridge), bridge),
                lambda answer, asked: anthropic_stream(answer),
                "anthropic",
            ),
            "/v1/chat/completions": (
                _forward_provider_errors(generate_completions(bridge), bridge),
                lambda answer, asked: completions_stream(answer, with_usage=_wants_usage(asked)),
                "openai",
            ),
            "/v1/responses": (
                _forward_provider_errors(generate_responses(None, None, bridge), bridge),
                lambda answer, asked: responses_stream(answer),
                "responses",
            ),
        }

    async def __call__(self, request: Request) -> Reply:
        """The answer to one request."""
        path = request.path.rstrip("/") or "/"
        if path.startswith("/mcp/"):
            server = path.removeprefix("/mcp/")
            if server not in self._bridge.bridged_tools:
                return _failed("openai", 404, "no such server")
            return await answer_mcp(request, server, self._list_tools, self._guarded(self._call_tool))
        if request.method in ("GET", "HEAD"):
            return _models() if path == "/v1/models" else Reply(200 if path == "/" else 404)
        if request.method != "POST":
            return Reply(405, headers={"Allow": "GET, HEAD, POST"})
        if path == "/v1/messages/count_tokens":
            # A guess is enough for what clients do with it: to see whether a conversation nears its end.
            return Reply(200, json.dumps({"input_tokens": len(request.body) // _CHARACTERS_A_TOKEN}).encode())
        if path not in self._dialects:
            return _failed("openai", 404, f"the model bridge has no {path[:200]}")
        generate, stream, dialect = self._dialects[path]
        try:
            asked = json.loads(request.body)
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            return _failed(dialect, 400, "the body is no JSON object")
        work = asyncio.ensure_future(self._guarded(generate)(asked, dict(request.headers)))
        try:
            await asyncio.wait({work}, timeout=_PROMPT_SECONDS if asked.get("stream") else None)
        except asyncio.CancelledError:
            work.cancel()
            raise
        if not work.done():
            return Reply(200, content_type="text/event-stream", stream=_later(work, stream, asked, dialect))
        failure, answer = _outcome(work)
        if failure is not None:
            return _failed(dialect, *failure)
        if not asked.get("stream"):
            return Reply(200, json.dumps(answer).encode())
        return Reply(200, content_type="text/event-stream", stream=_all(stream(answer, asked)))

    def _guarded(self, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """What ends the sample ends it, and is an error for the client as well."""

        async def guarded(*arguments: Any) -> Any:
            try:
                return await method(*arguments)
            except LimitExceededError as error:
                active = sample_active()
                if active is not None:
                    active.limit_exceeded(error)
                raise RuntimeError("a limit was reached") from None
            except Exception as error:
                termination = find_control_flow(error)
                if isinstance(termination, Exception):
                    self._bridge.request_fail(termination)
                raise

        return guarded


def _wants_usage(asked: Json) -> bool:
    options = asked.get("stream_options")
    return isinstance(options, dict) and bool(options.get("include_usage"))


def _models() -> Reply:
    model = {"id": "inspect", "object": "model", "created": 0, "owned_by": "inspect", "type": "model"}
    return Reply(200, json.dumps({"object": "list", "data": [model], "has_more": False}).encode())


def _outcome(work: asyncio.Future[Json]) -> tuple[tuple[int, str] | None, Json]:
    """Status and words of a failure, or the answer. What the host alone should know stays in its log."""
    error = work.exception()
    if error is not None:
        log.warning("a request of an agent could not be answered: %r", error)
        return (500, "the request could not be answered"), {}
    answer = work.result()
    failure = answer.get(PROVIDER_ERROR_KEY)
    if failure is None:
        return None, answer
    status = failure["status"]
    if not isinstance(status, int) or not 400 <= status < 600:
        return (500, "the model could not answer"), {}
    return (status, str(failure["message"])), {}


_KINDS = {400: "invalid_request_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}


def _error(dialect: str, status: int, message: str) -> Json:
    kind = _KINDS.get(status, "api_error" if status >= 500 else "invalid_request_error")
    error = {"type": kind, "message": message}
    return {"type": "error", "error": error} if dialect == "anthropic" else {"error": {**error, "code": None}}


def _failed(dialect: str, status: int, message: str) -> Reply:
    return Reply(status, json.dumps(_error(dialect, status, message)).encode())


async def _all(pieces: Iterator[bytes]) -> AsyncGenerator[bytes]:
    for piece in pieces:
        yield piece


async def _later(
    work: asyncio.Future[Json], stream: Callable[[Json, Json], Iterator[bytes]], asked: Json, dialect: str
) -> AsyncGenerator[bytes]:
    """Signs of life until there is an answer, so that no client gives up on a model that thinks.

    A model that nobody waits for any more is not waited for either.
    """
    alive = event({"type": "ping"}, name="ping") if dialect == "anthropic" else b": waiting\n\n"
    try:
        while not work.done():
            yield alive
            await asyncio.wait({work}, timeout=_KEEP_ALIVE_SECONDS)
        failure, answer = _outcome(work)
        if failure is None:
            for piece in stream(answer, asked):
                yield piece
            return
        told = _error(dialect, *failure)
        if dialect == "responses":
            told = {"type": "response.failed", "response": {"object": "response", "status": "failed", **told}}
        yield event(told, name=None if dialect == "openai" else told["type"])
    finally:
        work.cancel()

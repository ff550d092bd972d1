"""Tools of the host for agents that speak the Model Context Protocol: its JSON-RPC over one HTTP request each.

The streamable HTTP transport without streams or sessions, of which a server need offer none.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from underspec.sandbox.inspect_adapter.http import Reply, Request

_VERSION = "2025-06-18"
_PARSE, _INVALID, _NO_METHOD = -32700, -32600, -32601

ListTools = Callable[[str], Awaitable[Any]]
CallTool = Callable[[str, str, Any], Awaitable[Any]]


async def answer_mcp(request: Request, server: str, list_tools: ListTools, call_tool: CallTool) -> Reply:
    """One message to the server of that name."""
    if request.method != "POST":
        return Reply(405, headers={"Allow": "POST"})
    try:
        message = json.loads(request.body)
    except (ValueError, RecursionError):
        return _reply(None, error=(_PARSE, "not JSON"), status=400)
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return _reply(None, error=(_INVALID, "not a request"), status=400)
    number, method = message.get("id"), message["method"]
    parameters = message.get("params")
    parameters = parameters if isinstance(parameters, dict) else {}
    if number is None:
        return Reply(202)  # a notification: nothing is said to it
    if method == "initialize":
        version = parameters.get("protocolVersion")
        about = {"name": server, "version": "1"}
        chosen = version if isinstance(version, str) else _VERSION
        return _reply(number, {"protocolVersion": chosen, "capabilities": {"tools": {}}, "serverInfo": about})
    if method == "ping":
        return _reply(number, {})
    if method == "tools/list":
        return _reply(number, {"tools": await list_tools(server)})
    if method == "tools/call":
        return _reply(number, await _call(server, parameters, call_tool))
    return _reply(number, error=(_NO_METHOD, f"no method {method[:100]!r}"))


async def _call(server: str, parameters: dict[str, Any], call_tool: CallTool) -> dict[str, Any]:
    """What a tool gave, or why it gave nothing: which the model is to read in either case."""
    try:
        result = await call_tool(server, str(parameters.get("name")), parameters.get("arguments") or {})
    except Exception as error:  # noqa: BLE001 - `call_tool` lets through what may be told, and tells the host the rest
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    parts = result if isinstance(result, list) else [{"type": "text", "text": _text(result)}]
    return {"content": parts, "isError": False}


def _text(result: Any) -> str:
    return result if isinstance(result, str) else json.dumps(result)


def _reply(number: Any, result: Any = None, *, error: tuple[int, str] | None = None, status: int = 200) -> Reply:
    outcome = {"result": result} if error is None else {"error": {"code": error[0], "message": error[1]}}
    return Reply(status, json.dumps({"jsonrpc": "2.0", "id": number, **outcome}).encode())

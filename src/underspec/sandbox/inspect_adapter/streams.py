"""A whole answer as the stream of events in which each provider's API sends it.

Clients of coding agents ask for streams, and the sample's model gives whole answers: each part is one event. The
events and their order are those of Anthropic's Messages, OpenAI's Chat Completions and OpenAI's Responses API.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def event(data: Json, *, name: str | None = None) -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def anthropic_stream(message: Json) -> Iterator[bytes]:
    """The events of a ``Message``."""

    def tell(kind: str, **data: Any) -> bytes:
        return event({"type": kind, **data}, name=kind)

    usage = message.get("usage") or {}
    opening = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    yield tell("message_start", message={**opening, "usage": {**usage, "output_tokens": 0}})
    for index, block in enumerate(message.get("content") or []):
        start, deltas = _anthropic_block(block)
        yield tell("content_block_start", index=index, content_block=start)
        for delta in deltas:
            yield tell("content_block_delta", index=index, delta=delta)
        yield tell("content_block_stop", index=index)
    delta = {"stop_reason": message.get("stop_reason"), "stop_sequence": message.get("stop_sequence")}
    yield tell("message_delta", delta=delta, usage=usage)
    yield tell("message_stop")


def _anthropic_block(block: Json) -> tuple[Json, list[Json]]:
    """How a block begins, and what then comes of it."""
    kind = block["type"]
    if kind == "text":
        citations = [{"type": "citations_delta", "citation": each} for each in block.get("citations") or []]
        return {**block, "text": "", "citations": None}, [*citations, {"type": "text_delta", "text": block["text"]}]
    if kind == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": block["thinking"]}]
        if block.get("signature"):
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {**block, "thinking": "", "signature": ""}, deltas
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
    return block, []


def completions_stream(completion: Json, *, with_usage: bool) -> Iterator[bytes]:
    """The events of a ``ChatCompletion``; ``with_usage`` as the client asked in ``stream_options``."""
    shared = {name: completion.get(name) for name in ("id", "created", "model", "service_tier", "system_fingerprint")}
    shared["object"] = "chat.completion.chunk"

    def chunk(choices: list[Json], usage: Json | None = None) -> bytes:
        told = {"usage": usage} if with_usage else {}
        return event({**shared, "choices": choices, **told})

    for choice in completion["choices"]:
        index, message = choice["index"], dict(choice["message"])
        calls = [{**call, "index": number} for number, call in enumerate(message.pop("tool_calls", None) or [])]
        yield chunk([{"index": index, "delta": {name: value for name, value in message.items() if value is not None}}])
        for call in calls:
            yield chunk([{"index": index, "delta": {"tool_calls": [call]}}])
        yield chunk([{"index": index, "delta": {}, "finish_reason": choice["finish_reason"]}])
    if with_usage:
        yield chunk([], completion.get("usage"))
    yield b"data: [DONE]\n\n"


def responses_stream(response: Json) -> Iterator[bytes]:
    """The events of a ``Response``."""
    number = 0

    def tell(kind: str, **data: Any) -> bytes:
        nonlocal number
        number += 1
        return event({"type": kind, "sequence_number": number - 1, **data}, name=kind)

    opening = {**response, "status": "in_progress", "output": [], "usage": None}
    yield tell("response.created", response=opening)
    yield tell("response.in_progress", response=opening)
    for index, item in enumerate(response.get("output") or []):
        place = {"item_id": item.get("id"), "output_index": index}
        yield tell("response.output_item.added", output_index=index, item=_opened(item))
        for kind, data in _item_events(item):
            yield tell(kind, **place, **data)
        yield tell("response.output_item.done", output_index=index, item=item)
    status = response.get("status") or "completed"
    ending = status if status in ("completed", "incomplete", "failed") else "completed"
    yield tell(f"response.{ending}", response=response)


def _opened(item: Json) -> Json:
    """An item before any of its content came."""
    empty: Json = {"content": [], "arguments": "", "input": "", "summary": []}
    opened = {name: empty.get(name, value) for name, value in item.items()}
    return {**opened, "status": "in_progress"} if "status" in item else opened


def _item_events(item: Json) -> Iterator[tuple[str, Json]]:
    kind = item["type"]
    if kind == "message":
        for number, part in enumerate(item.get("content") or []):
            yield from _part_events(number, part)
    elif kind == "function_call":
        yield "response.function_call_arguments.delta", {"delta": item["arguments"]}
        yield "response.function_call_arguments.done", {"arguments": item["arguments"], "name": item.get("name")}
    elif kind == "custom_tool_call":
        yield "response.custom_tool_call_input.delta", {"delta": item["input"]}
        yield "response.custom_tool_call_input.done", {"input": item["input"]}
    elif kind == "reasoning":
        for number, part in enumerate(item.get("summary") or []):
            place = {"summary_index": number}
            yield "response.reasoning_summary_part.added", {**place, "part": {**part, "text": ""}}
            yield "response.reasoning_summary_text.delta", {**place, "delta": part["text"]}
            yield "response.reasoning_summary_text.done", {**place, "text": part["text"]}
            yield "response.reasoning_summary_part.done", {**place, "part": part}


def _part_events(number: int, part: Json) -> Iterator[tuple[str, Json]]:
    place = {"content_index": number}
    name = "refusal" if part["type"] == "refusal" else "text"
    prefix = "response.refusal" if name == "refusal" else "response.output_text"
    logs: Json = {} if name == "refusal" else {"logprobs": []}
    yield "response.content_part.added", {**place, "part": {**part, name: ""}}
    yield f"{prefix}.delta", {**place, "delta": part[name], **logs}
    yield f"{prefix}.done", {**place, name: part[name], **logs}
    yield "response.content_part.done", {**place, "part": part}

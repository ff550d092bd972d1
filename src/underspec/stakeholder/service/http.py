"""What both protocols share: bounded bodies, JSON answers, bearer tokens, errors that are never a page of ours."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from underspec.errors import UnderspecError
from underspec.stakeholder import wire
from underspec.stakeholder.http1 import MAX_BODY_BYTES
from underspec.stakeholder.http1 import Response as WireResponse

log = logging.getLogger(__name__)

READ_SECONDS = 10.0
# A client that is answered before it has sent all that it wants would lose the answer.
_MOST_THROWN_AWAY = 1024 * 1024
ASKING = "/questions"


class Refused(Exception):
    """A mistake of the asker, with the response that tells it."""

    def __init__(self, status: int, error: str, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(error)
        self.status, self.error, self.detail, self.headers = status, error, detail, dict(headers or {})


def json_response(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """One JSON document. ASCII only, so that no text of an asker can make it impossible to encode."""
    body = json.dumps(document, ensure_ascii=True).encode() + b"\n"
    return Response(body, status, {**(headers or {}), "cache-control": "no-store"}, "application/json")


def problem(error: str, detail: str) -> dict[str, Any]:
    """The body of every 4xx."""
    return {"data": None, "status": {"ok": False, "error": error, "detail": detail}}


def from_wire(response: WireResponse) -> Response:
    """An answer of the channel, as the service gives it."""
    return Response(response.body, response.status, {"cache-control": "no-store"}, response.content_type)


async def refuse(request: Request, error: Exception) -> Response:
    """The response to a :class:`Refused`, and to a path or method that is not there."""
    if isinstance(error, Refused):
        return json_response(problem(error.error, error.detail), error.status, error.headers)
    assert isinstance(error, HTTPException)
    names = {404: "not_found", 405: "method_not_allowed"}
    name = names.get(error.status_code, "bad_request")
    return json_response(problem(name, error.detail), error.status_code, error.headers)


def log_failure(request: Request, error: Exception) -> None:
    """A line for the operator. What is none of our errors is a mistake of ours, and the server shows where."""
    if isinstance(error, UnderspecError):
        # Escaped: the path is the asker's, and the text may be a model's.
        log.error("%s %a: %a", request.method, request.url.path, str(error))


async def fail(request: Request, error: Exception) -> Response:
    """Something on our side failed. The asker learns that there is no answer now (as in the channel: status 200, not
    ok, not charged); what happened is for the operator, on stderr."""
    log_failure(request, error)
    response = from_wire(wire.unavailable())
    if not request.url.path.endswith(ASKING):
        response.status_code = 503
    return response


async def json_object(request: Request) -> dict[str, Any]:
    """The body as a JSON object.

    Raises:
        Refused: too large, too slow, or no such thing.
    """
    body = await _body(request)
    try:
        sent = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise Refused(400, "invalid_json", "send one JSON object in UTF-8") from None
    if not isinstance(sent, dict):
        raise Refused(400, "invalid_json", "send a JSON object")
    return sent


async def _body(request: Request) -> bytes:
    body, read = bytearray(), 0
    try:
        async with asyncio.timeout(READ_SECONDS):
            async for chunk in request.stream():
                read += len(chunk)
                if read <= MAX_BODY_BYTES:
                    body += chunk
                elif read > _MOST_THROWN_AWAY:
                    break
    except TimeoutError:
        raise Refused(408, "too_slow", "send the whole request at once", headers={"connection": "close"}) from None
    except ClientDisconnect:
        raise Refused(400, "bad_request", "the request ended early") from None
    if read > MAX_BODY_BYTES:
        detail = f"a request has at most {MAX_BODY_BYTES} bytes"
        raise Refused(413, "too_large", detail, headers={"connection": "close"})
    return bytes(body)


def bearer(request: Request) -> str:
    """The token of ``Authorization: Bearer TOKEN``; empty without one."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def text(sent: Mapping[str, Any], name: str, *, most: int = 200) -> str | None:
    """An optional string of a body.

    Raises:
        Refused: it is there and no string, or too long.
    """
    value = sent.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > most or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise Refused(400, f"invalid_{name}", f"{name} must be valid Unicode, at most {most} characters")
    return value


def number(sent: Mapping[str, Any], name: str, *, most: int) -> int | None:
    """An optional whole number, 0 to ``most``.

    Raises:
        Refused: it is there and something else.
    """
    value = sent.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise Refused(400, f"invalid_{name}", f"{name} must be a whole number, 0 to {most}")
    return value

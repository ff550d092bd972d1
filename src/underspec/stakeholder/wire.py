"""What the channel reads and says: JSON of the asker in, JSON for the asker out. No sockets here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol

from underspec.stakeholder.http1 import MAX_BODY_BYTES, Response
from underspec.stakeholder.session import MAX_QUESTION_BYTES, Answer, Refusal

USAGE = (
    'POST /ask with {"question": "..."} and optionally "request_id"; '
    "the reply is data.reply, the questions left are status.remaining.\n"
)
PATHS = ("/", "/ask")
_UNFIT = {
    400: ("bad_request", "this is no HTTP/1.1 request that is understood here"),
    408: ("too_slow", "send the whole request at once"),
    413: ("too_large", f"a request has at most {MAX_BODY_BYTES} bytes"),
    431: ("headers_too_large", "send fewer headers"),
}
_REFUSED = {"max_interactions_reached": 200, "request_id_reused": 409, "session_closed": 409}
_MENDS = {
    "session_closed": "the operator has closed this session",
    "request_id_reused": "another question was sent with this request_id before",
    "invalid_question": f"question must hold text, valid Unicode, at most {MAX_QUESTION_BYTES} bytes",
    "invalid_request_id": "request_id must hold text, valid Unicode, at most 256 bytes",
}


class Asked(Protocol):
    """What the channel needs of a session."""

    async def ask(self, question: str, request_id: str | None = None) -> Answer | Refusal:
        """See :meth:`underspec.stakeholder.session.Session.ask`."""


@dataclass(frozen=True)
class Ask:
    """What an asker sent."""

    question: str
    request_id: str | None


async def answer_request(session: Asked, method: str, path: str, body: bytes) -> Response:
    """Answer one HTTP request. Raises what ``session.ask`` raises."""
    if path.split("?", 1)[0] not in PATHS:
        return problem(404, "not_found", 'POST to "/ask"')
    if method == "GET":
        return Response(200, USAGE.encode(), "text/plain; charset=utf-8")
    if method != "POST":
        return problem(405, "method_not_allowed", "use POST", allow="GET, POST")
    asked = _read(body)
    if isinstance(asked, Response):
        return asked
    return told(await session.ask(asked.question, asked.request_id))


def told(outcome: Answer | Refusal) -> Response:
    """What the asker is told: reply and remaining budget, or why there is no reply."""
    if isinstance(outcome, Answer):
        return _json(200, {"reply": outcome.reply}, {"ok": True, **_left(outcome.remaining)})
    return _refused(outcome)


def problem(status: int, error: str, detail: str, *, allow: str | None = None) -> Response:
    """A mistake of the asker."""
    return _json(status, None, {"ok": False, "error": error, "detail": detail}, allow=allow)


def refused_request(status: int) -> Response:
    """A request that was too slow, too large or no HTTP; what is none of these in particular is a bad one (400)."""
    error, detail = _UNFIT.get(status, _UNFIT[400])
    return problem(status if status in _UNFIT else 400, error, detail)


def unavailable() -> Response:
    """Something on our side failed. What it was is for the operator."""
    detail = "the stakeholder cannot answer now; this question was not charged"
    return _json(200, None, {"ok": False, "error": "unavailable", "detail": detail})


def _refused(refusal: Refusal) -> Response:
    status: dict[str, Any] = {"ok": False, "error": refusal.reason, **_left(refusal.remaining)}
    if refusal.reason in _MENDS:
        status["detail"] = _MENDS[refusal.reason]
    return _json(_REFUSED.get(refusal.reason, 400), None, status)


def _left(remaining: int | None) -> dict[str, int]:
    return {} if remaining is None else {"remaining": remaining}


def _read(body: bytes) -> Ask | Response:
    try:
        sent = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return problem(400, "invalid_json", 'send one JSON object, such as {"question": "..."}, in UTF-8')
    if not isinstance(sent, dict):
        return problem(400, "invalid_json", 'send a JSON object, such as {"question": "..."}')
    return read_object(sent)


def read_object(sent: dict[str, Any]) -> Ask | Response:
    """The question in a JSON object, or what is wrong with it. Other members are ignored."""
    question, request_id = sent.get("question"), sent.get("request_id")
    if not isinstance(question, str):
        return problem(400, "invalid_question", "question must be a string")
    if request_id is not None and not isinstance(request_id, str):
        return problem(400, "invalid_request_id", "request_id must be a string")
    return Ask(question, request_id)


def _json(status: int, data: dict[str, str] | None, verdict: dict[str, Any], *, allow: str | None = None) -> Response:
    body = json.dumps({"data": data, "status": verdict}, ensure_ascii=False).encode() + b"\n"
    return Response(status, body, "application/json", allow)

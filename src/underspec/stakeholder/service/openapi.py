"""The description of ``/v1`` for machines (OpenAPI 3.1). Shown with ``--docs`` only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from underspec.stakeholder.http1 import MAX_BODY_BYTES
from underspec.stakeholder.session import MAX_REQUEST_ID_BYTES

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_RATE: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_SESSION_NAME: Schema = {"type": "string", "pattern": "^[0-9a-f]{32}$"}


def _object(required: Schema, optional: Schema | None = None, *, closed: bool = True) -> Schema:
    made: Schema = {"type": "object", "required": sorted(required), "properties": {**required, **(optional or {})}}
    if closed:
        made["additionalProperties"] = False
    return made


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _answer(description: str, schema: Schema, headers: Schema | None = None) -> Schema:
    made: Schema = {"description": description, "content": {"application/json": {"schema": schema}}}
    if headers:
        made["headers"] = headers
    return made


_PROBLEM = _answer("A mistake of the asker; nothing was charged.", _ref("Problem"))
_CHALLENGE = {"www-authenticate": {"required": True, "schema": _TEXT}}
_PROBLEMS: dict[str, Schema] = {
    "400": _PROBLEM,
    "401": _answer("No credential, or not the one that is needed here.", _ref("Problem"), _CHALLENGE),
    "404": _answer("There is no such task or session.", _ref("Problem")),
    "408": _answer("The request came too slowly.", _ref("Problem")),
    "413": _answer(f"The request has more than {MAX_BODY_BYTES} bytes.", _ref("Problem")),
    "429": _answer(
        "This session asks too often.",
        _ref("Problem"),
        {"retry-after": {"required": True, "schema": {"type": "string", "pattern": "^[0-9]+$"}}},
    ),
    "503": _answer("Something on this side failed.", _ref("Problem")),
}


def _problems(*statuses: str) -> dict[str, Schema]:
    return {status: _PROBLEMS[status] for status in statuses}


def _body(schema: str) -> Schema:
    return {"required": True, "content": {"application/json": {"schema": _ref(schema)}}}


def _operation(name: str, summary: str, who: str | None, responses: Schema, **more: Any) -> Schema:
    return {
        "operationId": name,
        "summary": summary,
        "security": [{who: []}] if who else [],
        "responses": responses,
        **more,
    }


_SESSION = {"name": "session", "in": "path", "required": True, "schema": _SESSION_NAME}
_TASK = {"name": "task", "in": "query", "schema": _TEXT}


def _schemas(tasks: Sequence[str]) -> Schema:
    status: Schema = {
        **_object({"ok": {"type": "boolean"}}, {"remaining": _COUNT, "error": _TEXT, "detail": _TEXT}),
    }
    summary = {
        "session": _SESSION_NAME,
        "task": _TEXT,
        "exposure": _ref("Exposure"),
        "router": _TEXT,
        "budget": _COUNT,
    }
    return {
        "Exposure": {"enum": ["L1", "L2", "L3"]},
        "Question": _object(
            {"question": {"type": "string", "minLength": 1, "maxLength": 8192}},
            {"request_id": {"type": ["string", "null"], "minLength": 1, "maxLength": MAX_REQUEST_ID_BYTES}},
            closed=False,
        ),
        "Reply": _object(
            {"data": {"oneOf": [{"type": "null"}, _object({"reply": _TEXT})]}, "status": status},
        ),
        "Problem": _object({"data": {"type": "null"}, "status": status}),
        "Minting": _object(
            {},
            {
                "task": {"enum": [*tasks, None] if len(tasks) == 1 else list(tasks)},
                "exposure": {"enum": ["L1", "L2", "L3", None]},
                "budget": {"type": ["integer", "null"], "minimum": 0, "maximum": 10_000},
            },
            closed=False,
        ),
        "Minted": _object({**summary, "credential": _TEXT, "ask": _TEXT}),
        "Session": _object({**summary, "asked": _COUNT, "closed": {"type": "boolean"}}),
        "Sessions": _object(
            {
                "sessions": {"type": "array", "items": _ref("Session")},
                "next": {"oneOf": [{"type": "null"}, _SESSION_NAME]},
            }
        ),
        "Log": _object(
            {
                "schema_version": {"const": 1},
                "task": _TEXT,
                "level": _ref("Exposure"),
                "router": _TEXT,
                "budget": _COUNT,
                "hidden_ids": {"type": "array", "items": _TEXT},
                "points": {"type": "array", "items": _object({"id": _TEXT, "kind": _TEXT, "category": _TEXT})},
                "turns": {"type": "array", "items": _ref("Turn")},
            }
        ),
        "Turn": _object(
            {
                "number": _COUNT,
                "question": _TEXT,
                "reply": _TEXT,
                "matched": {"type": "array", "items": _TEXT},
                "fallback": {"type": "boolean"},
                "acknowledged_default": {"type": "boolean"},
                "more_asked": {"type": "boolean"},
                "alignment": {"enum": ["routed", "forced", None]},
                "request_id": {"type": ["string", "null"]},
                "remaining": _COUNT,
            }
        ),
        "Statistics": _object(
            {"sessions": _COUNT, "questions": _COUNT, "coverage": _RATE, "fallback_rate": _RATE, "budget_use": _RATE},
            closed=False,
        ),
    }


def openapi_document(tasks: Sequence[str]) -> Schema:
    """The whole description, for the tasks that are served."""
    operator, session = "operator", "session"
    minting = _operation(
        "mint",
        "Begin a session.",
        operator,
        {
            "201": _answer("The session and its credential, told once.", _ref("Minted")),
            **_problems("400", "401", "404", "408", "413", "503"),
        },
        requestBody=_body("Minting"),
    )
    listing = _operation(
        "listSessions",
        "Sessions in the order of minting, a page at a time.",
        operator,
        {"200": _answer("A page.", _ref("Sessions")), **_problems("400", "401", "404", "503")},
        parameters=[
            {"name": "after", "in": "query", "schema": _SESSION_NAME},
            {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 500}},
            _TASK,
        ],
    )
    asking = _operation(
        "ask",
        "Ask one question. A request_id makes it idempotent; without one each is a new turn.",
        session,
        {
            "200": _answer(
                "Reply and what is left; or not ok, and why: the budget is spent, or nobody can answer now.",
                _ref("Reply"),
            ),
            **_problems("400", "401", "408", "413", "429"),
            "409": _answer("The request_id was another question's, or the session is closed.", _ref("Problem")),
        },
        requestBody=_body("Question"),
    )

    def reading(name: str, summary: str, schema: str) -> Schema:
        responses = {"200": _answer(summary, _ref(schema)), **_problems("401", "404", "503")}
        return _operation(name, summary, operator, responses)

    everything = _operation(
        "measureAll",
        "Figures of all sessions, macro-averaged over tasks.",
        operator,
        {"200": _answer("Figures.", _ref("Statistics")), **_problems("400", "401", "503")},
        parameters=[_TASK],
    )
    health = _operation(
        "health", "Whether it is there.", None, {"200": _answer("It is.", _object({"ok": {"const": True}}))}
    )
    one = "/v1/sessions/{session}"
    return {
        "openapi": "3.1.0",
        "info": {"title": "Underspec stakeholder", "version": "1"},
        "paths": {
            "/v1/health": {"get": health},
            "/v1/questions": {"post": asking},
            "/v1/sessions": {"post": minting, "get": listing},
            one: {"parameters": [_SESSION], "get": reading("showSession", "One session in short.", "Session")},
            f"{one}/log": {"parameters": [_SESSION], "get": reading("readLog", "The session's log.", "Log")},
            f"{one}/statistics": {
                "parameters": [_SESSION],
                "get": reading("measure", "The session's figures.", "Statistics"),
            },
            f"{one}/close": {
                "parameters": [_SESSION],
                "post": reading("closeSession", "Take no more questions in it.", "Session"),
            },
            "/v1/statistics": {"get": everything},
        },
        "components": {
            "schemas": _schemas(tasks),
            "securitySchemes": {
                operator: {"type": "http", "scheme": "bearer"},
                session: {"type": "http", "scheme": "bearer"},
            },
        },
    }

"""The versioned API, ``/v1``: the operator mints sessions and reads logs, a session asks, health needs nothing.

A session's credential opens one session and nothing else; the operator's opens everything but asking. Who asks gets
reply and remaining budget, in the shape that the channel inside sandboxes has (:mod:`underspec.stakeholder.wire`).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from underspec.artifact.session import SessionLog
from underspec.errors import UnderspecError, UsageError
from underspec.stakeholder import wire
from underspec.stakeholder.service.credentials import matches
from underspec.stakeholder.service.desk import MAX_BUDGET, Desk
from underspec.stakeholder.service.http import (
    Refused,
    bearer,
    fail,
    from_wire,
    json_object,
    json_response,
    number,
    refuse,
    text,
)
from underspec.stakeholder.service.limits import RateLimit
from underspec.stakeholder.service.openapi import openapi_document
from underspec.stakeholder.service.store import SessionRow

MOST_LISTED = 500
_NAME = re.compile(r"[0-9a-f]{32}")
_CHALLENGE = {"www-authenticate": "Bearer"}

Statistics = Callable[[list[SessionLog]], dict[str, Any]]
"""What is measured over session logs, and of ``each``. Whoever serves gives it: measures are none of this room."""

Handler = Callable[[Request], Awaitable[Response]]


class Api:
    """The handlers over one desk."""

    def __init__(
        self,
        desk: Desk,
        operator: bytes,
        limit: RateLimit,
        statistics: Statistics,
        closed: Callable[[SessionRow], Awaitable[None]],
    ) -> None:
        self._desk, self._operator, self._limit, self._statistics = desk, operator, limit, statistics
        self._closed = closed

    def app(self, *, docs: bool) -> Starlette:
        """The ASGI application; with ``docs`` it describes itself at ``/v1/openapi.json``."""
        routes = [
            Route("/v1/health", self.health, methods=["GET"]),
            Route("/v1/questions", self.ask, methods=["POST"]),
            Route("/v1/sessions", self._for_operator(self.mint), methods=["POST"]),
            Route("/v1/sessions", self._for_operator(self.list_sessions), methods=["GET"]),
            Route("/v1/sessions/{session}", self._for_operator(self.show), methods=["GET"]),
            Route("/v1/sessions/{session}/log", self._for_operator(self.read_log), methods=["GET"]),
            Route("/v1/sessions/{session}/statistics", self._for_operator(self.measure), methods=["GET"]),
            Route("/v1/sessions/{session}/close", self._for_operator(self.close), methods=["POST"]),
            Route("/v1/statistics", self._for_operator(self.measure_all), methods=["GET"]),
        ]
        if docs:
            document = openapi_document(sorted(self._desk.tasks))

            async def describe(request: Request) -> Response:
                return json_response(document)

            routes.append(Route("/v1/openapi.json", describe, methods=["GET"]))
        handlers: dict[Any, Any] = {Refused: refuse, HTTPException: refuse, UnderspecError: fail, Exception: fail}
        app = Starlette(routes=_merged(routes), exception_handlers=handlers)
        app.router.redirect_slashes = False
        return app

    def _for_operator(self, handler: Handler) -> Handler:
        async def guarded(request: Request) -> Response:
            token = bearer(request)
            if not token or not matches(token, self._operator):
                raise Refused(401, "not_the_operator", "send the operator's credential", headers=_CHALLENGE)
            return await handler(request)

        return guarded

    async def health(self, request: Request) -> Response:
        """Whether questions are taken; says nothing about tasks or sessions."""
        return json_response({"ok": True})

    async def ask(self, request: Request) -> Response:
        """One question of one session."""
        token = bearer(request)
        session = await self._desk.session_of(token) if token else None
        if session is None:
            raise Refused(401, "not_a_session", "send the session's credential", headers=_CHALLENGE)
        check_rate(self._limit, session)
        sent = await json_object(request)
        asked = wire.read_object(sent)
        if not isinstance(asked, wire.Ask):
            return from_wire(asked)
        return from_wire(wire.told(await self._desk.ask(session, asked.question, asked.request_id)))

    async def mint(self, request: Request) -> Response:
        """A new session, with its credential."""
        sent = await json_object(request)
        task = text(sent, "task")
        if task is None and len(self._desk.tasks) == 1:
            task = next(iter(self._desk.tasks))
        if task is None:
            raise Refused(400, "invalid_task", "say which task")
        exposure, budget = text(sent, "exposure"), number(sent, "budget", most=MAX_BUDGET)
        try:
            minted = await self._desk.mint(task, exposure, budget)
        except UsageError as error:
            status = 404 if error.where == "task" else 400
            raise Refused(status, f"invalid_{error.where}", error.message) from None
        document = {
            "session": minted.name,
            "credential": minted.credential,
            "task": minted.header.task,
            "exposure": minted.header.level,
            "router": minted.header.router,
            "budget": minted.header.budget,
            "ask": "/v1/questions",
        }
        return json_response(document, 201)

    async def list_sessions(self, request: Request) -> Response:
        """Sessions by the order of minting, a page at a time."""
        wanted = _query(request, "after", "limit", "task")
        after = (await self._row(wanted["after"])).id if "after" in wanted else 0
        limit = _limit(wanted.get("limit"))
        rows = await self._desk.store.page(after, limit + 1, wanted.get("task"))
        shown = rows[:limit]
        more = shown[-1].name if len(rows) > limit else None
        return json_response({"sessions": [_summary(row) for row in shown], "next": more})

    async def show(self, request: Request) -> Response:
        """One session in short."""
        return json_response(_summary(await self._named(request)))

    async def read_log(self, request: Request) -> Response:
        """One session whole, as the artifact that runs keep."""
        log_ = await self._desk.store.log(await self._named(request))
        return Response(log_.to_bytes(), 200, {"cache-control": "no-store"}, "application/json")

    async def measure(self, request: Request) -> Response:
        """One session's figures."""
        return json_response(self._statistics([await self._desk.store.log(await self._named(request))]))

    async def measure_all(self, request: Request) -> Response:
        """The figures of all sessions, or of one task's, macro-averaged over tasks."""
        task = _query(request, "task").get("task")
        logs: list[SessionLog] = []
        await self._desk.logs(lambda one: logs.append(without_texts(one)), task)
        return json_response({name: value for name, value in self._statistics(logs).items() if name != "each"})

    async def close(self, request: Request) -> Response:
        """No more questions in one session; what was stored stays."""
        row = await self._named(request)
        await self._desk.close(row)
        row = await self._row(row.name)
        await self._closed(row)
        return json_response(_summary(row))

    async def _named(self, request: Request) -> SessionRow:
        return await self._row(request.path_params["session"])

    async def _row(self, name: str) -> SessionRow:
        row = await self._desk.store.by_name(name) if _NAME.fullmatch(name) else None
        if row is None:
            raise Refused(404, "no_such_session", "there is no session of this name")
        return row


def check_rate(limit: RateLimit, key: Any) -> None:
    """Raises Refused (429) when ``key`` has spoken too often."""
    if seconds := limit.wait(key):
        detail = "slow down; nothing was charged"
        raise Refused(429, "too_many_requests", detail, headers={"retry-after": str(seconds)})


def without_texts(one: SessionLog) -> SessionLog:
    """The same without what was said, which figures do not need and memory does."""
    turns = tuple(turn.model_copy(update={"question": "", "reply": ""}) for turn in one.turns)
    return one.model_copy(update={"turns": turns})


def _summary(row: SessionRow) -> dict[str, Any]:
    header = row.header
    return {
        "session": row.name,
        "task": header.task,
        "exposure": header.level,
        "router": header.router,
        "budget": header.budget,
        "asked": row.asked,
        "closed": row.closed,
    }


def _query(request: Request, *names: str) -> dict[str, str]:
    """The query, each name at most once. A misspelt one is refused: it would give another answer than was wanted."""
    sent = request.query_params.multi_items()
    found = dict(sent)
    if len(found) < len(sent) or not set(found) <= set(names):
        raise Refused(400, "invalid_query", f"the query may hold {', '.join(names)}, each once")
    return found


def _limit(value: str | None) -> int:
    if value is None:
        return 100
    if not re.fullmatch(r"[0-9]{1,4}", value) or not 1 <= int(value) <= MOST_LISTED:
        raise Refused(400, "invalid_limit", f"limit must be a whole number, 1 to {MOST_LISTED}")
    return int(value)


def _merged(routes: list[Route]) -> list[Route]:
    """One route a path, so that a method that a path does not have is told with all that it has."""
    by_path: dict[str, dict[str, Handler]] = {}
    for route in routes:
        for method in route.methods or ():
            by_path.setdefault(route.path, {})[method] = route.endpoint
    return [Route(path, _by_method(handlers), methods=sorted(handlers)) for path, handlers in by_path.items()]


def _by_method(handlers: dict[str, Handler]) -> Handler:
    async def handle(request: Request) -> Response:
        return await handlers[request.method](request)

    return handle

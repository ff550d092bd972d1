"""The published User Agent protocol for clients that exist: three ports, ``POST /`` with JSON on each.

Shapes and error texts are those of the released service; application errors are status 200 with ``status.ok`` false.
Three things differ on purpose. ``key`` is the operator's credential, and statistics need it as well (in the body, or as
a bearer token): whoever holds an ``append_id`` can ask, and nothing more. The asker gets reply and remaining budget,
and no ids, log or model text. And ``init`` takes ``task_id``, which binds the ``append_id`` to that one task, so that
an agent cannot spend the budget of another task.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from underspec.artifact.session import SessionLog
from underspec.errors import UnderspecError, UsageError
from underspec.stakeholder.service.api import Statistics, check_rate
from underspec.stakeholder.service.credentials import hashed, matches
from underspec.stakeholder.service.desk import MAX_BUDGET, Desk
from underspec.stakeholder.service.http import (
    Refused,
    bearer,
    json_object,
    json_response,
    log_failure,
    number,
    refuse,
    text,
)
from underspec.stakeholder.service.limits import RateLimit
from underspec.stakeholder.service.store import GroupRow
from underspec.stakeholder.session import DEFAULT_BUDGET, Answer

LEVELS = {"normal": "L1", "medium": "L2", "easy": "L3"}
_UNAVAILABLE = {"ok": False, "error": "unavailable"}

Answering = Callable[[dict[str, Any], Request], Awaitable[dict[str, Any]]]


class NotOk(Exception):
    """An application error: status 200, not ok."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.status = {"ok": False, "error": error, **more}


class Published:
    """The three applications over one desk."""

    def __init__(self, desk: Desk, operator: bytes, limit: RateLimit, statistics: Statistics) -> None:
        self._desk, self._operator, self._limit, self._statistics = desk, operator, limit, statistics

    def apps(self) -> tuple[Starlette, Starlette, Starlette]:
        """Those for init, ask and statistics."""
        return _app(self.init), _app(self.ask), _app(self.stats)

    async def init(self, sent: dict[str, Any], request: Request) -> dict[str, Any]:
        """A new ``append_id``."""
        self._check_key(sent, request)
        model = text(sent, "model")
        if not model:
            raise NotOk("missing model")
        difficulty = sent.get("difficulty", "normal")
        if not isinstance(difficulty, str) or difficulty not in LEVELS:
            raise NotOk("difficulty must be 'normal', 'medium', or 'easy'")
        budget = number(sent, "max_interactions", most=MAX_BUDGET)
        budget = DEFAULT_BUDGET if budget is None else budget
        task = self._task(text(sent, "task_id"))
        append_id = secrets.token_hex(16)
        await self._desk.store.mint_group(hashed(append_id), model, difficulty, budget, task)
        status = {"ok": True, "max_interactions": budget, "model": model, "difficulty": difficulty}
        return {"append_id": append_id, "status": status}

    async def ask(self, sent: dict[str, Any], request: Request) -> dict[str, Any]:
        """One question about one task."""
        group = await self._group(sent)
        check_rate(self._limit, ("group", group.id))
        name, question = text(sent, "task_id"), text(sent, "question", most=2**16)
        if not name or not question:
            raise NotOk("missing task_id/question")
        task = self._task(name)
        if group.task is not None and task != group.task:
            raise NotOk(f"no prd for {name}")
        assert task is not None
        try:
            session = await self._desk.join(group, task, LEVELS[group.difficulty])
        except UsageError:
            raise NotOk(f"no prd for {name}") from None
        outcome = await self._desk.ask(session, question, text(sent, "request_id", most=256))
        if isinstance(outcome, Answer):
            return {"data": {"reply": outcome.reply}, "status": {"ok": True, "remaining": outcome.remaining}}
        raise NotOk(outcome.reason, remaining=outcome.remaining)

    async def stats(self, sent: dict[str, Any], request: Request) -> dict[str, Any]:
        """Figures of one task, or of all that were asked about."""
        self._check_key(sent, request)
        if not sent.get("append_id"):
            raise NotOk("missing append_id")
        group = await self._group(sent)
        rows = await self._desk.store.of_group(group.id)
        logs = {row.header.task: await self._desk.store.log(row) for row in rows}
        name = text(sent, "task_id")
        if name:
            task = self._desk.task_named(name)
            if task is None or task not in logs:
                raise NotOk(f"no log for {name}")
            return {"stats": {**self._figures([logs[task]], group), "task_id": name}, "status": {"ok": True}}
        per_repo = {task: {**self._figures([log], group), "task_id": task} for task, log in logs.items()}
        total = self._figures(list(logs.values()), group)
        return {"stats": {**total, "per_repo": per_repo}, "status": {"ok": True}}

    def _figures(self, logs: list[SessionLog], group: GroupRow) -> dict[str, Any]:
        measured = self._statistics(logs)
        missed = [name for one in measured["each"] for name in one["missed"]] if len(logs) == 1 else None
        figures = {
            "model": group.model,
            "turns_used": measured["questions"],
            "max_interactions": group.budget,
            "budget_usage_rate": measured["budget_use"],
            "fallbacks": measured["fallbacks"],
            "fallback_rate": measured["fallback_rate"],
            "triggers_hit": sum(len(one["uncovered"]) for one in measured["each"]),
            "total_constraints": sum(len(log.hidden_ids) for log in logs),
            "constraint_coverage": measured["coverage"],
        }
        return figures if missed is None else {**figures, "missed_constraints": missed}

    def _check_key(self, sent: dict[str, Any], request: Request) -> None:
        key = sent.get("key")
        token = key if isinstance(key, str) else bearer(request)
        if not token or not matches(token, self._operator):
            raise NotOk("invalid key")

    async def _group(self, sent: dict[str, Any]) -> GroupRow:
        append_id = sent.get("append_id")
        group = await self._desk.store.group(hashed(append_id)) if isinstance(append_id, str) else None
        if group is None:
            raise NotOk("invalid append_id")
        return group

    def _task(self, name: str | None) -> str | None:
        if name is None:
            return None
        task = self._desk.task_named(name)
        if task is None:
            raise NotOk(f"no prd for {name}")
        return task


def _app(answering: Answering) -> Starlette:
    async def handle(request: Request) -> Response:
        try:
            return json_response(await answering(await json_object(request), request))
        except NotOk as error:
            return json_response({"data": None, "status": error.status})

    handlers: dict[Any, Any] = {Refused: refuse, HTTPException: refuse, UnderspecError: _fail, Exception: _fail}
    app = Starlette(routes=[Route("/", handle, methods=["POST"])], exception_handlers=handlers)
    app.router.redirect_slashes = False
    return app


async def _fail(request: Request, error: Exception) -> Response:
    log_failure(request, error)
    return json_response({"data": None, "status": _UNAVAILABLE})

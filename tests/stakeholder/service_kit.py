"""The service without sockets: its applications over a database in a folder, and clients that speak to them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.stakeholder.toy import FixedRouter, small_records
from underspec.cli.serve import session_statistics
from underspec.stakeholder.router import Router
from underspec.stakeholder.service.database import Database
from underspec.stakeholder.service.desk import ServedTask
from underspec.stakeholder.service.running import Settings, applications
from underspec.stakeholder.service.store import SessionStore

OPERATOR = "operator-0123456789"
ANSWER = "Answer of C1.\nSecond line."
TASKS = (
    ServedTask("toy", {"L1": small_records(), "L2": small_records()}),
    ServedTask("realcode-001", {"L1": small_records()}),
)


@dataclass(frozen=True)
class Served:
    """Clients of the API and of the three published ports, and what is behind them."""

    api: httpx.AsyncClient
    init: httpx.AsyncClient
    asking: httpx.AsyncClient
    stats: httpx.AsyncClient
    store: SessionStore
    database: Database

    async def as_operator(self, method: str, path: str, **more: Any) -> httpx.Response:
        """One request with the operator's credential."""
        return await self.api.request(method, path, headers={"authorization": f"Bearer {OPERATOR}"}, **more)

    async def mint(self, **wanted: Any) -> tuple[str, str]:
        """Name and credential of a new session."""
        told = (await self.as_operator("POST", "/v1/sessions", json={"task": "toy", **wanted})).json()
        return told["session"], told["credential"]

    async def ask(self, credential: str, question: Any, **more: Any) -> httpx.Response:
        """One question with a session's credential."""
        headers = {"authorization": f"Bearer {credential}"}
        return await self.api.post("/v1/questions", headers=headers, json={"question": question, **more})


@contextlib.asynccontextmanager
async def served(
    folder: Path,
    *,
    router: Router | None = None,
    rate: float = 1e6,
    docs: bool = False,
    tasks: tuple[ServedTask, ...] = TASKS,
    publish: Path | None = None,
    answer_seconds: float = 60,
) -> AsyncIterator[Served]:
    """The service over ``folder/db``; closing and opening it again is a restart."""
    settings = Settings(
        tasks=tasks,
        router=router or FixedRouter(),
        exposure="L1",
        budget=16,
        host="127.0.0.1",
        ports=(0, 0, 0, 0),
        db=folder / "db",
        operator=OPERATOR,
        rate=rate,
        docs=docs,
        publish=publish,
        statistics=session_statistics,
        answer_seconds=answer_seconds,
    )
    database = Database.open(settings.db)
    store = SessionStore(database)
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(database.close)
        clients = []
        for app in applications(settings, store):
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            client = httpx.AsyncClient(transport=transport, base_url="http://service")
            clients.append(await stack.enter_async_context(client))
        api, init, asking, stats = clients
        yield Served(api, init, asking, stats, store, database)


def run(folder: Path, work: Callable[[Served], Awaitable[None]], **more: Any) -> None:
    """Run ``work`` against a service over ``folder``."""

    async def go() -> None:
        async with served(folder, **more) as service:
            await work(service)

    asyncio.run(go())

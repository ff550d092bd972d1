"""The service put together: database, desk, both protocols, and the order in which they come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.threads import in_thread
from underspec.errors import StakeholderError, UnderspecError
from underspec.stakeholder.router import Router
from underspec.stakeholder.service.api import Api, Statistics
from underspec.stakeholder.service.credentials import hashed
from underspec.stakeholder.service.database import Database
from underspec.stakeholder.service.desk import Desk, ServedTask
from underspec.stakeholder.service.limits import BURST, RateLimit
from underspec.stakeholder.service.publish import publish, publish_all
from underspec.stakeholder.service.published import Published
from underspec.stakeholder.service.server import Application, listen, port_of, serve
from underspec.stakeholder.service.store import SessionRow, SessionStore

PREPARE_SECONDS = 30.0
_NOTED_SECONDS = 1.0


@dataclass(frozen=True)
class Settings:
    """All that decides a service. ``ports`` are the API's, then those of the published protocol, if it is spoken."""

    tasks: Sequence[ServedTask]
    router: Router
    exposure: str
    budget: int
    host: str
    ports: Sequence[int]
    db: Path
    operator: str
    rate: float
    docs: bool
    publish: Path | None
    statistics: Statistics
    answer_seconds: float = 120.0
    note: Callable[[str], None] = lambda line: None


async def run(settings: Settings, ready: Callable[[list[str]], None]) -> None:
    """Serve until asked to end. ``ready`` is given the addresses once all of them answer.

    Raises:
        UsageError: nothing can listen there, or the database is in use.
        StoreError, HostExhaustedError: the database, or a published log, is of no use.
    """
    sockets = [listen(settings.host, port) for port in settings.ports]
    try:
        database = Database.open(settings.db)
        try:
            store = SessionStore(database)
            apps = applications(settings, store)
            await prepare(settings)
            addresses = [_address(settings.host, port_of(sock)) for sock in sockets]
            await serve(list(zip(sockets, apps, strict=True)), lambda: ready(addresses))
            if settings.publish is not None:
                await publish_all(store, settings.publish)
        finally:
            await database.close()
    finally:
        for sock in sockets:
            sock.close()


def applications(settings: Settings, store: SessionStore) -> list[Application]:
    """The ASGI applications over ``store``, one for each port."""
    desk = Desk(
        store,
        settings.tasks,
        settings.router,
        exposure=settings.exposure,
        budget=settings.budget,
        answer_seconds=settings.answer_seconds,
    )
    operator = hashed(settings.operator)
    limit = RateLimit(settings.rate, max(BURST, round(settings.rate)))

    async def closed(row: SessionRow) -> None:
        if settings.publish is not None:
            await publish(store, row, settings.publish)

    api = Api(desk, operator, limit, settings.statistics, closed)
    apps: list[Application] = [api.app(docs=settings.docs)]
    if len(settings.ports) > 1:
        apps += Published(desk, operator, limit, settings.statistics).apps()
    return apps


async def prepare(settings: Settings) -> None:
    """Let a router that works on this machine make what it needs of each task, so that no first question waits for it.

    Such routers have ``route_now``; others, whose questions cost, are not asked. After :data:`PREPARE_SECONDS` the rest
    is left to first questions.

    Raises:
        StakeholderError: the router fails.
    """
    route_now = getattr(settings.router, "route_now", None)
    if route_now is None:
        return
    loop = asyncio.get_running_loop()
    end = loop.time() + PREPARE_SECONDS
    for number, task in enumerate(settings.tasks, 1):
        records, start = task.levels.get(settings.exposure), loop.time()
        if records is not None and loop.time() < end:
            try:
                await in_thread(route_now, "How is it done?", records)
            except UnderspecError:
                raise
            except Exception as error:
                # A router is a plug-in; one that fails here would fail everybody who asks.
                name = settings.router.name
                raise StakeholderError(f"the router {name!r} cannot route about {task.id}: {error!r}") from error
        if loop.time() - start > _NOTED_SECONDS:
            settings.note(f"router {settings.router.name}: {task.id} made ready ({number} of {len(settings.tasks)})")


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

"""The service put together: database, desk, both protocols, and the order in which they come and go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

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


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

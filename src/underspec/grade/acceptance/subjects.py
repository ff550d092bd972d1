"""Sandboxes with the deliverable, one after another, each as it was delivered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from underspec.sandbox.protocol import Sandbox


class Subjects:
    """Hands out started sandboxes. The next one starts while the last one is in use, and old ones are removed
    meanwhile."""

    def __init__(self, create: Callable[[], Sandbox]) -> None:
        self._create = create
        self._next: asyncio.Task[Sandbox] | None = None
        self._current: Sandbox | None = None
        self._leaving: set[asyncio.Task[None]] = set()

    async def _started(self) -> Sandbox:
        sandbox = self._create()
        try:
            await sandbox.start()
        except BaseException:
            await sandbox.close()
            raise
        return sandbox

    async def fresh(self) -> Sandbox:
        """A sandbox in which nothing has run yet; the one before is removed.

        Raises:
            SandboxError: it could not be started.
        """
        self._retire()
        upcoming, self._next = self._next or asyncio.create_task(self._started()), None
        self._current = await upcoming
        self._next = asyncio.create_task(self._started())
        return self._current

    def _retire(self) -> None:
        if self._current is not None:
            self._remove(self._current.close())
            self._current = None

    def _remove(self, work: Coroutine[Any, Any, None]) -> None:
        leaving = asyncio.create_task(work)
        self._leaving.add(leaving)

    async def close(self) -> None:
        """Remove every one of them."""
        self._retire()
        upcoming, self._next = self._next, None
        if upcoming is not None:
            self._remove(_close_when_started(upcoming))
        ended = await asyncio.gather(*self._leaving, return_exceptions=True)
        self._leaving.clear()
        for problem in ended:
            if isinstance(problem, BaseException):
                raise problem


async def _close_when_started(upcoming: asyncio.Task[Sandbox]) -> None:
    await asyncio.wait({upcoming})
    if not upcoming.cancelled() and upcoming.exception() is None:
        await upcoming.result().close()

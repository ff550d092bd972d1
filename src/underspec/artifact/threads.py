"""Blocking work beside the event loop, which is never left half-way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run ``function`` in a thread, so that other items, their heartbeats and their question channels go on meanwhile.

    Once begun it ends, even if the caller is cancelled: the cancellation is passed on afterwards. So nobody gives back
    a claim, or wipes a folder, in which a thread is still at work.
    """
    return await to_the_end(asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs)))


async def to_the_end(running: asyncio.Future[T]) -> T:
    """The result of ``running``, waited for even if the caller is cancelled meanwhile; then that is passed on."""
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait({running})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled from running.exception()
    return running.result()

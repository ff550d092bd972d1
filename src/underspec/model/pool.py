"""Several endpoints of one model: which one to use next. Pure: the clock is handed in."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from underspec.model.signals import Signal

FIRST_ASIDE_SECONDS = 5.0
LONGEST_ASIDE_SECONDS = 300.0
CREDENTIALS_ASIDE_SECONDS = 300.0


@dataclass
class _Health:
    failures: int = 0
    aside_until: float = 0.0


class Pool:
    """Endpoints by position. One that fails is put aside, longer each time, until it answers again.

    A request that is too large, malformed or refused says nothing about the endpoint, and puts none aside.
    """

    def __init__(self, size: int, *, now: Callable[[], float] = time.monotonic) -> None:
        self._health = [_Health() for _ in range(size)]
        self._now = now
        self._next = 0

    def pick(self, tried: Collection[int] = ()) -> int | None:
        """The next endpoint in turn that is not aside; None when all others are aside or were tried.

        The first pick of a request always finds one: the one that comes back first.
        """
        size = len(self._health)
        now = self._now()
        for step in range(size):
            place = (self._next + step) % size
            if place not in tried and self._health[place].aside_until <= now:
                self._next = (place + 1) % size
                return place
        if tried:
            return None
        return min(range(size), key=lambda place: self._health[place].aside_until)

    def answered(self, place: int) -> None:
        """It works."""
        self._health[place] = _Health()

    def failed(self, place: int, signal: Signal, *, retry_after: float | None = None) -> None:
        """It does not; puts it aside unless that was the request's doing."""
        if signal.by_request:
            return
        health = self._health[place]
        seconds = min(FIRST_ASIDE_SECONDS * 2.0**health.failures, LONGEST_ASIDE_SECONDS)
        if signal in (Signal.CREDENTIALS, Signal.NOT_FOUND):
            seconds = CREDENTIALS_ASIDE_SECONDS
        if retry_after is not None:
            seconds = min(max(seconds, retry_after), LONGEST_ASIDE_SECONDS)
        health.failures += 1
        health.aside_until = self._now() + seconds

    def aside(self) -> tuple[int, ...]:
        """Positions that are not to be used now."""
        now = self._now()
        return tuple(place for place, health in enumerate(self._health) if health.aside_until > now)

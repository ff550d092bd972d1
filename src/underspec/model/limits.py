"""Limits of a phase, the watchdog, and whose failure a stop is (design section 8). Pure: the clock is handed in.

The phase clock stands still while every open model call is held up by rate limits or overload: a provider's storm
does not eat the agent's time. The watchdog looks at the real clock, so a storm without end ends the phase all the same.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from underspec.errors import AgentError, Boundary, ModelServiceError, UnderspecError, UsageError
from underspec.model.cost_counter import CostCounter

INACTIVITY_SECONDS = 900.0
MOST_PAUSE_SECONDS = 6 * 3600.0

LimitName = Literal["time", "tokens", "cost", "turns", "inactivity"]
Layer = Literal["phase", "run", "watchdog"]


@dataclass(frozen=True)
class Limits:
    """What a phase may use; None is no limit.

    Time and inactivity end a phase; what can be spent is looked at when another call is asked for.

    ``seconds`` of the phase clock; ``tokens`` in and out together, cached ones included; ``cost`` in dollars; ``turns``
    are answered calls. Tokens, cost and turns count the builder alone: nobody else spends an agent's quota.
    ``inactivity`` are real seconds without progress of a model or a tool. ``most_pause`` bounds what storms give back.
    """

    seconds: float | None = None
    tokens: int | None = None
    cost: float | None = None
    turns: int | None = None
    inactivity: float | None = INACTIVITY_SECONDS
    most_pause: float = MOST_PAUSE_SECONDS


@dataclass(frozen=True)
class Stop:
    """Why a phase was ended: who enforced which limit, at which value, after how many seconds of the phase clock.

    ``paused`` are the seconds that storms gave back; ``boundary`` is whose failure it is.
    """

    layer: Layer
    limit: LimitName
    bound: float
    value: float
    elapsed: float
    paused: float
    boundary: Boundary

    def error(self) -> UnderspecError:
        """The typed error of this stop."""
        said = f"{self.layer} limit on {self.limit}: {self.value:g} of {self.bound:g} after {self.elapsed:.1f} s"
        if self.layer == "run":
            mend = "raise --max-cost and run the same command again"
            return CostLimitError(said, mend=mend)
        kind = ModelStandstillError if self.boundary is Boundary.MODEL_SERVICE else LimitReachedError
        return kind(said, self)


class LimitReachedError(AgentError):
    """The agent used up a limit of its own, or stood still."""

    def __init__(self, message: str, stop: Stop) -> None:
        super().__init__(message)
        self.stop = stop


class ModelStandstillError(ModelServiceError):
    """Nothing moved for too long while a model call was open."""

    def __init__(self, message: str, stop: Stop) -> None:
        super().__init__(message)
        self.stop = stop


class CostLimitError(UsageError):
    """The run's ``--max-cost`` is spent. The run can go on where it stopped."""


@dataclass
class _OpenCall:
    waiting: bool = False


class PhaseWatch:
    """Counts what a phase uses and says when, and why, it has to end.

    For one event loop. Model calls report themselves (:class:`underspec.model.metered.MeteredModel`); tools report by
    :meth:`progress`.

    Args:
        limits: what may be used.
        run_cost: the counter of the whole run, with its own limit.
        now: seconds, monotonic.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        run_cost: CostCounter | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits = limits or Limits()
        self._run_cost = run_cost
        self._now = now
        self._began = self._progressed = now()
        self._calls: dict[int, _OpenCall] = {}
        self._numbers = itertools.count()
        self._paused = 0.0
        self._paused_since: float | None = None
        self._tokens = self._turns = 0
        self._cost = 0.0
        self._call_wanted = self._quota_wanted = False
        self._stop: Stop | None = None
        self._failure: UnderspecError | None = None
        self._changed: asyncio.Event | None = None

    # what happens

    def progress(self) -> None:
        """A tool, or a model, did something."""
        self._progressed = self._now()

    def call_opened(self) -> int:
        """A model call begins; returns its number for the other calls."""
        number = next(self._numbers)
        self._calls[number] = _OpenCall()
        self.progress()
        self._reckon()
        return number

    def call_waits(self, number: int) -> None:
        """Rate limit or overload holds this call up."""
        self._calls[number].waiting = True
        self._reckon()

    def call_resumed(self, number: int) -> None:
        """The call is tried again."""
        self._calls[number].waiting = False
        self._reckon()

    def call_closed(
        self, number: int, *, tokens: int = 0, cost: float | None = None, counted: bool = False, answered: bool = True
    ) -> None:
        """The call has ended. ``counted``: tokens, cost and turn are the agent's own."""
        del self._calls[number]
        self._reckon()
        if answered:
            self.progress()
        if counted:
            self._tokens += tokens
            self._cost += cost or 0.0
            self._turns += answered
        if cost and self._run_cost is not None:
            self._run_cost.add(cost)
        self._tell()

    def fail(self, error: UnderspecError) -> None:
        """Something that is nobody's limit makes the phase pointless, such as a provider that is down."""
        self._failure = self._failure or error
        self._tell()

    # what is to be seen

    @property
    def paused(self) -> float:
        """Seconds that storms have given back."""
        running = 0.0 if self._paused_since is None else self._now() - self._paused_since
        return min(self._paused + running, self.limits.most_pause)

    @property
    def elapsed(self) -> float:
        """Seconds of the phase clock."""
        return self._now() - self._began - self.paused

    @property
    def model_call_open(self) -> bool:
        """Whether somebody waits for a model."""
        return bool(self._calls)

    def check(self) -> Stop | None:
        """The first limit reached, if one is. Once reached, it stays."""
        if self._stop is None:
            self._stop = self._find()
        return self._stop

    def refuse_call(self, *, counted: bool = True) -> None:
        """Raise what ends the phase, if anything does: no call begins after that. ``counted``: the agent's own.

        Raises:
            LimitReachedError, ModelStandstillError, CostLimitError: see :meth:`Stop.error`.
            UnderspecError: what :meth:`fail` was told.
        """
        self._call_wanted, self._quota_wanted = True, counted
        if error := self.ended():
            self._tell()
            raise error
        self._call_wanted = self._quota_wanted = False

    def ended(self) -> UnderspecError | None:
        """What ends the phase, if anything does."""
        if self._failure is not None:
            return self._failure
        stop = self.check()
        return stop.error() if stop else None

    def due(self) -> float | None:
        """Seconds until time alone could end the phase; None if it cannot."""
        left: list[float] = []
        if self.limits.seconds is not None:
            left.append(self.limits.seconds - self.elapsed)
        if self.limits.inactivity is not None:
            left.append(self.limits.inactivity - (self._now() - self._progressed))
        return max(0.0, min(left)) if left else None

    async def stopped(self, sleep_at_least: float = 0.05) -> UnderspecError:
        """Wait until the phase has to end; returns why, as :meth:`ended` does."""
        self._changed = self._changed or asyncio.Event()
        while (error := self.ended()) is None:
            self._changed.clear()
            due = self.due()
            try:
                async with asyncio.timeout(None if due is None else max(due, sleep_at_least)):
                    await self._changed.wait()
            except TimeoutError:
                continue
        return error

    # how it is reckoned

    def _tell(self) -> None:
        if self._changed is not None:
            self._changed.set()

    def _reckon(self) -> None:
        """Start or end a pause."""
        held = bool(self._calls) and all(call.waiting for call in self._calls.values())
        if held and self._paused_since is None:
            self._paused_since = self._now()
        elif not held and self._paused_since is not None:
            self._paused += self._now() - self._paused_since
            self._paused_since = None
        self._tell()

    def _find(self) -> Stop | None:
        limits = self.limits
        if self._call_wanted and self._run_cost is not None and self._run_cost.reached:
            bound = self._run_cost.limit or 0.0
            return self._stopped("run", "cost", bound, self._run_cost.spent, Boundary.HARNESS)
        used: list[tuple[LimitName, float | None, float]] = [("time", limits.seconds, self.elapsed)]
        if self._quota_wanted:
            # Spent to the last, and yet no limit for an agent that needs no more: who ends by itself is done.
            used += [
                ("tokens", limits.tokens, self._tokens),
                ("cost", limits.cost, self._cost),
                ("turns", limits.turns, self._turns),
            ]
        for name, most, value in used:
            if most is not None and value >= most:
                return self._stopped("phase", name, most, value, Boundary.AGENT)
        idle = self._now() - self._progressed
        if limits.inactivity is not None and idle >= limits.inactivity:
            whose = Boundary.MODEL_SERVICE if self.model_call_open else Boundary.AGENT
            return self._stopped("watchdog", "inactivity", limits.inactivity, idle, whose)
        return None

    def _stopped(self, layer: Layer, limit: LimitName, bound: float, value: float, boundary: Boundary) -> Stop:
        return Stop(layer, limit, bound, value, self.elapsed, self.paused, boundary)

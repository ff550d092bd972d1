"""The tap between Inspect and its providers: counts attempts, tells waiting from working, and goes round endpoints.

The provider's own object is kept and only its ``generate`` replaced, because the agent bridge looks at a provider's
class to speak its dialect.
"""

from __future__ import annotations

import random
import time
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput
from inspect_ai.model._stream import _model_stream_observer, model_stream_observer
from inspect_ai.tool import ToolChoice, ToolInfo
from pydantic import BaseModel
from tenacity import RetryCallState
from tenacity.wait import wait_base

from underspec.model.limits import PhaseWatch
from underspec.model.pool import Pool
from underspec.model.signals import Signal, retry_after_of, signal_of
from underspec.model.unicode import serialisable

FIRST_WAIT_SECONDS = 2.0
LONGEST_WAIT_SECONDS = 60.0
LONGEST_ASKED_WAIT_SECONDS = 300.0
_TAPPED = "_underspec_tapped"


@dataclass
class CallState:
    """One logical call, as seen by its attempts. ``number`` is the watch's."""

    watch: PhaseWatch
    number: int
    attempts: int = 0
    endpoint: int | None = None
    output: ModelOutput | None = None
    waited: float = 0.0
    cut_off: bool = False
    _waiting_since: float | None = None

    def begin_attempt(self) -> None:
        """An attempt starts; whatever held the call up is over."""
        self.end_wait()
        self.attempts += 1

    def wait(self) -> None:
        """The API said: later."""
        if self._waiting_since is None:
            self._waiting_since = time.monotonic()
            self.watch.call_waits(self.number)

    def end_wait(self) -> None:
        """The call is tried again, or given up."""
        if self._waiting_since is not None:
            self.waited += time.monotonic() - self._waiting_since
            self._waiting_since = None
            self.watch.call_resumed(self.number)


current_call: ContextVar[CallState | None] = ContextVar("underspec_model_call", default=None)


class _Heartbeat:
    """What a provider reports its chunks to, so that a long answer that still flows counts as progress."""

    def __init__(self, inner: Any, watch: PhaseWatch) -> None:
        self._inner = inner
        self._watch = watch

    def stream_started(self) -> None:
        self._watch.progress()
        self._inner.stream_started()

    def report_progress(self, output_tokens: int | None = None) -> None:
        self._watch.progress()
        self._inner.report_progress(output_tokens)

    async def report_delta(self, delta: Any) -> None:
        self._watch.progress()
        await self._inner.report_delta(delta)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Backoff(wait_base):
    """Seconds between attempts: growing, never beyond a minute, so that the end of a storm is noticed; what the API
    asks for by Retry-After is kept, up to five minutes."""

    def __call__(self, retry_state: RetryCallState) -> float:
        growing = FIRST_WAIT_SECONDS * 2.0 ** min(retry_state.attempt_number - 1, 10)
        own = min(growing + random.uniform(0, 1), LONGEST_WAIT_SECONDS)
        error = retry_state.outcome.exception() if retry_state.outcome else None
        asked = retry_after_of(error) if error is not None else None
        return max(own, min(asked or 0.0, LONGEST_ASKED_WAIT_SECONDS))


def tap(apis: list[ModelAPI], *, patient: bool = True) -> ModelAPI:
    """Make ``apis``, which serve the same model, one: the first, whose calls go round all of them.

    A single one that has its tap already keeps it: two would count every attempt twice.
    """
    first = apis[0]
    if len(apis) == 1 and getattr(first, _TAPPED, False):
        return first
    originals = [api.generate for api in apis]
    pool = Pool(len(apis))

    async def generate(
        input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> Any:
        call = current_call.get()
        if call is None:
            return await originals[0](input, tools, tool_choice, config)
        if call.cut_off and call.endpoint is not None:
            # Inspect gave the last attempt up for lasting too long.
            pool.failed(call.endpoint, Signal.TIMEOUT)
            call.cut_off = False
        tried: set[int] = set()
        place = pool.pick()
        while place is not None:
            call.begin_attempt()
            call.endpoint = place
            tried.add(place)
            try:
                result = await _attempt(originals[place], call, input, tools, tool_choice, config)
            except Exception as error:
                following = _after(error, place, pool, tried, call)
                if following is None:
                    raise
                place = following
                continue
            if isinstance(result, tuple):
                result = tuple(serialisable(each) if isinstance(each, BaseModel) else each for each in result)
            elif isinstance(result, BaseModel):
                result = serialisable(result)
            output = result[0] if isinstance(result, tuple) else result
            if isinstance(output, Exception):
                following = _after(output, place, pool, tried, call)
                if following is None:
                    return result
                place = following
                continue
            pool.answered(place)
            call.output = output
            return result
        raise AssertionError("a pool is never empty")

    setattr(first, _TAPPED, True)
    setattr(first, "generate", generate)  # noqa: B010  # a method of the object, on purpose
    if patient:
        setattr(first, "retry_wait", Backoff)  # noqa: B010
    return first


async def _attempt(original: Any, call: CallState, *args: Any) -> Any:
    """One attempt. Only if it is cancelled does ``cut_off`` stay set."""
    observer = _model_stream_observer.get()
    call.cut_off = True
    try:
        if observer is None:
            result = await original(*args)
        else:
            with model_stream_observer(_Heartbeat(observer, call.watch)):  # type: ignore[arg-type]
                result = await original(*args)
    except Exception:
        call.cut_off = False
        raise
    call.cut_off = False
    return result


def _after(error: Exception, place: int, pool: Pool, tried: set[int], call: CallState) -> int | None:
    """Where to go on after a failure; None to give the failure to Inspect, which waits and tries again or gives up."""
    signal = signal_of(error)
    pool.failed(place, signal, retry_after=retry_after_of(error))
    following = None if signal.by_request else pool.pick(tried)
    if following is None and signal.storm:
        call.wait()
    return following

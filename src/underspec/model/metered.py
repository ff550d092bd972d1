"""A Model of Inspect's that writes the ledger and obeys the watch, whoever calls it: our code, a loop, or a bridge."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from inspect_ai._util.notgiven import NOT_GIVEN, NotGiven
from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StreamHandler,
)
from inspect_ai.tool import Tool, ToolChoice, ToolDef, ToolInfo, ToolSource

from underspec.artifact.ledger import Kind, Outcome
from underspec.errors import ModelServiceError, UnderspecError
from underspec.model.ledger import Ledger
from underspec.model.limits import PhaseWatch
from underspec.model.prices import Prices, Tokens
from underspec.model.signals import Signal, signal_of
from underspec.model.tap import CallState, current_call

T = TypeVar("T")

_THINKING_FIELDS = ("reasoning_effort", "reasoning_tokens", "effort", "reasoning_mode")
_NO_CONFIG = GenerateConfig()
# A provider that answered with one of these has billed nothing; after the others nobody knows.
_UNBILLED = frozenset(
    {Signal.RATE_LIMIT, Signal.OVERLOAD, Signal.SERVER, Signal.CREDENTIALS, Signal.NOT_FOUND}
    | {Signal.TOO_LARGE, Signal.BAD_REQUEST}
)


@dataclass(frozen=True)
class Meter:
    """Where calls are counted, and under which names."""

    name: str
    role: str
    phase: str
    ledger: Ledger
    watch: PhaseWatch
    prices: Prices
    counted: bool
    fixed_thinking: bool


class MeteredModel(Model):
    """See :func:`underspec.model.models.open_model`."""

    def __init__(self, api: ModelAPI, config: GenerateConfig, args: dict[str, Any], meter: Meter) -> None:
        super().__init__(api, config, args)
        self.meter = meter
        self._set_role(meter.role)

    async def generate(
        self,
        input: str | list[ChatMessage],
        tools: Sequence[Tool | ToolDef | ToolInfo | ToolSource] | ToolSource = (),
        tool_choice: ToolChoice | None = None,
        config: GenerateConfig = _NO_CONFIG,
        cache: bool | CachePolicy | NotGiven = NOT_GIVEN,
        on_stream: StreamHandler | None = None,
    ) -> ModelOutput:
        """Inspect's, with one line of the ledger a call.

        Raises:
            UnderspecError: a limit is reached; see :meth:`PhaseWatch.refuse_call`.
            Exception: whatever the provider raises, as Inspect passes it on.
        """
        if self.meter.fixed_thinking:
            # An agent's program asks for thinking of its own; the condition decides.
            config = config.model_copy(update=dict.fromkeys(_THINKING_FIELDS))
        generate = super().generate
        return await self._metered("generate", lambda: generate(input, tools, tool_choice, config, cache, on_stream))

    async def compact(self, *args: Any, **kwargs: Any) -> tuple[list[ChatMessage], ModelUsage | None]:
        """Inspect's, metered likewise."""
        compact = super().compact
        return await self._metered("compact", lambda: compact(*args, **kwargs))

    async def _metered(self, kind: Kind, work: Callable[[], Awaitable[T]]) -> T:
        meter = self.meter
        meter.watch.refuse_call(counted=meter.counted)
        call = CallState(meter.watch, meter.watch.call_opened())
        token = current_call.set(call)
        began = time.monotonic()
        try:
            result = await work()
        except Exception as error:
            unsent = isinstance(error, NotImplementedError) or (kind == "generate" and call.attempts == 0)
            if call.output is None and unsent:
                # Nothing was sent: a provider without compaction, a limit of Inspect's, or a message that is none.
                self._close(call, answered=False)
            elif call.output is None:
                self._close(call, answered=False)
                await self._store(self._line(kind, call, began, "error", signal=signal_of(error)))
                self._blame(error)
            else:
                # An answer came, and was paid for; what then failed is something else, such as a limit of Inspect's.
                line = self._line(kind, call, began, "ok", output=call.output)
                self._close(call, line=line)
                await self._store(line)
            raise
        except BaseException:
            done = call.output is not None
            line = self._line(kind, call, began, "ok" if done else "cancelled", output=call.output)
            self._close(call, line=line, answered=done)
            # Whoever is cancelled may not wait, and has to be cancelled whatever else goes wrong.
            with contextlib.suppress(UnderspecError), self._told():
                meter.ledger.store_now(**line)
            raise
        finally:
            current_call.reset(token)
        output = result if isinstance(result, ModelOutput) else None
        usage = result[1] if isinstance(result, tuple) else None
        line = self._line(kind, call, began, "ok", output=output, usage=usage)
        self._close(call, line=line)
        await self._store(line)
        return result

    async def _store(self, line: dict[str, Any]) -> None:
        with self._told():
            await self.meter.ledger.store(**line)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """A ledger that cannot be written ends the phase: to an agent it would look as if its model had failed."""
        try:
            yield
        except UnderspecError as error:
            self.meter.watch.fail(error)
            raise

    def _line(
        self,
        kind: Kind,
        call: CallState,
        began: float,
        outcome: Outcome,
        *,
        output: ModelOutput | None = None,
        usage: ModelUsage | None = None,
        signal: Signal | None = None,
    ) -> dict[str, Any]:
        call.end_wait()
        usage = usage or (output.usage if output is not None else None)
        stop = output.stop_reason if output is not None and not output.empty else None
        if outcome == "ok" and stop == "content_filter":
            outcome = "refused"
        tokens = Tokens() if usage is None else _tokens(usage)
        model = self._priced_as(output)
        price = self.meter.prices.find(model) if outcome in ("ok", "refused") else None
        cost = price.cost(tokens, cache_lifetime=self.api.cache_write_ttl()) if price else None
        if signal in _UNBILLED:
            cost = 0.0
        return {
            "role": self.meter.role,
            "phase": self.meter.phase,
            "model": self.meter.name,
            "kind": kind,
            "outcome": outcome,
            "error": None if signal is None else str(signal),
            "stop_reason": stop,
            "endpoint": call.endpoint,
            "input": tokens.input,
            "output": tokens.output,
            "cache_read": tokens.cache_read,
            "cache_write": tokens.cache_write,
            "reasoning": usage.reasoning_tokens if usage is not None else None,
            "local_cache": kind == "generate" and outcome in ("ok", "refused") and call.attempts == 0,
            "retries": max(0, call.attempts - 1),
            "waited": call.waited,
            "seconds": time.monotonic() - began,
            "price_source": self.meter.prices.source_of(model) if price else None,
            "cost": cost,
        }

    def _priced_as(self, output: ModelOutput | None) -> str:
        """The model whose price applies: another one, where the provider fell back to it."""
        if output is not None and output.fallback is not None:
            return f"{self.meter.name.split('/', 1)[0]}/{output.fallback.fallback_model}"
        return self.meter.name

    def _close(self, call: CallState, *, line: dict[str, Any] | None = None, answered: bool = True) -> None:
        line = line or {}
        parts = ("input", "output", "cache_read", "cache_write")
        self.meter.watch.call_closed(
            call.number,
            tokens=sum(line.get(part) or 0 for part in parts),
            cost=None if line.get("local_cache") else line.get("cost"),
            counted=self.meter.counted,
            answered=answered,
        )

    def _blame(self, error: Exception) -> None:
        """A provider that is down ends the phase: an agent that got no model is not measured."""
        signal = signal_of(error)
        if self.meter.counted and not signal.by_request:
            failure = ModelServiceError(f"the model {self.meter.name} failed: {signal} ({type(error).__name__})")
            failure.__cause__ = error
            self.meter.watch.fail(failure)


def _tokens(usage: ModelUsage) -> Tokens:
    return Tokens(
        input=usage.input_tokens,
        output=usage.output_tokens,
        cache_read=usage.input_tokens_cache_read,
        cache_write=usage.input_tokens_cache_write,
    )

"""The ledger as read back: one line a model call, and the sums that tables are made of.

Lines stand under attempts, since how long a call took belongs to one machine and one hour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from underspec.artifact.base import Artifact
from underspec.errors import StoreError

Outcome = Literal["ok", "refused", "error", "cancelled"]
Kind = Literal["generate", "compact"]

BUILDER = "builder"
TABLE_5_PHASES = frozenset({"build", "clarify", "implement"})
"""The phases whose builder calls make up a task's cost (SWE-Clar Table 5); all else stands beside it."""


class ModelCall(Artifact):
    """One call of a model, its retries included.

    Token counts are exclusive of each other as the provider bills them: ``input`` at the full rate, ``cache_read``
    and ``cache_write`` beside it; ``reasoning`` is part of ``output``. None: the provider did not say.

    ``outcome``: ``ok``; ``refused`` (the API's own refusal signal); ``error`` (``error`` names the signal, see
    :mod:`underspec.model.signals`; no provider's text stands here); ``cancelled`` (the caller went away meanwhile,
    so that nobody knows what was billed). ``local_cache``: answered from our own cache; tokens and cost are those of
    the answer, and nothing was billed. ``retries`` counts attempts after the first, on whatever endpoint; ``waited``
    are seconds in which rate limits or overload held the call up; ``endpoint`` is the position of the last one tried.
    ``cost`` is in dollars, null where unknown; ``price_source`` says which price.
    """

    schema_version: Literal[1] = 1
    number: int = Field(ge=1)
    role: str
    phase: str
    model: str
    kind: Kind = "generate"
    outcome: Outcome
    error: str | None = None
    stop_reason: str | None = None
    endpoint: int | None = None
    input: int | None = Field(default=None, ge=0)
    output: int | None = Field(default=None, ge=0)
    cache_read: int | None = Field(default=None, ge=0)
    cache_write: int | None = Field(default=None, ge=0)
    reasoning: int | None = Field(default=None, ge=0)
    local_cache: bool = False
    retries: int = Field(default=0, ge=0)
    waited: float = Field(default=0.0, ge=0)
    seconds: float = Field(ge=0)
    price_source: str | None = None
    cost: float | None = Field(default=None, ge=0)


@dataclass(frozen=True)
class Spending:
    """Sums over calls.

    ``cost`` is None where a call that was answered has no known cost: unknown is not 0. ``known_cost`` is the part that
    is known, ``uncosted`` how many answered calls it lacks. ``interrupted`` calls were cancelled; what they cost is
    known to the provider alone, and is not in ``cost``. ``billed`` leaves out what our own cache answered.
    """

    calls: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    retries: int = 0
    seconds: float = 0.0
    waited: float = 0.0
    known_cost: float = 0.0
    billed: float = 0.0
    uncosted: int = 0
    interrupted: int = 0
    refused: int = 0
    failed: int = 0

    @property
    def cost(self) -> float | None:
        """Dollars, or None where a part is unknown."""
        return None if self.uncosted else self.known_cost

    @property
    def tokens(self) -> int:
        """All tokens in and out, cached ones included."""
        return self.input + self.cache_read + self.cache_write + self.output


def spending(calls: Iterable[ModelCall]) -> Spending:
    """Sum ``calls``. Sums of dollars are exact to the last bit whatever the order."""
    lines = tuple(calls)
    costs = [line.cost for line in lines if line.cost is not None]
    return Spending(
        calls=len(lines),
        input=sum(line.input or 0 for line in lines),
        output=sum(line.output or 0 for line in lines),
        cache_read=sum(line.cache_read or 0 for line in lines),
        cache_write=sum(line.cache_write or 0 for line in lines),
        reasoning=sum(line.reasoning or 0 for line in lines),
        retries=sum(line.retries for line in lines),
        seconds=math.fsum(line.seconds for line in lines),
        waited=math.fsum(line.waited for line in lines),
        known_cost=math.fsum(costs),
        billed=math.fsum(line.cost for line in lines if line.cost is not None and not line.local_cache),
        uncosted=sum(line.cost is None and line.outcome in ("ok", "refused") for line in lines),
        interrupted=sum(line.outcome == "cancelled" for line in lines),
        refused=sum(line.outcome == "refused" for line in lines),
        failed=sum(line.outcome == "error" for line in lines),
    )


def total(parts: Iterable[Spending]) -> Spending:
    """Sums of sums."""
    listed = tuple(parts)
    sums: dict[str, Any] = {
        each.name: math.fsum(getattr(part, each.name) for part in listed)
        if each.type == "float"
        else sum(getattr(part, each.name) for part in listed)
        for each in fields(Spending)
    }
    return Spending(**sums)


def by_role(calls: Iterable[ModelCall]) -> dict[str, Spending]:
    """Sums for each role that called, in name order."""
    lines = tuple(calls)
    return {
        role: spending(line for line in lines if line.role == role) for role in sorted({each.role for each in lines})
    }


def task_cost(calls: Iterable[ModelCall]) -> Spending:
    """What an item cost as SWE-Clar Table 5 counts it: the builder's calls in clarify and implement, or build."""
    return spending(line for line in calls if line.role == BUILDER and line.phase in TABLE_5_PHASES)


def mean_task_cost(items: Sequence[Iterable[ModelCall]]) -> float | None:
    """Mean dollars an item (SWE-Clar Table 5). None without items, and where any item's cost is unknown."""
    costs = [task_cost(calls).cost for calls in items]
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(costs) else None


def read_ledger(path: Path) -> tuple[ModelCall, ...]:
    """Every call in the file, oldest first; none without a file. A torn last line, which a kill leaves, is no call.

    Raises:
        StoreError: a line elsewhere is damaged; names the file and the line.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise StoreError(f"cannot be read: {error.strerror}", file=str(path)) from error
    return parse_ledger(data, file=str(path))


def parse_ledger(data: bytes, *, file: str) -> tuple[ModelCall, ...]:
    """The same for bytes."""
    lines = data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]
    found: list[ModelCall] = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(ModelCall.from_bytes(line, file=file))
        except StoreError as error:
            error.where = f"line {number}, {error.where}"
            raise
    return tuple(found)

"""What every phase is given to work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from underspec.model.cost_counter import CostCounter
from underspec.model.prices import Prices
from underspec.sandbox.protocol import Owner, SandboxBackend


class Log(Protocol):
    """Appends one event to the attempt's log."""

    def __call__(self, event: str, **fields: Any) -> None: ...


@dataclass(frozen=True)
class Work:
    """The places of one attempt, and the means.

    ``attempt`` holds what is true of this attempt alone (its log, its session). ``artifact`` is an empty folder:
    what is in it at the end is published whole. ``scratch`` is wiped afterwards. ``progress`` takes a few words for
    the screen. ``run_cost`` counts what models cost in the whole run; ``prices`` are the packaged ones when None.
    """

    backend: SandboxBackend
    owner: Owner
    attempt: Path
    artifact: Path
    scratch: Path
    log: Log
    progress: Callable[[str], None]
    run_cost: CostCounter = field(default_factory=CostCounter)
    prices: Prices | None = None

"""What every phase is given to work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from underspec.sandbox.protocol import Owner, SandboxBackend


class Log(Protocol):
    """Appends one event to the attempt's log."""

    def __call__(self, event: str, **fields: Any) -> None: ...


@dataclass(frozen=True)
class Work:
    """The places of one attempt, and the means.

    ``attempt`` holds what is true of this attempt alone (its log, its session). ``artifact`` is an empty folder:
    what is in it at the end is published whole. ``scratch`` is wiped afterwards. ``progress`` takes a few words for
    the screen.
    """

    backend: SandboxBackend
    owner: Owner
    attempt: Path
    artifact: Path
    scratch: Path
    log: Log
    progress: Callable[[str], None]

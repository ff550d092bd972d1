"""What is tried, and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from underspec.sandbox.protocol import Owner, SandboxBackend

OWNER = Owner(run="selftest", purpose="selftest")

Group = Literal["cases", "acceptance", "sandbox", "next", "critic", "judge"]
GROUPS: dict[Group, str] = {
    "cases": "deliverables graded by black-box cases",
    "acceptance": "deliverables of commissions, accepted by private tests",
    "sandbox": "code that turns on its sandbox, its host or its neighbours",
    "next": "work that wants to reach the next item",
    "critic": "files that want to steer a critic",
    "judge": "answers that want to steer a judge",
}
Role = Literal["hostile", "honest"]

Run = Callable[[SandboxBackend, Path], Awaitable[str | None]]
"""From sandboxes and an empty folder to what was wrong with the verdict; None when it was right."""


@dataclass(frozen=True)
class Trial:
    """One piece of work. ``name`` says what the hostile one does, and is the same for the honest one beside it."""

    group: Group
    name: str
    role: Role
    run: Run


@dataclass(frozen=True)
class Result:
    """What came of a trial.

    ``wrong`` says in which way the verdict was, ``seconds`` how long it took, ``skipped`` why it could not be tried on
    this machine.
    """

    trial: Trial
    wrong: str | None
    seconds: float
    skipped: str | None = None

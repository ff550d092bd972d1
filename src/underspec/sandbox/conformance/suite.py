"""The list of checks, and how they are run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from underspec.errors import UnderspecError, UsageError
from underspec.sandbox.conformance import commands, ends, files, isolation, lifecycle, limits, workspaces
from underspec.sandbox.conformance.expect import NotApplicableError
from underspec.sandbox.protocol import SandboxBackend

_PATIENCE = 180.0
Run = Callable[[SandboxBackend], Awaitable[None]]


@dataclass(frozen=True)
class ConformanceCheck:
    """One check. ``run`` returns when the backend conforms, and raises an error of ours when it does not."""

    name: str
    about: str
    run: Run


@dataclass(frozen=True)
class Finding:
    """What a check found. ``ok`` is None where it cannot be made on this machine."""

    name: str
    about: str
    ok: bool | None
    seconds: float
    detail: str


def all_checks() -> list[ConformanceCheck]:
    """Every check, in the order in which they are run."""
    rooms = (commands, limits, ends, files, workspaces, isolation, lifecycle)
    return [
        ConformanceCheck(run.__name__.replace("_", "-"), " ".join((run.__doc__ or "").split()), run)
        for room in rooms
        for run in room.CHECKS
    ]


def find_check(name: str) -> ConformanceCheck:
    """The check of that name.

    Raises:
        UsageError: there is none.
    """
    for check in all_checks():
        if check.name == name:
            return check
    raise UsageError(f"there is no conformance check {name!r}")


async def run_check(backend: SandboxBackend, check: ConformanceCheck) -> Finding:
    """Run one check."""
    began = time.perf_counter()
    ok: bool | None = True
    detail = ""
    try:
        async with asyncio.timeout(_PATIENCE):
            await check.run(backend)
    except NotApplicableError as error:
        ok, detail = None, str(error)
    except UnderspecError as error:
        ok, detail = False, f"{type(error).__name__}: {error}"
    except TimeoutError:
        ok, detail = False, f"did not end within {_PATIENCE:g} s"
    return Finding(check.name, check.about, ok, time.perf_counter() - began, detail)


async def run_suite(
    backend: SandboxBackend,
    checks: Iterable[ConformanceCheck] | None = None,
    on_finding: Callable[[Finding], None] | None = None,
) -> list[Finding]:
    """Run checks, all by default, one after another; ``on_finding`` hears of each as it comes."""
    findings = []
    for check in all_checks() if checks is None else checks:
        finding = await run_check(backend, check)
        findings.append(finding)
        if on_finding:
            on_finding(finding)
    return findings

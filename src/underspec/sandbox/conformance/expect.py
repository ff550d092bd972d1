"""What checks are written with: what to expect, sandboxes that end with their block, scripts inside."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any

from underspec.errors import SandboxError, UnderspecError
from underspec.sandbox.protocol import ExecResult, Limits, Owner, Sandbox, SandboxBackend, SandboxSpec

MIB = 1024**2
OWNER = Owner(run="conformance", purpose="conformance check")


class NonconformingError(SandboxError):
    """The backend does not do what the protocol says; says what was seen."""


class NotApplicableError(UnderspecError):
    """A check cannot be made on this machine; says why."""


def expect(fine: bool, seen: object) -> None:
    """Raise :class:`NonconformingError`, with what was seen, unless ``fine``."""
    if not fine:
        text = repr(seen)
        raise NonconformingError(text if len(text) <= 600 else f"{text[:600]}…")


def equal(seen: object, wanted: object) -> None:
    """:func:`expect` the two to be equal."""
    expect(seen == wanted, f"{seen!r} and not {wanted!r}")


@contextlib.asynccontextmanager
async def expect_error(*kinds: type[UnderspecError]) -> AsyncIterator[None]:
    """The block must raise one of these."""
    try:
        yield
    except kinds:
        return
    raise NonconformingError(f"no {' or '.join(kind.__name__ for kind in kinds)} was raised")


@contextlib.asynccontextmanager
async def started(backend: SandboxBackend, limits: Limits | None = None, **spec: Any) -> AsyncIterator[Sandbox]:
    """A running sandbox, closed at the end of the block."""
    sandbox = backend.create(SandboxSpec(owner=OWNER, limits=limits or Limits(), **spec))
    try:
        await sandbox.start()
        yield sandbox
    finally:
        await sandbox.close()


async def bash(sandbox: Sandbox, script: str, **options: Any) -> ExecResult:
    """Run a script in the sandbox's bash."""
    return await sandbox.exec(["bash", "-c", script], **options)


async def python(sandbox: Sandbox, script: str, **options: Any) -> ExecResult:
    """Run a script in the sandbox's Python."""
    return await sandbox.exec(["python3", "-c", script], **options)


async def output(sandbox: Sandbox, script: str) -> str:
    """What a script prints; it must succeed."""
    result = await bash(sandbox, script)
    expect(result.ok, result)
    return result.stdout.decode(errors="backslashreplace")


async def processes(sandbox: Sandbox) -> list[str]:
    """Command lines of all inside but process 1 and the one that looks; what has ended counts until it is cleared."""
    script = (
        "import os\nfor p in os.listdir('/proc'):\n"
        "    if p.isdigit() and p != '1' and int(p) != os.getpid():\n"
        "        try: print(p, open(f'/proc/{p}/cmdline').read().replace(chr(0), ' '))\n"
        "        except OSError: pass"
    )
    result = await python(sandbox, script)
    expect(result.ok, result)
    return result.stdout.decode(errors="backslashreplace").splitlines()


async def nobody_left(sandbox: Sandbox, seconds: float = 10.0) -> None:
    """Nothing runs inside any more; what was killed may take a moment to be cleared away."""
    until = time.monotonic() + seconds
    while (left := await processes(sandbox)) and time.monotonic() < until:
        await asyncio.sleep(0.05)
    expect(left == [], f"still there: {left}")


def need(backend: SandboxBackend, name: str) -> None:
    """Raise :class:`NotApplicableError` where the backend says itself that it cannot do something here.

    Args:
        name: of one of the backend's own checks, such as ``memory limit``.
    """
    known = _abilities.get(backend.name)
    if known is None:
        known = _abilities[backend.name] = {check.name: check.ok for check in backend.checks()}
    if not known.get(name, False):
        raise NotApplicableError(f"no {name} on this machine")


_abilities: dict[str, dict[str, bool]] = {}

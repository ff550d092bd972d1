"""Sandboxes for tests: started, handed over and removed again."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import os
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Concatenate, ParamSpec

import pytest

from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.protocol import ExecResult, Limits, Owner, SandboxSpec

P = ParamSpec("P")
OWNER = Owner(run="tests", purpose="sandbox tests")
MIB = 1024**2
IS_ROOT = os.geteuid() == 0

needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
needs_root = pytest.mark.skipif(not IS_ROOT, reason="needs root")


@contextlib.asynccontextmanager
async def started(limits: Limits | None = None, **spec: Any) -> AsyncIterator[BubblewrapSandbox]:
    """A running sandbox, closed at the end of the block."""
    sandbox = BubblewrapSandbox(SandboxSpec(owner=OWNER, limits=limits or Limits(), **spec))
    try:
        await sandbox.start()
        yield sandbox
    finally:
        await sandbox.close()


def in_sandbox(
    limits: Limits | None = None, **spec: Any
) -> Callable[[Callable[Concatenate[BubblewrapSandbox, P], Awaitable[None]]], Callable[P, None]]:
    """Make an asynchronous test, whose first argument is a sandbox, an ordinary one."""

    def decorate(test: Callable[Concatenate[BubblewrapSandbox, P], Awaitable[None]]) -> Callable[P, None]:
        @functools.wraps(test)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            async def inner() -> None:
                async with started(limits, **spec) as sandbox:
                    await test(sandbox, *args, **kwargs)

            asyncio.run(inner())

        signature = inspect.signature(test)
        others = list(signature.parameters.values())[1:]  # pytest must not look for a fixture of that name
        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorate


async def bash(sandbox: BubblewrapSandbox, script: str, **options: Any) -> ExecResult:
    """Run a script in the sandbox's bash."""
    return await sandbox.exec(["bash", "-c", script], **options)


async def output(sandbox: BubblewrapSandbox, script: str, **options: Any) -> str:
    """What a script prints; it must succeed."""
    result = await bash(sandbox, script, **options)
    assert result.ok, result
    return result.stdout.decode()


_LIST = """
import os
for pid in os.listdir("/proc"):
    if pid.isdigit() and pid != "1" and int(pid) != os.getpid():
        try:
            print(open(f"/proc/{pid}/cmdline").read().replace(chr(0), " ").strip())
        except OSError:
            pass
"""


async def processes(sandbox: BubblewrapSandbox) -> list[str]:
    """Command lines of everything inside but process 1 and the one that looks."""
    result = await sandbox.exec(["python3", "-c", _LIST])
    assert result.ok, result
    return result.stdout.decode().splitlines()


async def nobody_left(sandbox: BubblewrapSandbox, seconds: float = 5.0) -> None:
    """Wait until nothing runs inside; what was killed takes a moment to be reaped by process 1."""
    until = time.monotonic() + seconds
    while (left := await processes(sandbox)) and time.monotonic() < until:
        await asyncio.sleep(0.02)
    assert left == []

"""Beginnings and ends: many at once, at any time, and nothing left behind whoever dies when."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from underspec.sandbox.conformance.expect import OWNER, bash, equal, expect, output, started
from underspec.sandbox.protocol import SandboxBackend, SandboxSpec

_PATIENCE = 30.0


async def many_at_once_are_kept_apart(backend: SandboxBackend, count: int = 20) -> None:
    """Twenty sandboxes asked for at once all come, work, keep their files after the end, and go."""

    async def one(number: int) -> None:
        async with started(backend) as sandbox:
            await sandbox.put("/workspace/own", str(number).encode())
            results = await asyncio.gather(*(bash(sandbox, "cat own; ls /tmp") for _ in range(2)))
            equal({result.stdout for result in results}, {str(number).encode()})
            equal((await bash(sandbox, "sleep 60", timeout=0.2)).limit, "time")
            await sandbox.kill_all()
            equal(await sandbox.get("/workspace/own", max_bytes=9), str(number).encode())

    await asyncio.gather(*(one(number) for number in range(count)))


async def closing_works_at_any_time(backend: SandboxBackend) -> None:
    """A sandbox can be closed before it started, while it starts, while a command runs, and twice."""
    unstarted = backend.create(SandboxSpec(owner=OWNER))
    await unstarted.close()
    for pause in (0.0, 0.02, 0.2):
        sandbox = backend.create(SandboxSpec(owner=OWNER))
        starting = asyncio.ensure_future(sandbox.start())
        await asyncio.sleep(pause)
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        await sandbox.close()
    sandbox = backend.create(SandboxSpec(owner=OWNER))
    await sandbox.start()
    mark = _mark()
    running = asyncio.ensure_future(bash(sandbox, f"trap '' TERM; sleep {mark}"))
    await asyncio.sleep(0.3)
    await asyncio.gather(sandbox.close(), sandbox.close())
    await asyncio.gather(running, return_exceptions=True)
    await _gone(mark)


async def a_killed_harness_leaves_nothing(backend: SandboxBackend) -> None:
    """After ``kill -9`` of the harness nothing of its sandboxes lives, and the next command has at most to reap."""
    async with started(backend) as living:
        async with _victim(backend) as victim:
            os.kill(victim.pid, signal.SIGKILL)
            await victim.process.wait()
            await _gone(victim.mark)
            reaped = await asyncio.to_thread(backend.reap)
            expect(living.id not in reaped, reaped)
        equal(await output(living, "echo alive"), "alive\n")


async def what_is_left_is_reaped_and_only_that(backend: SandboxBackend) -> None:
    """After ``kill -9`` of the harness and its helpers at once, reaping removes their sandboxes and no other."""
    async with started(backend) as living:
        async with _victim(backend) as victim:
            equal(await asyncio.to_thread(_reaped_of, backend, victim.ids), [])
            helpers = _children(victim.pid)
            for pid in (*helpers, victim.pid):
                os.kill(pid, signal.SIGSTOP)
            for pid in (victim.pid, *helpers):
                os.kill(pid, signal.SIGKILL)
            await victim.process.wait()
            equal(await asyncio.to_thread(_reaped_of, backend, [*victim.ids, living.id]), sorted(victim.ids))
            await _gone(victim.mark)
            equal(await asyncio.to_thread(_reaped_of, backend, victim.ids), [])
        equal(await output(living, "echo alive"), "alive\n")


def _reaped_of(backend: SandboxBackend, ids: list[str]) -> list[str]:
    """Those of ``ids`` that were reaped now; others' leftovers may be among what is."""
    return sorted(set(backend.reap()) & set(ids))


@dataclass(frozen=True)
class _Victim:
    process: asyncio.subprocess.Process
    pid: int
    ids: list[str]
    mark: str


@contextlib.asynccontextmanager
async def _victim(backend: SandboxBackend, count: int = 2) -> AsyncIterator[_Victim]:
    """Another harness, with sandboxes in which something runs, to be killed."""
    mark = _mark()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "underspec.sandbox.conformance.victim", backend.name, str(count), mark,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        ids = []
        stream = process.stdout
        while stream is not None and (line := (await stream.readline()).decode().strip()):
            if line == "ready":
                break
            ids.append(line)
        equal(len(ids), count)
        yield _Victim(process, process.pid, ids, mark)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _mark() -> str:
    """Seconds to sleep that nobody else sleeps, by which processes are known on the host."""
    return f"4321{secrets.randbelow(10**9):09}"


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]


async def _gone(mark: str) -> None:
    """No process of this machine bears the mark any more."""
    until = asyncio.get_running_loop().time() + _PATIENCE
    while (left := _bearing(mark)) and asyncio.get_running_loop().time() < until:
        await asyncio.sleep(0.05)
    expect(left == [], f"still alive: {left}")


def _bearing(mark: str) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                line = (folder / "cmdline").read_bytes().split(b"\0")
                if line[:2] == [b"sleep", mark.encode()]:
                    found.append(folder.name)
    return found


CHECKS = (
    many_at_once_are_kept_apart,
    closing_works_at_any_time,
    a_killed_harness_leaves_nothing,
    what_is_left_is_reaped_and_only_that,
)

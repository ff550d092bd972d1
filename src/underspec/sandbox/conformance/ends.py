"""Ends: time-outs, signals to everybody, fork bombs, and what lives on."""

from __future__ import annotations

import asyncio

from underspec.errors import SandboxError, SandboxGoneError
from underspec.sandbox.conformance.expect import (
    bash,
    equal,
    expect,
    expect_error,
    nobody_left,
    output,
    processes,
    started,
)
from underspec.sandbox.protocol import Limits, SandboxBackend

_HIDING = """
sleep 61 &
setsid sleep 62 &
(setsid bash -c '(trap "" TERM HUP INT; sleep 63 & setsid sleep 64 & wait) &' &)
python3 -c 'import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(65)
    os._exit(0)
os.wait()'
sleep 66
"""


async def a_time_out_leaves_nothing_running(backend: SandboxBackend) -> None:
    """When a command's time is over, it and all that it started are dead, however they hid."""
    async with started(backend) as sandbox:
        result = await bash(sandbox, _HIDING, timeout=1.5)
        equal((result.exit_code, result.signal, result.limit, result.layer), (None, 9, "time", "exec"))
        expect(1.5 <= result.seconds < 8, result.seconds)
        await nobody_left(sandbox)


async def a_time_out_spares_others(backend: SandboxBackend) -> None:
    """What other commands started, before and meanwhile, lives on; one that ends in time meets no limit."""
    async with started(backend) as sandbox:
        await bash(sandbox, "setsid sleep 71 >/dev/null 2>&1 &")
        other = asyncio.ensure_future(bash(sandbox, "sleep 1.5; echo lived", timeout=60))
        await asyncio.sleep(0.1)
        equal((await bash(sandbox, "sleep 72", timeout=0.3)).limit, "time")
        lived = await other
        equal((lived.stdout, lived.limit), (b"lived\n", None))
        expect(any("sleep 71" in line for line in await processes(sandbox)), "the background process is gone")


async def killing_everybody_from_inside_ends_only_them(backend: SandboxBackend) -> None:
    """After ``kill -9 -1`` inside, and every signal to process 1, the sandbox still works."""
    async with started(backend) as sandbox:
        for _ in range(3):
            await bash(sandbox, "sleep 60 & kill -9 -1")
        await bash(sandbox, "for s in $(seq 1 64); do kill -$s 1; done 2>/dev/null")
        equal(await output(sandbox, "echo alive"), "alive\n")
        await nobody_left(sandbox)


async def a_fork_bomb_is_held(backend: SandboxBackend) -> None:
    """A fork bomb ends with its time, leaves nothing, and the sandbox still works."""
    async with started(backend, Limits(processes=60)) as sandbox:
        result = await bash(sandbox, ":(){ :|:& };:; sleep 60", timeout=1.5)
        equal(result.limit, "time")
        await nobody_left(sandbox)
        equal(await output(sandbox, "echo still here"), "still here\n")


async def orphans_are_cleared_away(backend: SandboxBackend) -> None:
    """Processes whose parents are gone do not pile up when they end."""
    async with started(backend, Limits(processes=40)) as sandbox:
        for _ in range(5):
            await bash(sandbox, "for i in $(seq 15); do (sleep 0.05 &) >/dev/null 2>&1; done")
            await asyncio.sleep(0.3)
        await nobody_left(sandbox)


async def a_cancelled_command_is_dead(backend: SandboxBackend) -> None:
    """Who cancels a command finds it, and all that it started, dead."""
    async with started(backend) as sandbox:
        running = asyncio.ensure_future(bash(sandbox, "setsid sleep 4322 & sleep 4322"))
        await asyncio.sleep(0.5)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        expect(running.cancelled(), running)
        await nobody_left(sandbox)


async def all_can_be_killed_and_files_stay(backend: SandboxBackend) -> None:
    """After ``kill_all`` nothing runs and nothing can be run; files can still be read."""
    async with started(backend) as sandbox:
        running = asyncio.ensure_future(bash(sandbox, "trap '' TERM; echo kept > /workspace/file; sleep 60"))
        await asyncio.sleep(0.5)
        await sandbox.kill_all()
        async with expect_error(SandboxGoneError):
            await running
        async with expect_error(SandboxGoneError):
            await bash(sandbox, "true")
        async with expect_error(SandboxError):
            await sandbox.listen()
        equal(await sandbox.get("/workspace/file", max_bytes=10), b"kept\n")


CHECKS = (
    a_time_out_leaves_nothing_running,
    a_time_out_spares_others,
    killing_everybody_from_inside_ends_only_them,
    a_fork_bomb_is_held,
    orphans_are_cleared_away,
    a_cancelled_command_is_dead,
    all_can_be_killed_and_files_stay,
)

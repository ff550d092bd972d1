"""Every limit just below it, at it and beyond it; who enforced it is told by evidence."""

from __future__ import annotations

from underspec.errors import AgentError
from underspec.sandbox.conformance.expect import (
    MIB,
    bash,
    equal,
    expect,
    expect_error,
    need,
    output,
    python,
    started,
)
from underspec.sandbox.protocol import Limits, SandboxBackend

_OUTPUT = 100_000


async def output_is_whole_up_to_its_limit(backend: SandboxBackend) -> None:
    """Output of limit − 1 and of limit bytes is whole; the first byte beyond ends the command, on either stream."""
    async with started(backend, Limits(output=_OUTPUT)) as sandbox:
        for stream in ("stdout", "stderr"):
            for count in (_OUTPUT - 1, _OUTPUT, _OUTPUT + 1):
                script = f"import sys; sys.{stream}.write('x' * {count}); sys.{stream}.flush()"
                result = await python(sandbox, script)
                fits = count <= _OUTPUT
                equal(len(getattr(result, stream)), min(count, _OUTPUT))
                equal(getattr(result, f"{stream}_cut"), not fits)
                equal(result.ok, fits)
                equal((result.limit, result.layer), (None, None) if fits else ("output", "exec"))


async def endless_output_ends_with_all_that_prints_it(backend: SandboxBackend) -> None:
    """Endless output costs no more than its limit, and a command may be let live beyond it."""
    async with started(backend, Limits(output=_OUTPUT)) as sandbox:
        result = await bash(sandbox, "yes & yes & yes")
        equal((result.limit, len(result.stdout)), ("output", _OUTPUT))
        lives = await bash(sandbox, "head -c 5000000 /dev/zero; exit 3", end_on_output_limit=False)
        equal((lives.exit_code, lives.limit, lives.stdout_cut, len(lives.stdout)), (3, None, True, _OUTPUT))


async def reading_a_file_keeps_to_its_limit(backend: SandboxBackend) -> None:
    """A file of limit − 1 and of limit bytes is read; a larger one is the agent's failure."""
    async with started(backend) as sandbox:
        await sandbox.put("/tmp/five", b"12345")
        for limit in (6, 5):
            equal(await sandbox.get("/tmp/five", max_bytes=limit), b"12345")
        async with expect_error(AgentError):
            await sandbox.get("/tmp/five", max_bytes=4)


async def memory_is_limited_by_evidence(backend: SandboxBackend) -> None:
    """Less memory than the limit is fine; more is ended and named, also when the script goes on; a kill is no limit."""
    need(backend, "memory limit")
    eater = "import time; x = bytearray({} * 1024**2); time.sleep(1); print(len(x))"
    async with started(backend, Limits(memory=96 * MIB, disk=256 * MIB)) as sandbox:
        fits = await python(sandbox, eater.format(40))
        expect(fits.ok, fits)
        for size in (160, 500):
            eaten = await python(sandbox, eater.format(size))
            equal((eaten.signal, eaten.limit, eaten.layer), (9, "memory", "sandbox"))
        went_on = await bash(sandbox, f"python3 -c '{eater.format(500)}'; exit 0")
        equal((went_on.exit_code, went_on.limit), (0, "memory"))
        equal((await bash(sandbox, "kill -9 $$")).limit, None)


async def a_full_disk_is_no_memory(backend: SandboxBackend) -> None:
    """Files of more than the memory limit are fine as long as the disk holds them."""
    need(backend, "memory limit")
    async with started(backend, Limits(memory=64 * MIB, disk=256 * MIB)) as sandbox:
        result = await bash(sandbox, "head -c 200000000 /dev/zero > /tmp/a && sleep 0.6 && rm /tmp/a")
        expect(result.ok, result)


async def the_disk_is_one_for_all_places(backend: SandboxBackend) -> None:
    """What fits the disk is written; more is refused, in all writable places together, and named."""
    async with started(backend, Limits(disk=8 * MIB)) as sandbox:
        fits = await bash(sandbox, "head -c 7000000 /dev/zero > /workspace/a && rm /workspace/a")
        expect(fits.ok, fits)
        places = "/workspace /tmp /var/tmp /root /run /dev/shm"
        full = await bash(sandbox, f"for p in {places}; do head -c 1500000 /dev/zero > $p/f || exit 5; done")
        equal((full.exit_code, full.limit, full.layer), (5, "disk", "sandbox"))
        files = " ".join(f"{place}/f" for place in places.split())
        expect(int(await output(sandbox, f"cat {files} 2>/dev/null | wc -c")) <= 8 * MIB, "more than the disk holds")
        async with expect_error(AgentError):
            await sandbox.put("/workspace/more", bytes(2 * MIB))


async def the_number_of_files_is_limited(backend: SandboxBackend) -> None:
    """Fewer files than the limit can be made, more cannot."""
    async with started(backend, Limits(files=500)) as sandbox:
        expect((await bash(sandbox, "mkdir a && for i in $(seq 400); do : > a/$i || exit 5; done; rm -r a")).ok, "400")
        full = await bash(sandbox, "for i in $(seq 600); do : > /tmp/$i || exit 5; done")
        equal((full.exit_code, full.limit), (5, "disk"))


async def processes_are_limited_to_the_one(backend: SandboxBackend) -> None:
    """With room for N processes, N can live at once and one more cannot; that is named."""
    need(backend, "process limit")
    room = 30
    fork = (
        "import os, sys, time\nfor i in range({}):\n    if os.fork() == 0: time.sleep(1); os._exit(0)\n"
        "for i in range({}): os.wait()"
    )
    async with started(backend, Limits(processes=room)) as sandbox:
        for count in (room - 2, room - 1):  # beside the one that forks
            fits = await python(sandbox, fork.format(count, count))
            expect(fits.ok, (count, fits))
        beyond = await python(sandbox, fork.format(room, room))
        equal((beyond.exit_code, beyond.limit, beyond.layer), (1, "processes", "sandbox"))


async def open_files_are_limited(backend: SandboxBackend) -> None:
    """With room for N open files, N can be open at once and one more cannot."""
    async with started(backend, Limits(open_files=64)) as sandbox:
        script = "import os\nfor i in range({}): os.open('/dev/null', 0)"
        for count in (60, 61):  # beside the three streams
            expect((await python(sandbox, script.format(count))).ok, count)
        expect(b"Too many open files" in (await python(sandbox, script.format(62))).stderr, 62)


async def cpu_is_limited_for_all_together(backend: SandboxBackend) -> None:
    """Two busy processes share what CPU the sandbox has."""
    need(backend, "CPU limit")
    async with started(backend, Limits(cpus=0.2)) as sandbox:
        spin = "timeout 1 bash -c 'while :; do :; done' & timeout 1 bash -c 'while :; do :; done'; wait; times"
        used = (await output(sandbox, f"{spin} | tail -1")).split()
        seconds = sum(float(part.split("m")[1].rstrip("s")) for part in used)
        expect(seconds < 0.6, f"{seconds} s of CPU within 1 s")


CHECKS = (
    output_is_whole_up_to_its_limit,
    endless_output_ends_with_all_that_prints_it,
    reading_a_file_keeps_to_its_limit,
    memory_is_limited_by_evidence,
    a_full_disk_is_no_memory,
    the_disk_is_one_for_all_places,
    the_number_of_files_is_limited,
    processes_are_limited_to_the_one,
    open_files_are_limited,
    cpu_is_limited_for_all_together,
)

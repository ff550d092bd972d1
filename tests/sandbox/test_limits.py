"""Every limit, just below it, at it and beyond it, and who is said to have enforced it."""

from __future__ import annotations

import asyncio
import resource
import time

import pytest

from tests.sandbox.boxes import MIB, bash, in_sandbox, needs_bubblewrap, nobody_left, output
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.keeper.groups import find_place
from underspec.sandbox.protocol import Limits

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]

PLACE = find_place()
needs_memory_group = pytest.mark.skipif("memory" not in PLACE.parents, reason="no right to limit memory here")
needs_pids_group = pytest.mark.skipif("pids" not in PLACE.parents, reason="no right to limit processes here")
needs_cpu_group = pytest.mark.skipif("cpu" not in PLACE.parents, reason="no right to limit CPU here")

LIMIT = 100_000


def write(count: int, stream: str = "stdout") -> list[str]:
    return ["python3", "-c", f"import sys; sys.{stream}.write('x' * {count}); sys.{stream}.flush(); print(end='')"]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize(("count", "fits"), [(LIMIT - 1, True), (LIMIT, True), (LIMIT + 1, False)])
def test_output_up_to_the_limit_is_whole_and_the_first_byte_beyond_ends_the_command(
    stream: str, count: int, fits: bool
) -> None:
    @in_sandbox(Limits(output=LIMIT))
    async def test(sandbox: BubblewrapSandbox) -> None:
        result = await sandbox.exec([*write(count, stream)])
        assert len(getattr(result, stream)) == min(count, LIMIT)
        assert (result.stdout_cut, result.stderr_cut) == (
            stream == "stdout" and not fits,
            stream == "stderr" and not fits,
        )
        assert result.ok == fits
        if not fits:
            assert (result.limit, result.layer) == ("output", "exec")

    test()


@in_sandbox(Limits(output=LIMIT))
async def test_endless_output_is_ended_with_all_that_prints_it(sandbox: BubblewrapSandbox) -> None:
    began = time.monotonic()
    result = await bash(sandbox, "yes & yes & yes")
    assert (result.limit, len(result.stdout)) == ("output", LIMIT)
    assert time.monotonic() - began < 5
    await nobody_left(sandbox)


@in_sandbox(Limits(output=LIMIT))
async def test_beyond_the_limit_a_command_can_be_let_live(sandbox: BubblewrapSandbox) -> None:
    seen: list[bytes] = []
    result = await bash(
        sandbox,
        "head -c 20000000 /dev/zero; echo done > /tmp/done; exit 3",
        end_on_output_limit=False,
        on_stdout=seen.append,
    )
    assert (result.exit_code, result.limit, result.stdout_cut) == (3, None, True)
    assert len(result.stdout) == LIMIT == sum(map(len, seen))
    assert await sandbox.get("/tmp/done", max_bytes=10) == b"done\n"


@in_sandbox(Limits(output=1024**4))
async def test_a_gigabyte_of_output_costs_the_harness_no_memory(sandbox: BubblewrapSandbox) -> None:
    total = 0

    def count(chunk: bytes) -> None:
        nonlocal total
        total += len(chunk)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = await bash(sandbox, "head -c 1000000000 /dev/zero", on_stdout=count, keep_output=False)
    assert result.ok
    assert (total, result.stdout) == (1_000_000_000, b"")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 1024  # KiB


@in_sandbox()
async def test_time_runs_out_for_a_command_and_everything_that_it_started(sandbox: BubblewrapSandbox) -> None:
    script = """
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
    result = await bash(sandbox, script, timeout=0.8)
    assert (result.exit_code, result.signal, result.limit, result.layer) == (None, 9, "time", "exec")
    assert 0.8 <= result.seconds < 3
    await nobody_left(sandbox)


@in_sandbox()
async def test_time_running_out_spares_what_other_commands_started(sandbox: BubblewrapSandbox) -> None:
    await bash(sandbox, "setsid sleep 71 >/dev/null 2>&1 &")
    other = asyncio.ensure_future(bash(sandbox, "sleep 1.5; echo lived"))
    await asyncio.sleep(0.1)
    assert (await bash(sandbox, "sleep 72", timeout=0.3)).limit == "time"
    assert (await other).stdout == b"lived\n"
    assert "sleep 71" in await output(sandbox, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")


@in_sandbox()
async def test_outputs_before_the_end_of_time_are_kept(sandbox: BubblewrapSandbox) -> None:
    result = await bash(sandbox, "echo before; echo file > /workspace/result; sleep 60", timeout=1.5)
    assert (result.limit, result.stdout) == ("time", b"before\n")
    assert await sandbox.get("/workspace/result", max_bytes=10) == b"file\n"


@in_sandbox()
async def test_a_command_that_ends_by_itself_met_no_limit(sandbox: BubblewrapSandbox) -> None:
    result = await bash(sandbox, "echo 'timed out: out of memory, killed'; exit 124", timeout=60)
    assert (result.exit_code, result.limit, result.layer) == (124, None, None)


@needs_memory_group
@in_sandbox(Limits(memory=96 * MIB, disk=256 * MIB))
async def test_memory_beyond_the_limit_is_the_sandboxs_to_end_by_evidence(sandbox: BubblewrapSandbox) -> None:
    eater = "import time; x = bytearray({} * 1024**2); time.sleep(1); print(len(x))"
    fits = await sandbox.exec(["python3", "-c", eater.format(40)])
    assert fits.ok, fits
    eaten = await sandbox.exec(["python3", "-c", eater.format(160)])
    assert (eaten.signal, eaten.limit, eaten.layer) == (9, "memory", "sandbox")
    much = await sandbox.exec(["python3", "-c", eater.format(500)])
    assert (much.signal, much.limit, much.layer) == (9, "memory", "sandbox")
    # A script that goes on after its child was killed for memory still ran into the limit.
    went_on = await bash(sandbox, f"python3 -c '{eater.format(500)}'; exit 0")
    assert (went_on.exit_code, went_on.limit) == (0, "memory")
    assert (await bash(sandbox, "kill -9 $$")).limit is None


@needs_memory_group
@in_sandbox(Limits(memory=64 * MIB, disk=256 * MIB))
async def test_a_full_disk_is_not_memory(sandbox: BubblewrapSandbox) -> None:
    result = await bash(sandbox, "head -c 200000000 /dev/zero > /tmp/a && sleep 0.6 && rm /tmp/a")
    assert result.ok, result


@needs_memory_group
@in_sandbox(Limits(memory=64 * MIB, disk=256 * MIB))
async def test_shared_memory_that_is_no_file_counts_as_memory(sandbox: BubblewrapSandbox) -> None:
    script = (
        "import os, time; f = os.memfd_create('x'); [os.write(f, bytes(1024**2)) for _ in range(150)]; time.sleep(3)"
    )
    assert (await sandbox.exec(["python3", "-c", script])).limit == "memory"


@in_sandbox(Limits(disk=8 * MIB))
async def test_the_disk_is_one_for_all_writable_places(sandbox: BubblewrapSandbox) -> None:
    fits = await bash(sandbox, "head -c 7000000 /dev/zero > /workspace/a && rm /workspace/a")
    assert fits.ok
    script = (
        "for p in /workspace /tmp /var/tmp /root /run /dev/shm; do head -c 1500000 /dev/zero > $p/f || exit 5; done"
    )
    full = await bash(sandbox, script)
    assert (full.exit_code, full.limit, full.layer) == (5, "disk", "sandbox")
    assert b"No space left on device" in full.stderr
    used = await output(sandbox, "cat /workspace/f /tmp/f /var/tmp/f /root/f /run/f /dev/shm/f 2>/dev/null | wc -c")
    assert int(used) <= 8 * MIB


@in_sandbox(Limits(files=500))
async def test_the_number_of_files_is_limited(sandbox: BubblewrapSandbox) -> None:
    assert (await bash(sandbox, "mkdir a && for i in $(seq 400); do : > a/$i || exit 5; done; rm -r a")).ok
    full = await bash(sandbox, "for i in $(seq 600); do : > /tmp/$i || exit 5; done")
    assert (full.exit_code, full.limit) == (5, "disk")


@in_sandbox()
async def test_there_is_nowhere_else_to_write(sandbox: BubblewrapSandbox) -> None:
    script = """
    for d in $(find / -xdev -type d 2>/dev/null; awk '{print $2}' /proc/mounts); do
        case $d in /workspace*|/tmp*|/var/tmp*|/root*|/run*|/dev/shm*|/proc*) continue;; esac
        if : > "$d/probe" 2>/dev/null; then echo "$d"; fi
    done
    """
    assert await output(sandbox, script) == ""


@in_sandbox(Limits(processes=60))
async def test_a_fork_bomb_is_held_and_ends_with_its_time(sandbox: BubblewrapSandbox) -> None:
    result = await bash(sandbox, ":(){ :|:& };:; sleep 60", timeout=1.5)
    assert result.limit == "time"
    await nobody_left(sandbox)
    assert (await bash(sandbox, "echo still here")).ok


@needs_pids_group
@in_sandbox(Limits(processes=30))
async def test_running_into_the_process_limit_is_told(sandbox: BubblewrapSandbox) -> None:
    assert (await bash(sandbox, "for i in $(seq 15); do sleep 0.3 & done; wait")).ok
    many = "import os, time\nfor i in range(60):\n    if os.fork() == 0: time.sleep(1); os._exit(0)"
    result = await sandbox.exec(["python3", "-c", many])
    assert (result.exit_code, result.limit, result.layer) == (1, "processes", "sandbox")


@needs_pids_group
@in_sandbox(Limits(processes=20))
async def test_a_command_that_finds_no_room_for_itself_blames_the_limit(sandbox: BubblewrapSandbox) -> None:
    fill = "import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(60); os._exit(0)"
    assert (await sandbox.exec(["python3", "-c", fill])).limit == "processes"
    result = await bash(sandbox, "true")
    assert (result.ok, result.limit, result.layer) == (False, "processes", "sandbox")


@in_sandbox(Limits(open_files=64))
async def test_open_files_are_limited(sandbox: BubblewrapSandbox) -> None:
    script = "fs = [open('/dev/null') for _ in range({})]"
    assert (await sandbox.exec(["python3", "-c", script.format(50)])).ok
    assert b"Too many open files" in (await sandbox.exec(["python3", "-c", script.format(70)])).stderr


@needs_cpu_group
@in_sandbox(Limits(cpus=0.2))
async def test_cpu_is_limited_for_all_together(sandbox: BubblewrapSandbox) -> None:
    spin = "timeout 1 bash -c 'while :; do :; done' & timeout 1 bash -c 'while :; do :; done'; wait; times | tail -1"
    used = (await output(sandbox, spin)).split()
    seconds = sum(float(part.split("m")[1].rstrip("s")) for part in used)
    assert seconds < 0.6  # two processes of one second each would have used two


@pytest.mark.skipif("memory" in PLACE.parents, reason="memory is limited by groups here")
@in_sandbox(Limits(memory=128 * MIB))
async def test_without_groups_each_process_is_held_to_the_memory(sandbox: BubblewrapSandbox) -> None:
    eater = "x = bytearray({} * 1024**2)"
    assert (await sandbox.exec(["python3", "-c", eater.format(60)])).ok
    assert b"MemoryError" in (await sandbox.exec(["python3", "-c", eater.format(300)])).stderr


@in_sandbox()
async def test_no_core_is_dumped_and_no_handler_of_the_host_started(sandbox: BubblewrapSandbox) -> None:
    script = """
import os, resource, signal
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a program may believe that it forbade its cores
print(resource.getrlimit(resource.RLIMIT_CORE))
if os.fork() == 0: os.kill(os.getpid(), signal.SIGSEGV)
print(os.WCOREDUMP(os.wait()[1]))
"""
    result = await sandbox.exec(["python3", "-c", script])
    # One byte is the limit under which the kernel starts no handler; with none it would.
    assert result.stdout == b"(1, 1)\nFalse\n"
    assert (await bash(sandbox, "ulimit -c 0; ls")).stdout == b""


@in_sandbox()
async def test_the_stack_is_the_same_on_every_machine(sandbox: BubblewrapSandbox) -> None:
    assert await output(sandbox, "ulimit -s") == "8192\n"

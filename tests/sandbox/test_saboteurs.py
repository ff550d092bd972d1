"""What is already inside cannot break what comes in after it, nor the keeper that brings it in."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal

import pytest

from tests.sandbox.boxes import in_sandbox, needs_bubblewrap, started
from underspec.errors import SandboxGoneError
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]

# Signals the next processes to come, long before they can run an instruction of their own.
_AMBUSH = """
import os, sys
number, rounds = int(sys.argv[1]), 0
if os.fork():
    os._exit(0)
os.setsid()
null = os.open("/dev/null", os.O_RDWR)
for stream in range(3):
    os.dup2(null, stream)
last = os.getpid()
while True:
    for pid in range(last + 1, last + 4):
        try:
            os.kill(pid, number)
        except OSError:
            continue
        last = pid
"""
# Writes to its output and takes it back before the reader comes.
_GRUDGE = """
import os
if os.fork():
    os._exit(0)
os.fork()
own = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
while True:
    os.write(1, b"x")
    try:
        os.read(own, 65536)
    except BlockingIOError:
        pass
"""
# Takes all that it gets of what a machine has few of, and says how much that was.
_GREED = """
import ctypes, os, time
libc = ctypes.CDLL(None)
watchers = terminals = 0
while watchers < 1000 and libc.inotify_init() >= 0:
    watchers += 1
try:
    while terminals < 1000:
        os.openpty()
        terminals += 1
except OSError:
    pass
print(watchers, terminals, flush=True)
time.sleep(60)
"""


@in_sandbox()
async def test_a_command_stopped_on_its_way_in_ends_at_its_time_limit(sandbox: BubblewrapSandbox) -> None:
    await sandbox.exec(["python3", "-c", _AMBUSH, str(int(signal.SIGSTOP))])
    async with asyncio.timeout(30):
        ends = [await sandbox.exec(["true"], timeout=0.3) for _ in range(8)]
        await sandbox.kill_all()
    caught = [end for end in ends if end.limit is not None]
    assert caught  # or nothing was tried
    assert {(end.limit, end.layer, end.signal) for end in caught} == {("time", "exec", signal.SIGKILL)}


@in_sandbox()
async def test_a_command_killed_on_its_way_in_is_a_command_that_was_killed(sandbox: BubblewrapSandbox) -> None:
    await sandbox.exec(["python3", "-c", _AMBUSH, str(int(signal.SIGKILL))])
    ends = [await sandbox.exec(["true"], timeout=5) for _ in range(12)]
    assert {end.signal for end in ends} >= {signal.SIGKILL}
    assert all(end.ok or end.signal == signal.SIGKILL for end in ends)


@in_sandbox()
async def test_a_background_process_that_takes_its_output_back_is_only_a_nuisance(sandbox: BubblewrapSandbox) -> None:
    await sandbox.exec(["python3", "-c", _GRUDGE], timeout=5)
    await asyncio.sleep(2)
    assert (await sandbox.exec(["echo", "here"])).stdout == b"here\n"


@in_sandbox()
async def test_nobody_inside_uses_up_what_the_host_and_its_neighbours_need(sandbox: BubblewrapSandbox) -> None:
    said = asyncio.Event()
    taken = bytearray()

    def listen(chunk: bytes) -> None:
        taken.extend(chunk)
        said.set()

    greedy = asyncio.create_task(sandbox.exec(["python3", "-c", _GREED], on_stdout=listen))
    await asyncio.wait_for(said.wait(), 30)
    watchers, terminals = map(int, taken.split())
    assert 0 < watchers <= 16
    assert 0 < terminals <= 256
    own = ctypes.CDLL(None).inotify_init()
    assert own >= 0
    os.close(own)
    async with started() as neighbour:
        script = "import ctypes, os; assert ctypes.CDLL(None).inotify_init() >= 0; os.openpty()"
        assert (await neighbour.exec(["python3", "-c", script])).ok
    await sandbox.kill_all()
    with pytest.raises(SandboxGoneError):
        await greedy

"""Whatever the inside does to itself, its failure stays its own: the sandbox lives on and is not to blame."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from tests.sandbox.boxes import MIB, bash, in_sandbox, needs_bubblewrap
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.deliverable import extract_deliverable, seal_folder
from underspec.sandbox.keeper.groups import find_place
from underspec.sandbox.protocol import Limits

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]

needs_memory_group = pytest.mark.skipif("memory" not in find_place().parents, reason="no right to limit memory here")


@in_sandbox()
async def test_the_limits_of_process_1_cannot_be_turned_against_it(sandbox: BubblewrapSandbox) -> None:
    script = """
import resource
for limit in (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_SIGPENDING):
    try: print("SET", resource.prlimit(1, limit, (0, 0)))
    except PermissionError: pass
resource.prlimit(0, resource.RLIMIT_NOFILE, (64, 64))
print(resource.getrlimit(resource.RLIMIT_NOFILE))
"""
    result = await sandbox.exec(["python3", "-c", script])
    assert result.stdout == b"(64, 64)\n", result
    # Orphans without end, for process 1 to bury.
    assert (await bash(sandbox, "for i in $(seq 300); do (true &); done")).ok
    assert (await bash(sandbox, "echo here")).stdout == b"here\n"


@in_sandbox()
async def test_process_1_cannot_be_made_to_spin(sandbox: BubblewrapSandbox) -> None:
    def used() -> int:
        fields = Path(f"/proc/{init}/stat").read_bytes().rpartition(b")")[2].split()
        return int(fields[11]) + int(fields[12])

    keeper = sandbox._running().pid
    children = Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()
    (init,) = [int(child) for child in children if Path(f"/proc/{child}/comm").read_text() == "init\n"]
    before = used()
    flood = "import os, time\nend = time.time() + 2\nwhile time.time() < end: os.kill(1, 17)"
    assert (await sandbox.exec(["python3", "-c", flood])).ok
    assert used() - before < 60  # hundredths of a second, of 200


@needs_memory_group
@in_sandbox(Limits(memory=48 * MIB, disk=16 * MIB))
async def test_a_background_hog_is_killed_and_no_command_blamed_on_the_sandbox(sandbox: BubblewrapSandbox) -> None:
    hog = "import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nx = []\nwhile True: x.append(bytearray(1 << 20))"
    for _ in range(4):
        await sandbox.exec(["python3", "-c", hog], timeout=10)
        result = await bash(sandbox, "true", timeout=20)
        assert result.ok or result.limit == "memory", result
    await asyncio.sleep(0.3)
    assert (await bash(sandbox, "echo here", timeout=20)).stdout == b"here\n"


@in_sandbox()
async def test_a_storm_of_threads_and_files_leaves_the_sandbox_usable(sandbox: BubblewrapSandbox) -> None:
    storm = """
import os, threading, time
def hold():
    fds = []
    try:
        while True: fds.append(os.open("/dev/null", os.O_RDONLY))
    except OSError: time.sleep(1)
for _ in range(2000):
    try: threading.Thread(target=hold, daemon=True).start()
    except RuntimeError: break
time.sleep(0.5); os._exit(0)
"""
    result = await sandbox.exec(["python3", "-c", storm], timeout=30)
    assert result.exit_code == 0
    assert (await bash(sandbox, "echo here")).stdout == b"here\n"


def test_times_beyond_all_calendars_are_sealed_and_unpacked(tmp_path: Path) -> None:
    @in_sandbox()
    async def test(sandbox: BubblewrapSandbox) -> None:
        script = """
import os
for name, seconds in (("far", 2**62), ("last", 2**63 - 1), ("old", -(2**62)), ("first", -(2**63)), ("minus", -1)):
    open(name, "w").close()
    try: os.utime(name, (seconds, seconds))
    except (OverflowError, OSError): pass
os.utime("minus", ns=(-1, -1))
os.mkdir("folder"); os.utime("folder", (2**62, 2**62))
os.symlink("x", "link"); os.utime("link", (2**62, 2**62), follow_symlinks=False)
"""
        assert (await sandbox.exec(["python3", "-c", script])).ok
        await sandbox.kill_all()
        sealed = await sandbox.archive(tmp_path / "d.tar")
        extract_deliverable(tmp_path / "d.tar", tmp_path / "out")
        assert seal_folder(tmp_path / "out", tmp_path / "e.tar").sha256 == sealed.sha256

    test()


def test_a_workspace_made_to_be_slow_is_sealed_in_time(tmp_path: Path) -> None:
    @in_sandbox()
    async def test(sandbox: BubblewrapSandbox) -> None:
        script = """
import os
for i in range(5000): os.symlink("x" * 200, f"l{i}")
for i in range(5000): os.makedirs(f"d/{i % 100}/{i}")
os.mkfifo("p"); os.link("p", "q")
with open("sparse", "wb") as f: f.truncate(200 << 20)
"""
        assert (await sandbox.exec(["python3", "-c", script], timeout=60)).ok
        await sandbox.kill_all()
        began = time.monotonic()
        sealed = await sandbox.archive(tmp_path / "d.tar")
        assert time.monotonic() - began < 30
        assert sealed.files == 5_001
        assert {entry.reason for entry in sealed.dropped} == {"fifo"}

    test()

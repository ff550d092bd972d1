"""Beginnings and ends: nothing is left behind, whoever dies when, and nothing of others is touched."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.boxes import OWNER, bash, needs_bubblewrap, output, started
from underspec.errors import EnvironmentLacksError, SandboxError, SandboxGoneError
from underspec.sandbox.bubblewrap import state
from underspec.sandbox.bubblewrap.backend import BubblewrapBackend
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.bubblewrap.state import Process, group_name, reap, state_home
from underspec.sandbox.keeper.groups import Group, find_place
from underspec.sandbox.protocol import Owner, SandboxSpec

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state home of the test's own, so that others that test meanwhile are not in the way."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)


def groups_of(sandbox_id: str) -> list[str]:
    return Group(find_place(), group_name(sandbox_id)).all_folders()


def alive_inside(keeper: int) -> list[int]:
    """Descendants of a keeper, and what else bears the mark of the tests' victims."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if b"sleep\x004321" in (folder / "cmdline").read_bytes() or int(folder.name) == keeper:
                    found.append(int(folder.name))
    return found


def wait_until(what: object, seconds: float = 10.0) -> None:
    until = time.monotonic() + seconds
    while not what() and time.monotonic() < until:  # type: ignore[operator]
        time.sleep(0.02)
    assert what()  # type: ignore[operator]


@contextlib.contextmanager
def victim(count: int = 1) -> Iterator[tuple[subprocess.Popen[str], dict[str, int]]]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.sandbox.victim", str(count)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            keepers = {}
            for line in process.stdout:
                if line == "ready\n":
                    break
                name, pid = line.split()
                keepers[name] = int(pid)
            assert len(keepers) == count
            yield process, keepers
        finally:
            process.kill()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_harness_leaves_nothing_behind(how: signal.Signals) -> None:
    with victim(3) as (process, keepers):
        assert sorted(path.name for path in state_home().iterdir()) == sorted(keepers)
        process.send_signal(how)
        process.wait(10)
        wait_until(lambda: not any(alive_inside(keeper) for keeper in keepers.values()))
        wait_until(lambda: list(state_home().iterdir()) == [])
        assert [groups_of(name) for name in keepers] == [[], [], []]
    assert str(state_home()) not in Path("/proc/self/mountinfo").read_text()


def test_a_harness_that_stands_still_keeps_its_sandbox() -> None:
    with victim() as (process, keepers):
        process.send_signal(signal.SIGSTOP)
        assert BubblewrapBackend().reap() == []
        assert [path.name for path in state_home().iterdir()] == list(keepers)
        process.send_signal(signal.SIGCONT)


def test_a_killed_keeper_takes_its_sandbox_along_and_is_told() -> None:
    async def run() -> None:
        sandbox = BubblewrapSandbox(SandboxSpec(owner=OWNER))
        await sandbox.start()
        name, keeper = sandbox.id, sandbox._running().pid
        await bash(sandbox, "setsid sleep 4321 > /dev/null 2>&1 &")
        running = asyncio.ensure_future(bash(sandbox, "sleep 60"))
        await asyncio.sleep(0.1)
        os.kill(keeper, signal.SIGKILL)
        with pytest.raises(SandboxGoneError):
            await running
        with pytest.raises(SandboxGoneError):
            await sandbox.exec(["true"])
        with pytest.raises(SandboxGoneError):
            await sandbox.put("/tmp/x", b"")
        await sandbox.close()
        wait_until(lambda: not alive_inside(keeper))
        assert list(state_home().iterdir()) == []
        assert groups_of(name) == []

    asyncio.run(run())


def test_what_harness_and_keeper_left_is_reaped_and_nothing_else() -> None:
    async def run() -> None:
        async with started() as living:
            with victim() as (process, keepers):
                ((name, keeper),) = keepers.items()
                os.kill(keeper, signal.SIGKILL)
                process.kill()
                process.wait()
                wait_until(lambda: alive_inside(keeper) == [])
                assert (state_home() / name).is_dir()
                (state_home() / "not-ours").mkdir()
                assert BubblewrapBackend().reap() == [name]
                assert groups_of(name) == []
                assert sorted(path.name for path in state_home().iterdir()) == sorted([living.id, "not-ours"])
                assert BubblewrapBackend().reap() == []
            assert await output(living, "echo alive") == "alive\n"

    asyncio.run(run())


def test_a_keeper_that_hangs_after_its_harness_died_is_killed_when_reaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "_KEEPER_PATIENCE", 0.3)
    with victim() as (process, keepers):
        ((name, keeper),) = keepers.items()
        os.kill(keeper, signal.SIGSTOP)
        process.kill()
        process.wait()
        assert BubblewrapBackend().reap() == [name]
        wait_until(lambda: alive_inside(keeper) == [])
        assert groups_of(name) == []


def test_processes_left_in_a_group_are_killed_when_reaped() -> None:
    if "pids" not in find_place().parents:
        pytest.skip("no right to make control groups here")
    folder = state.create_state("0123456789abcdef", Owner("r", "p"))
    document = json.loads((folder / "owner.json").read_text())
    dead = subprocess.Popen(["true"])
    dead.wait()
    document["owner"] = {"pid": dead.pid, "started": 1}
    (folder / "owner.json").write_text(json.dumps(document))
    group = Group(find_place(), group_name(folder.name))
    group.create(memory=2**26, disk=2**26, processes=10, cpus=1)
    sub = group.sub("e1")
    assert sub is not None
    left = subprocess.Popen(["sleep", "60"])
    Path(f"{sub.folder}/cgroup.procs").write_text(str(left.pid))
    assert BubblewrapBackend().reap() == [folder.name]
    assert left.wait(5) == -signal.SIGKILL
    assert groups_of(folder.name) == []


@pytest.mark.parametrize(
    "change",
    [
        {"machine": "another"},
        {"processes": "pid:[1]"},
        {"owner": {"pid": 1, "started": 0}, "machine": "another"},
        {"owner": None},
    ],
)
def test_an_owner_that_cannot_be_judged_from_here_is_left_alone(change: dict[str, object]) -> None:
    folder = state.create_state("0123456789abcdef", Owner("r", "p"))
    document = json.loads((folder / "owner.json").read_text()) | {"owner": {"pid": 2**22, "started": 1}} | change
    (folder / "owner.json").write_text(json.dumps(document))
    assert BubblewrapBackend().reap() == []
    (folder / "owner.json").write_text("{ not json")
    assert BubblewrapBackend().reap() == []
    assert folder.is_dir()


def test_a_later_process_of_the_same_number_is_another() -> None:
    own = Process.of(os.getpid())
    assert own is not None
    assert own.alive()
    assert not Process(own.pid, own.started - 1).alive()
    assert Process.of(2**22 + 1) is None


def test_a_state_folder_that_others_may_write_is_refused(tmp_path: Path) -> None:
    home = tmp_path / f"underspec-{os.geteuid()}"
    home.mkdir(mode=0o755)
    with pytest.raises(SandboxError, match="private"):
        state_home()
    home.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    home.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SandboxError, match="private"):
        state_home()


def test_closing_ends_everything_at_any_time_and_more_than_once() -> None:
    async def run() -> None:
        unstarted = BubblewrapSandbox(SandboxSpec(owner=OWNER))
        await unstarted.close()
        with pytest.raises(SandboxError):
            await unstarted.start()
        for delay in (0.001, 0.005, 0.02):  # some machines start a sandbox in less
            sandbox = BubblewrapSandbox(SandboxSpec(owner=OWNER))
            starting = asyncio.ensure_future(sandbox.start())
            await asyncio.sleep(delay)
            if starting.cancel():
                with pytest.raises(asyncio.CancelledError):
                    await starting
            await sandbox.close()
        sandbox = BubblewrapSandbox(SandboxSpec(owner=OWNER))
        await sandbox.start()
        running = asyncio.ensure_future(bash(sandbox, "trap '' TERM; sleep 60"))
        await asyncio.sleep(0.1)
        await asyncio.gather(sandbox.close(), sandbox.close())
        await sandbox.close()
        with pytest.raises(SandboxGoneError):
            await running
        assert list(state_home().iterdir()) == []

    asyncio.run(run())


def test_a_cancelled_command_is_dead_when_its_caller_hears_of_it() -> None:
    async def run() -> None:
        async with started() as sandbox:
            running = asyncio.ensure_future(bash(sandbox, "setsid sleep 4322 & sleep 4322"))
            await asyncio.sleep(0.3)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            assert "4322" not in await output(sandbox, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")

    asyncio.run(run())


def test_twenty_sandboxes_at_once_are_kept_apart() -> None:
    async def one(number: int) -> None:
        async with started() as sandbox:
            await sandbox.put("/workspace/own", str(number).encode())
            results = await asyncio.gather(*(bash(sandbox, "cat own; hostname; ls /tmp") for _ in range(3)))
            assert {result.stdout for result in results} == {f"{number}sandbox\n".encode()}
            assert (await bash(sandbox, "sleep 60", timeout=0.2)).limit == "time"
            await sandbox.kill_all()
            assert await sandbox.get("/workspace/own", max_bytes=9) == str(number).encode()

    async def run() -> None:
        await asyncio.gather(*(one(number) for number in range(20)))

    asyncio.run(run())
    assert list(state_home().iterdir()) == []


def test_descriptors_and_processes_do_not_pile_up() -> None:
    async def run() -> None:
        async with started() as sandbox:
            await bash(sandbox, "true")
            before, keeper = len(os.listdir("/proc/self/fd")), f"/proc/{sandbox._running().pid}/fd"  # noqa: PTH208
            held = len(os.listdir(keeper))  # noqa: PTH208
            for number in range(15):
                await bash(sandbox, "echo x; (exec >/dev/null 2>&1; sleep 0.1) &", stdin=b"x" * number)
                await sandbox.put("/tmp/x", b"x")
                await sandbox.get("/tmp/x", max_bytes=1)
                (await sandbox.listen(9000 + number)).close()
            await asyncio.sleep(0.2)
            assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
            assert len(os.listdir(keeper)) == held  # noqa: PTH208
            await bash(sandbox, "true")
            assert len(groups_of(sandbox.id)) <= 3 + 4  # 15 commands have left a background process each
        assert len(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208

    asyncio.run(run())


def test_without_bubblewrap_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    async def run() -> None:
        with pytest.raises(EnvironmentLacksError, match="apt install bubblewrap"):
            async with started():
                pass

    asyncio.run(run())
    assert list(state_home().iterdir()) == []


def test_a_bubblewrap_that_fails_is_quoted_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It also lies where only its owner reaches it."""
    (tmp_path / "bin").mkdir(mode=0o700)
    shutil.copy("/usr/bin/ls", tmp_path / "bin/bwrap")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    async def run() -> None:
        with pytest.raises(SandboxError, match="unrecognized option '--dev-bind'"):
            async with started():
                pass

    asyncio.run(run())
    assert list(state_home().iterdir()) == []


def test_the_channel_is_the_sandboxs_own_loopback_served_from_outside() -> None:
    async def run() -> None:
        async with started() as sandbox:
            listener = await sandbox.listen(8077)
            server = await asyncio.start_server(_shout, sock=listener)
            async with server:
                script = "exec 3<>/dev/tcp/127.0.0.1/8077; printf 'hello\\n' >&3; cat <&3"
                answers = await asyncio.gather(*(output(sandbox, script) for _ in range(5)))
                assert answers == ["HELLO\n"] * 5
            serve = "setsid python3 -m http.server 8080 >/dev/null 2>&1 & "
            await bash(
                sandbox, serve + "until (: <>/dev/tcp/127.0.0.1/8080) 2>/dev/null; do sleep 0.05; done", timeout=60
            )
            with pytest.raises(SandboxError, match="8080"):
                await sandbox.listen(8080)
            with contextlib.suppress(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", 8077)
                raise AssertionError("the sandbox's port is open on the host")
            await sandbox.kill_all()
            with pytest.raises(SandboxGoneError):
                await sandbox.listen(8078)

    asyncio.run(run())


async def _shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()


def test_a_state_folder_that_was_never_whole_goes_with_whoever_began_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    here = Path("/proc/self/ns/pid").stat().st_ino
    own = Process.of(os.getpid())
    assert own is not None
    dead, living = f".a.{own.pid}.{own.started + 1}.{here}", f".b.{own.pid}.{own.started}.{here}"
    elsewhere, old = f".c.{own.pid}.{own.started + 1}.{here + 1}", f".d.{own.pid}.{own.started + 1}.{here + 1}"
    for name in (dead, living, elsewhere, old):
        (state_home() / name).mkdir()
    os.utime(state_home() / old, (0, 0))
    assert sorted(reap()) == [dead, old]
    assert sorted(path.name for path in state_home().iterdir()) == [living, elsewhere]

"""Content put in and taken out, also where the inside has laid traps."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.sandbox.boxes import MIB, bash, in_sandbox, needs_bubblewrap, output
from underspec.errors import AgentError, UsageError
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.protocol import Limits

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]

EVERY_BYTE = bytes(range(256)) * 5000


@in_sandbox()
async def test_a_file_goes_in_and_comes_out_unchanged(sandbox: BubblewrapSandbox) -> None:
    await sandbox.put("/workspace/deep/er/file", EVERY_BYTE)
    assert await sandbox.get("/workspace/deep/er/file", max_bytes=len(EVERY_BYTE)) == EVERY_BYTE
    await sandbox.put("/workspace/deep/er/file", b"shorter", executable=True)
    assert await output(sandbox, "cat deep/er/file; stat -c ' %a %U %G' deep deep/er/file") == (
        "shorter 755 root root\n 755 root root\n"
    )
    await sandbox.put("/workspace/empty", b"")
    assert await sandbox.get("/workspace/empty", max_bytes=0) == b""


@in_sandbox()
async def test_a_file_larger_than_allowed_is_the_agents_failure(sandbox: BubblewrapSandbox) -> None:
    await sandbox.put("/tmp/five", b"12345")
    assert await sandbox.get("/tmp/five", max_bytes=5) == b"12345"
    with pytest.raises(AgentError, match="larger than 4"):
        await sandbox.get("/tmp/five", max_bytes=4)
    await bash(sandbox, "truncate -s 1T /tmp/sparse")
    with pytest.raises(AgentError):
        await sandbox.get("/tmp/sparse", max_bytes=1000)


@in_sandbox()
async def test_what_is_no_file_is_refused_at_once(sandbox: BubblewrapSandbox) -> None:
    await bash(sandbox, "mkfifo /tmp/fifo; mkdir /tmp/folder; ln -s loop /tmp/loop; ln -s /nowhere /tmp/dangling")
    await bash(sandbox, "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"/tmp/socket\")'")
    began = time.monotonic()
    for name in ("fifo", "folder", "loop", "dangling", "socket", "missing"):
        with pytest.raises(AgentError):
            await sandbox.get(f"/tmp/{name}", max_bytes=10)
    for name in ("fifo", "folder", "loop", "socket", "fifo/below"):
        with pytest.raises(AgentError):
            await sandbox.put(f"/tmp/{name}", b"x")
    assert time.monotonic() - began < 5


@in_sandbox()
async def test_writing_to_a_fifo_that_is_read_is_refused(sandbox: BubblewrapSandbox) -> None:
    await bash(sandbox, "mkfifo /tmp/fifo; (setsid cat /tmp/fifo > /tmp/got 2>&1 &); sleep 0.2")
    with pytest.raises(AgentError):
        await sandbox.put("/tmp/fifo", b"x")


@in_sandbox()
async def test_links_are_resolved_inside_only(sandbox: BubblewrapSandbox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the host")
    target = tmp_path / "target"
    await bash(sandbox, f"ln -s {tmp_path}/secret /tmp/a; ln -s ../../../../..{tmp_path} /tmp/b; ln -s {target} /tmp/c")
    for path in ("/tmp/a", "/tmp/b/secret", f"/proc/self/root{tmp_path}/secret", f"/tmp/../..{tmp_path}/secret"):
        with pytest.raises(AgentError):
            await sandbox.get(path, max_bytes=100)
    await bash(sandbox, f"mkdir -p {tmp_path}")
    await sandbox.put("/tmp/c", b"inside")
    assert not target.exists()
    assert await output(sandbox, f"cat {target}") == "inside"
    await sandbox.put("/tmp/b/new", b"also inside")
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


@in_sandbox()
async def test_the_hosts_process_and_device_files_are_out_of_reach(sandbox: BubblewrapSandbox) -> None:
    for path in ("/proc/self/environ", "/proc/1/environ", "/proc/version", "/sys/kernel/vmcoreinfo"):
        with pytest.raises(AgentError):
            await sandbox.get(path, max_bytes=100_000)


@in_sandbox()
async def test_a_place_made_unusable_is_the_doing_of_whoever_worked_inside(sandbox: BubblewrapSandbox) -> None:
    await bash(sandbox, "ln -s /usr workspace_tests; ln -s / root; chmod 000 .; mkdir shut; chmod 000 shut")
    for path in ("/workspace/workspace_tests/new", "/workspace/root/new", "/usr/bin/new", "/new"):
        with pytest.raises(AgentError):
            await sandbox.put(path, b"x")
    await sandbox.put("/workspace/shut/file", b"x")
    assert await sandbox.get("/workspace/shut/file", max_bytes=1) == b"x"


@in_sandbox(Limits(disk=2 * MIB))
async def test_a_disk_that_the_agent_filled_is_the_agents_failure(sandbox: BubblewrapSandbox) -> None:
    await bash(sandbox, "head -c 10000000 /dev/zero > /tmp/full")
    with pytest.raises(AgentError, match="disk is full"):
        await sandbox.put("/workspace/file", b"x" * 10_000)


@in_sandbox()
async def test_paths_are_absolute(sandbox: BubblewrapSandbox) -> None:
    for path in ("relative", "", "/zero\0byte", "/surrogate\ud800"):
        with pytest.raises(UsageError):
            await sandbox.put(path, b"")


def lay_tree(top: Path) -> None:
    (top / "folder/inner").mkdir(parents=True)
    (top / "folder/inner/run.sh").write_text("#!/bin/sh\necho ran\n")
    (top / "folder/inner/run.sh").chmod(0o755)
    (top / "folder/data").write_bytes(EVERY_BYTE)
    (top / "empty").mkdir()
    (top / "link").symlink_to("folder/inner/run.sh")
    (top / "outward").symlink_to("/etc/shadow")
    Path(os.fsdecode(os.fsencode(top) + b"/odd \xff\n name")).write_text("odd")
    os.mkfifo(top / "fifo")
    os.utime(top / "folder/data", ns=(1, 1_234_567_890_123_456_789))


@in_sandbox()
async def test_a_tree_goes_in_with_modes_times_and_links(sandbox: BubblewrapSandbox, tmp_path: Path) -> None:
    lay_tree(tmp_path)
    await sandbox.put_tree(tmp_path, "/workspace/tree")
    assert await output(sandbox, "cd tree && ./link && readlink outward && ls -A empty") == "ran\n/etc/shadow\n"
    assert await output(sandbox, "stat -c '%y %U' tree/folder/data; ls -A tree | wc -l") == (
        "2009-02-13 23:31:30.123456789 +0000 root\n6\n"
    )
    assert await sandbox.get("/workspace/tree/folder/data", max_bytes=2 * MIB) == EVERY_BYTE


@in_sandbox()
async def test_a_tree_merges_with_what_is_there_and_follows_no_link(sandbox: BubblewrapSandbox, tmp_path: Path) -> None:
    lay_tree(tmp_path)
    await bash(sandbox, "mkdir -p folder other; echo old > folder/data; echo kept > folder/kept; ln -s /tmp/t link")
    await sandbox.put_tree(tmp_path, "/workspace")
    assert await output(sandbox, "cat folder/kept; readlink link; ls /tmp") == "kept\nfolder/inner/run.sh\n"
    await bash(sandbox, "rm -r folder; ln -s /tmp folder")
    with pytest.raises(AgentError):
        await sandbox.put_tree(tmp_path, "/workspace")
    assert await output(sandbox, "ls /tmp") == ""


@in_sandbox()
async def test_many_files_go_in_quickly(sandbox: BubblewrapSandbox, tmp_path: Path) -> None:
    for number in range(1000):
        (tmp_path / str(number)).write_text(str(number))
    await sandbox.put_tree(tmp_path, "/workspace/many")
    assert await output(sandbox, "ls many | wc -l; cat many/999") == "1000\n999"


@in_sandbox()
async def test_collect_takes_plain_files_in_name_order_and_follows_nothing(sandbox: BubblewrapSandbox) -> None:
    await bash(
        sandbox,
        """
        mkdir -p out/stdout; cd out/stdout
        printf b > b.txt; printf a > a.txt; printf skipped > c.log; mkdir d.txt
        ln -s /etc/passwd e.txt; ln -s a.txt f.txt; mkfifo g.txt; printf '\\xff\\x00' > $'h\\xff.txt'
        ln -s /etc /workspace/out/linked; ln -s stdout /workspace/out/alias
        """,
    )

    async def collect(path: str, pattern: str = "*.txt") -> list[tuple[str, int, bytes | None]]:
        files = await sandbox.collect(path, max_file=100, max_files=100, max_total=1000, pattern=pattern)
        return [(file.name, file.size, file.content) for file in files]

    expected = [("a.txt", 1, b"a"), ("b.txt", 1, b"b"), ("h\udcff.txt", 2, b"\xff\0")]
    assert await collect("/workspace/out/stdout") == expected
    assert await collect("/workspace/out/stdout", "b*") == [("b.txt", 1, b"b")]
    for path in ("/workspace/out/linked", "/workspace/out/alias", "/workspace/missing", "/workspace/out/stdout/a.txt"):
        assert await collect(path, "*") == []
    await sandbox.kill_all()
    assert await collect("/workspace/out/stdout") == expected


@in_sandbox()
async def test_collect_keeps_to_its_bounds(sandbox: BubblewrapSandbox) -> None:
    await bash(sandbox, "mkdir o; cd o; for i in 1 2 3 4 5; do printf %0${i}d 0 > $i; done; truncate -s 1T huge")

    async def contents(max_file: int = 9, max_files: int = 9, max_total: int = 99) -> list[bool]:
        files = await sandbox.collect("/workspace/o", max_file=max_file, max_files=max_files, max_total=max_total)
        assert [file.name for file in files] == ["1", "2", "3", "4", "5", "huge"]
        return [file.content is not None for file in files[:5]]

    assert await contents() == [True] * 5
    assert await contents(max_file=4) == [True, True, True, True, False]
    assert await contents(max_file=5) == [True] * 5
    assert await contents(max_files=2) == [True, True, False, False, False]
    assert await contents(max_total=6) == [True, True, True, False, False]
    wanted = await sandbox.collect(
        "/workspace/o", max_file=9, max_files=1, max_total=9, want=lambda name, size: name == "5" and size == 5
    )
    assert [file.name for file in wanted if file.content is not None] == ["5"]


@in_sandbox()
async def test_collect_reads_thousands_of_files(sandbox: BubblewrapSandbox) -> None:
    await bash(sandbox, "mkdir o; python3 -c \"for i in range(3000): open(f'o/{i:05}', 'w').write(str(i))\"")
    began = time.monotonic()
    files = await sandbox.collect("/workspace/o", max_file=9, max_files=10**6, max_total=10**9)
    assert [file.content for file in files] == [str(number).encode() for number in range(3000)]
    assert time.monotonic() - began < 5

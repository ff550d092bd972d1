"""Content put in and taken out, also where the inside has laid traps."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from underspec.errors import AgentError
from underspec.sandbox.conformance.expect import bash, equal, expect, expect_error, output, started
from underspec.sandbox.protocol import SandboxBackend

_EVERY_BYTE = bytes(range(256)) * 5000


async def a_file_goes_in_and_out_unchanged(backend: SandboxBackend) -> None:
    """A file comes out as it went in, belongs to root inside, and has the mode that was asked for."""
    async with started(backend) as sandbox:
        await sandbox.put("/workspace/deep/er/file", _EVERY_BYTE)
        expect(await sandbox.get("/workspace/deep/er/file", max_bytes=len(_EVERY_BYTE)) == _EVERY_BYTE, "changed")
        await sandbox.put("/workspace/deep/er/file", b"shorter", executable=True)
        equal(await output(sandbox, "cat deep/er/file; stat -c ' %a %u %g' deep/er/file"), "shorter 755 0 0\n")


async def links_lead_nowhere_on_the_host(backend: SandboxBackend) -> None:
    """Links are resolved inside only: the host's files are neither read nor written through them."""
    with tempfile.TemporaryDirectory(prefix="underspec-conformance-") as name:
        folder = Path(name)
        (folder / "secret").write_text("of the host")
        async with started(backend) as sandbox:
            await bash(
                sandbox,
                f"mkdir -p {name}; cd /tmp; ln -s {name}/secret a; ln -s ../../../../..{name} b; ln -s {name}/new c",
            )
            for path in ("/tmp/a", "/tmp/b/secret", f"/proc/self/root{name}/secret", f"/tmp/../..{name}/secret"):
                async with expect_error(AgentError):
                    await sandbox.get(path, max_bytes=100)
            await sandbox.put("/tmp/c", b"inside")
            equal(await output(sandbox, f"cat {name}/new"), "inside")
        equal(sorted(path.name for path in folder.iterdir()), ["secret"])


async def what_is_no_file_is_refused_at_once(backend: SandboxBackend) -> None:
    """Pipes, sockets, folders, devices, loops and missing files are refused without waiting."""
    async with started(backend) as sandbox:
        await bash(sandbox, "cd /tmp; mkfifo fifo; mkdir folder; ln -s loop loop; ln -s /nowhere dangling")
        await bash(sandbox, "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"/tmp/socket\")'")
        began = time.monotonic()
        for name in ("fifo", "folder", "loop", "dangling", "socket", "missing"):
            async with expect_error(AgentError):
                await sandbox.get(f"/tmp/{name}", max_bytes=10)
        for name in ("fifo", "folder", "loop", "socket", "fifo/below"):
            async with expect_error(AgentError):
                await sandbox.put(f"/tmp/{name}", b"x")
        for path in ("/proc/1/environ", "/proc/version", "/sys/kernel/vmcoreinfo"):
            async with expect_error(AgentError):
                await sandbox.get(path, max_bytes=100_000)
        # A link in the workspace may lead there, laid by whoever worked inside: never the sandbox's failure.
        for path in ("/usr/bin/new", "/new"):
            async with expect_error(AgentError):
                await sandbox.put(path, b"x")
        expect(time.monotonic() - began < 20, "waited")


async def a_tree_goes_in_and_follows_no_link(backend: SandboxBackend) -> None:
    """A tree arrives with modes, times and links as root's own, merges with what is there, and follows no link."""
    with tempfile.TemporaryDirectory(prefix="underspec-conformance-") as name:
        top = Path(name)
        (top / "folder").mkdir()
        (top / "folder/run.sh").write_text("#!/bin/sh\necho ran\n")
        (top / "folder/run.sh").chmod(0o755)
        os.utime(top / "folder/run.sh", ns=(1, 1_234_567_890_123_456_789))
        (top / "link").symlink_to("folder/run.sh")
        (top / "outward").symlink_to("/etc/shadow")
        async with started(backend) as sandbox:
            await bash(sandbox, "mkdir folder; echo kept > folder/kept; ln -s /tmp/t link")
            await sandbox.put_tree(top, "/workspace")
            said = await output(sandbox, "./link; cat folder/kept; readlink outward; stat -c '%y %u %g' folder/run.sh")
            equal(said, "ran\nkept\n/etc/shadow\n2009-02-13 23:31:30.123456789 +0000 0 0\n")
            await bash(sandbox, "rm -r folder; ln -s /tmp folder")
            async with expect_error(AgentError):
                await sandbox.put_tree(top, "/workspace")
            equal(await output(sandbox, "ls /tmp"), "")


async def collecting_takes_plain_files_only(backend: SandboxBackend) -> None:
    """Collecting takes regular files in name order, within its bounds, follows nothing, and works after the end."""
    async with started(backend) as sandbox:
        await bash(
            sandbox,
            """
            mkdir -p out/stdout; cd out/stdout; printf b > b.txt; printf a > a.txt; printf skipped > c.log; mkdir d.txt
            ln -s /etc/passwd e.txt; ln -s a.txt f.txt; mkfifo g.txt; printf '\\xff\\x00' > $'h\\xff.txt'
            truncate -s 1T huge.txt; ln -s /etc /workspace/out/linked; ln -s stdout /workspace/out/alias
            """,
        )
        expected = [("a.txt", b"a"), ("b.txt", b"b"), ("huge.txt", None), ("h\udcff.txt", b"\xff\0")]
        for _ in range(2):
            files = await sandbox.collect(
                "/workspace/out/stdout", max_file=100, max_files=100, max_total=1000, pattern="*.txt"
            )
            equal([(file.name, file.content) for file in files], expected)
            for path in ("/workspace/out/linked", "/workspace/out/alias", "/workspace/missing"):
                equal(await sandbox.collect(path, max_file=100, max_files=100, max_total=1000), [])
            await sandbox.kill_all()


CHECKS = (
    a_file_goes_in_and_out_unchanged,
    links_lead_nowhere_on_the_host,
    what_is_no_file_is_refused_at_once,
    a_tree_goes_in_and_follows_no_link,
    collecting_takes_plain_files_only,
)

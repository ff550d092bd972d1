"""The workspace over a host folder, and host folders shown beside it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
from pathlib import Path

import pytest

from tests.sandbox.boxes import IS_ROOT, MIB, bash, needs_bubblewrap, needs_root, output, started
from underspec.errors import SandboxError, UsageError
from underspec.sandbox.protocol import Limits, Mount

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]


def lay(top: Path) -> Path:
    (top / "folder/inner").mkdir(parents=True)
    (top / "folder/file").write_text("lower\n")
    (top / "folder/inner/deep").write_text("deep\n")
    (top / "gone").write_text("to be removed")
    (top / "run").write_text("#!/bin/sh\necho ran\n")
    (top / "run").chmod(0o700)
    (top / "link").symlink_to("folder/file")
    return top


def fingerprint(top: Path) -> str:
    """Everything about a tree but access times."""
    hasher = hashlib.sha256()
    for path in sorted([top, *top.rglob("*")]):
        status = path.lstat()
        hasher.update(repr((str(path), status.st_mode, status.st_uid, status.st_mtime_ns, status.st_ino)).encode())
        if path.is_symlink():
            hasher.update(os.fsencode(path.readlink()))
        elif path.is_file():
            hasher.update(path.read_bytes())
    return hasher.hexdigest()


def test_a_lower_folder_is_the_workspace_and_never_changes(tmp_path: Path) -> None:
    async def run() -> None:
        lower = lay(tmp_path / "lower")
        before = fingerprint(lower)
        async with started(lower=lower) as sandbox:
            assert await output(sandbox, "cat folder/file link; ./run; stat -c %U folder/file .") == (
                "lower\nlower\nran\nroot\nroot\n"
            )
            await output(
                sandbox,
                """
                echo changed > folder/file; rm gone; echo new > new; rm -r folder/inner; mkdir folder/inner
                chmod 600 run; chown root:root run; touch -d 2001-01-01 folder
                """,
            )
            assert await output(sandbox, "cat folder/file new; ls folder/inner; ls gone 2>&1 || true") == (
                "changed\nnew\nls: cannot access 'gone': No such file or directory\n"
            )
        assert fingerprint(lower) == before
        async with started(lower=lower) as fresh:
            assert await output(fresh, "cat folder/file folder/inner/deep") == "lower\ndeep\n"

    asyncio.run(run())


def test_a_lower_folder_is_not_copied(tmp_path: Path) -> None:
    async def run() -> None:
        (tmp_path / "big").write_bytes(bytes(30 * MIB))
        async with started(lower=tmp_path) as probe:
            if probe.notes["workspace"] == "copy":
                pytest.skip("this kernel or file system cannot show a folder under an overlay")
        async with started(Limits(disk=2 * MIB), lower=tmp_path) as sandbox:
            assert await output(sandbox, "wc -c < big; echo small > small") == f"{30 * MIB}\n"

    asyncio.run(run())


@needs_root
def test_a_folder_of_the_lower_layer_can_be_renamed(tmp_path: Path) -> None:
    async def run() -> None:
        async with started(lower=lay(tmp_path / "lower")) as sandbox:
            script = "import os; os.rename('folder', 'renamed'); print(open('renamed/inner/deep').read())"
            result = await sandbox.exec(["python3", "-c", script])
            assert result.stdout == b"deep\n\n", result

    asyncio.run(run())


@needs_root
@pytest.mark.parametrize("owner", [1000, 65535, 1_234_567])
def test_whoever_owns_the_lower_folder_root_inside_owns_it_there(tmp_path: Path, owner: int) -> None:
    async def run() -> None:
        lower = lay(tmp_path / "lower")
        for path in [lower, *lower.rglob("*")]:
            os.chown(path, owner, owner, follow_symlinks=False)
        async with started(lower=lower) as sandbox:
            script = "stat -c '%U %G' . folder/file && echo more >> folder/file && ./run && rm gone && cat folder/file"
            assert await output(sandbox, script) == "root root\nroot root\nran\nlower\nmore\n"

    asyncio.run(run())


def test_a_mount_is_shown_read_only(tmp_path: Path) -> None:
    async def run() -> None:
        source = lay(tmp_path / "source")
        before = fingerprint(source)
        mounts = (Mount(source, "/opt/shown"), Mount(source / "run", "/opt/tools/run"), Mount(source, "/workspace/in"))
        async with started(mounts=mounts) as sandbox:
            assert await output(sandbox, "cat /opt/shown/folder/file /workspace/in/link; /opt/tools/run") == (
                "lower\nlower\nran\n"
            )
            for command in ("echo x > /opt/shown/folder/file", "rm /opt/shown/gone", "echo x > /opt/tools/run"):
                assert b"Read-only" in (await bash(sandbox, command)).stderr
        assert fingerprint(source) == before

    asyncio.run(run())


@needs_root
def test_sources_that_only_root_of_the_host_reaches_can_be_shown(tmp_path: Path) -> None:
    async def run() -> None:
        private = tmp_path / "private"
        private.mkdir(mode=0o700)
        source = lay(private / "source")
        source.chmod(0o700)
        (source / "gone").chmod(0o600)
        async with started(lower=source, mounts=(Mount(source, "/opt/shown"),)) as sandbox:
            assert await output(sandbox, "cat /opt/shown/gone gone") == "to be removed" * 2

    asyncio.run(run())


def test_a_target_behind_a_link_of_the_workspace_is_refused(tmp_path: Path) -> None:
    async def run() -> None:
        lower = tmp_path / "lower"
        lower.mkdir()
        (lower / "tests").symlink_to("/etc")
        (lower / "file").write_text("")
        source = lay(tmp_path / "source")
        for target in ("/workspace/tests", "/workspace/tests/deeper", "/workspace/file/below", "/workspace/file"):
            with pytest.raises(UsageError, match=target):
                async with started(lower=lower, mounts=(Mount(source, target),)):
                    pass
        assert Path("/etc/passwd").stat().st_size > 0

    asyncio.run(run())


@pytest.mark.parametrize(
    "target", ["/", "relative", "/proc", "/proc/self", "/dev", "/dev/null", "/sys", "/a/../b", "/a//b", "/a/./b", "/a/"]
)
def test_targets_that_would_change_the_sandbox_itself_are_wrong_use(tmp_path: Path, target: str) -> None:
    async def run() -> None:
        with pytest.raises(UsageError):
            async with started(mounts=(Mount(tmp_path, target),)):
                pass

    asyncio.run(run())


def test_a_source_that_is_not_there_is_said(tmp_path: Path) -> None:
    async def run() -> None:
        with pytest.raises(SandboxError, match="missing"):
            async with started(lower=tmp_path / "missing"):
                pass

    asyncio.run(run())


def test_a_socket_in_a_shown_folder_or_a_device_gives_no_way_out(tmp_path: Path) -> None:
    async def run() -> None:
        if IS_ROOT:
            os.mknod(tmp_path / "device", stat.S_IFCHR | 0o666, os.makedev(1, 1))
        (tmp_path / "program").write_bytes(Path("/usr/bin/id").read_bytes())
        (tmp_path / "program").chmod(0o4755)
        async with started(lower=tmp_path, mounts=(Mount(tmp_path, "/opt/shown"),)) as sandbox:
            for place in ("/opt/shown", "/workspace"):
                assert not (await bash(sandbox, f"head -c1 {place}/device")).ok
            assert await output(sandbox, "/opt/shown/program -u") == "0\n"

    asyncio.run(run())


@pytest.mark.skipif(IS_ROOT, reason="root can read everything")
def test_a_folder_that_cannot_be_read_whole_is_not_shown_in_part(tmp_path: Path) -> None:
    async def run() -> None:
        lay(tmp_path / "source")
        (tmp_path / "source/gone").chmod(0)
        async with started() as sandbox:
            with pytest.raises(SandboxError, match="gone"):
                await sandbox.put_tree(tmp_path / "source", "/workspace")

    asyncio.run(run())


@pytest.mark.skipif(IS_ROOT, reason="root can be given any owner's files")
def test_somebody_elses_folder_under_the_workspace_is_the_insides_own_all_the_same() -> None:
    async def run() -> None:
        async with started(lower=Path("/usr/share/doc/bash")) as sandbox:
            assert sandbox.notes["workspace"] == "copy"
            assert await output(sandbox, "stat -c %U . copyright; echo more >> copyright && tail -1 copyright") == (
                "root\nroot\nmore\n"
            )

    asyncio.run(run())

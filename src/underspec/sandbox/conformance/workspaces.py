"""The workspace over a host folder, folders shown beside it, and the deliverable taken from it."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from underspec.errors import SandboxError, UsageError
from underspec.sandbox.conformance.expect import MIB, bash, equal, expect, expect_error, output, started
from underspec.sandbox.deliverable import extract_deliverable, seal_folder
from underspec.sandbox.protocol import Limits, Mount, SandboxBackend

_BUILD = r"""
set -e
mkdir -p src/inner empty build .git/objects sub/.git a
echo 'print(1)' > src/main.py; chmod 755 src/main.py
echo data > src/inner/data; chmod 000 src/inner/data; ln src/inner/data src/hard
ln -s ../inner/data src/soft; ln -s /etc/shadow outward; ln -s loop loop
echo x > .git/objects/x; mkfifo build/fifo
printf odd > $'bad\xff\nname'; printf long > $(printf 'n%.0s' $(seq 200)); : > 'a-b'; : > a/b; : > a0
touch -d '2001-02-03 04:05:06.789012345 UTC' src/main.py
"""
# The hash of what _BUILD makes, over its definition: the same on every backend and machine.
_ENTRIES: tuple[tuple[bytes, bytes, bytes], ...] = (
    (b"d", b"a", b""),
    (b"f", b"a-b", b""),
    (b"f", b"a/b", b""),
    (b"f", b"a0", b""),
    (b"f", b"bad\xff\nname", b"odd"),
    (b"d", b"build", b""),
    (b"d", b"empty", b""),
    (b"l", b"loop", b"loop"),
    (b"f", b"n" * 200, b"long"),
    (b"l", b"outward", b"/etc/shadow"),
    (b"d", b"src", b""),
    (b"f", b"src/hard", b"data\n"),
    (b"d", b"src/inner", b""),
    (b"f", b"src/inner/data", b"data\n"),
    (b"x", b"src/main.py", b"print(1)\n"),
    (b"l", b"src/soft", b"../inner/data"),
    (b"d", b"sub", b""),
)


def _expected_hash() -> str:
    hasher = hashlib.sha256()
    for kind, path, content in _ENTRIES:
        hasher.update(kind + len(path).to_bytes(4, "big") + path + len(content).to_bytes(8, "big") + content)
    return hasher.hexdigest()


async def a_deliverable_has_the_same_hash_everywhere(backend: SandboxBackend) -> None:
    """What is sealed after the end has the hash that its definition gives, comes out whole, and drops what it must."""
    with tempfile.TemporaryDirectory(prefix="underspec-conformance-") as name:
        folder = Path(name)
        async with started(backend) as sandbox:
            built = await bash(sandbox, _BUILD)
            expect(built.ok, built)
            async with expect_error(SandboxError):
                await sandbox.archive(folder / "early.tar")
            await sandbox.kill_all()
            deliverable = await sandbox.archive(folder / "deliverable.tar")
        equal(deliverable.sha256, _expected_hash())
        dropped = sorted((entry.path, entry.reason) for entry in deliverable.dropped)
        equal(dropped, [(".git", "git"), ("build/fifo", "fifo"), ("sub/.git", "git")])
        extract_deliverable(folder / "deliverable.tar", folder / "out")
        equal(seal_folder(folder / "out", folder / "again.tar").sha256, deliverable.sha256)
        equal((folder / "out/src/main.py").stat().st_mtime_ns, 981173106789012345)


def _lay(top: Path) -> Path:
    (top / "folder/inner").mkdir(parents=True)
    (top / "folder/file").write_text("lower\n")
    (top / "folder/inner/deep").write_text("deep\n")
    (top / "gone").write_text("to be removed")
    (top / "run").write_text("#!/bin/sh\necho ran\n")
    (top / "run").chmod(0o700)
    (top / "link").symlink_to("folder/file")
    return top


def _fingerprint(top: Path) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for path in sorted([top, *top.rglob("*")]):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found.append((str(path), status.st_mode, status.st_uid, status.st_mtime_ns, status.st_ino, content))
    return found


async def a_lower_folder_is_shown_and_never_changes(backend: SandboxBackend) -> None:
    """A host folder is the workspace's content, root's own, changeable inside, and never changed itself."""
    with tempfile.TemporaryDirectory(prefix="underspec-conformance-") as name:
        lower = _lay(Path(name) / "lower")
        if os.geteuid() == 0:
            for path in [lower, *lower.rglob("*")]:
                os.chown(path, 1000, 1000, follow_symlinks=False)
        before = _fingerprint(lower)
        async with started(backend, lower=lower) as sandbox:
            said = await output(sandbox, "cat folder/file link; ./run; stat -c '%u %g' folder/file .")
            equal(said, "lower\nlower\nran\n0 0\n0 0\n")
            await output(
                sandbox, "echo changed > folder/file; rm gone; echo new > new; rm -r folder/inner; chmod 600 run"
            )
            await sandbox.kill_all()
            after = await sandbox.archive(Path(name) / "after.tar")
        expect(_fingerprint(lower) == before, "the host's folder changed")
        async with started(backend, lower=lower) as fresh:
            equal(await output(fresh, "cat folder/file folder/inner/deep gone"), "lower\ndeep\nto be removed")
        extract_deliverable(Path(name) / "after.tar", Path(name) / "out")
        found = sorted(str(path.relative_to(Path(name) / "out")) for path in (Path(name) / "out").rglob("*"))
        equal(found, ["folder", "folder/file", "link", "new", "run"])
        equal(after.files, 4)


async def a_lower_folder_is_not_copied(backend: SandboxBackend) -> None:
    """A host folder larger than the sandbox's disk is no trouble."""
    with tempfile.TemporaryDirectory(prefix="underspec-conformance-") as name:
        (Path(name) / "big").write_bytes(bytes(30 * MIB))
        async with started(backend, Limits(disk=2 * MIB), lower=Path(name)) as sandbox:
            equal(await output(sandbox, "wc -c < big; echo small > small"), f"{30 * MIB}\n")


async def mounts_are_read_only(backend: SandboxBackend) -> None:
    """Host folders and files are shown where asked, read-only, and what would change the sandbox itself is refused."""
    with tempfile.TemporaryDirectory(prefix="underspec-conformance-") as name:
        source = _lay(Path(name) / "source")
        before = _fingerprint(source)
        mounts = (Mount(source, "/opt/shown"), Mount(source / "run", "/opt/tools/run"), Mount(source, "/workspace/in"))
        async with started(backend, mounts=mounts) as sandbox:
            equal(await output(sandbox, "cat /opt/shown/folder/file in/link; /opt/tools/run"), "lower\nlower\nran\n")
            for command in ("echo x > /opt/shown/folder/file", "rm in/gone", "echo x > /opt/tools/run"):
                refused = await bash(sandbox, command)
                expect(b"Read-only" in refused.stderr, refused)
        expect(_fingerprint(source) == before, "the host's folder changed")
        for target in ("/", "relative", "/proc", "/dev/null", "/sys", "/a/../b"):
            async with expect_error(UsageError), started(backend, mounts=(Mount(source, target),)):
                pass


CHECKS = (
    a_deliverable_has_the_same_hash_everywhere,
    a_lower_folder_is_shown_and_never_changes,
    a_lower_folder_is_not_copied,
    mounts_are_read_only,
)

"""Trees that this machine keeps, each in a folder of its own: made aside, moved in whole, never replaced while in use.

Beside a folder lie two lock files: one is held while its content is made; the other is shared by the processes whose
sandboxes show the tree, so that no tree is replaced under a running sandbox.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import secrets
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

from underspec.artifact.base import Artifact
from underspec.artifact.files import host_exhaustion, sync_folder
from underspec.errors import SandboxError
from underspec.sandbox.images.digest import seal_tree

TREE = "root"
_in_use: dict[Path, int] = {}
_using = threading.Lock()


@functools.cache
def _sealed(root: Path, identity: tuple[int, ...], seal: str) -> bool:
    """Whether a tree looks as it did when it was made. Walked once a process and tree."""
    return seal_tree(root) == seal


def is_sealed(folder: Path, document: str, seal: str) -> bool:
    """Whether the tree in ``folder`` looks as it did when it was made; ``document`` is the file about it there."""
    status = (folder / document).stat()
    return _sealed(folder / TREE, (status.st_dev, status.st_ino, status.st_mtime_ns), seal)


def hold(folder: Path) -> None:
    """Keep what is in ``folder``, if anything is, from being replaced as long as this process lives."""
    with _using:
        if folder not in _in_use and folder.is_dir():
            descriptor = os.open(_lock_file(folder, "use"), os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            _in_use[folder] = descriptor


def _lock_file(folder: Path, purpose: str) -> Path:
    return folder.with_name(f".{folder.name}.{purpose}.lock")


@contextlib.contextmanager
def _locked(folder: Path, purpose: str, *, wait: bool) -> Iterator[bool]:
    """Hold a lock alone; yields False where somebody else has it and we do not wait."""
    descriptor = os.open(_lock_file(folder, purpose), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def making_in(folder: Path) -> Iterator[Path]:
    """A folder with an empty tree beside ``folder``, for its maker alone; gone afterwards unless it was published.

    Waits for another process that makes the same, and removes what one that was killed has left.

    Raises:
        SandboxError: something is still mounted in a leftover.
    """
    with host_exhaustion(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder, "build", wait=True):
            for left_over in folder.parent.glob(f".{folder.name}.*.tmp"):
                _remove(left_over)
            prepared = folder.with_name(f".{folder.name}.{secrets.token_hex(6)}.tmp")
            prepared.mkdir()
            prepared.chmod(0o755)
            (prepared / TREE).mkdir()
            (prepared / TREE).chmod(0o755)
            try:
                yield prepared
            finally:
                if prepared.exists():
                    _remove(prepared)


def publish_in(folder: Path, prepared: Path, document: Artifact, *, file: str, what: str) -> None:
    """Put a finished tree, with the file about it, in its place, in one step, instead of the one that was there.

    Raises:
        SandboxError: sandboxes show the old one just now.
    """
    (prepared / file).write_bytes(document.to_bytes())
    (prepared / file).chmod(0o644)
    os.sync()  # one call for tens of thousands of files
    with _using:
        if folder in _in_use:
            os.close(_in_use.pop(folder))  # our own; this process takes a new one when it next starts a sandbox
    with _locked(folder, "use", wait=False) as alone:
        if not alone:
            raise SandboxError(
                f"{what} cannot be replaced while sandboxes run with it",
                file=str(folder),
                mend="build it again when they have ended",
            )
        replaced = folder.with_name(f".{folder.name}.replaced.tmp")
        if folder.exists():
            folder.rename(replaced)
        prepared.rename(folder)
        sync_folder(folder.parent)
    if replaced.exists():
        _remove(replaced)


def _remove(folder: Path) -> None:
    """Remove a tree, unless something is mounted in it: then removing would reach beyond it."""
    mounted = [line.split(" ")[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    if any(Path(place).is_relative_to(folder) for place in mounted):
        raise SandboxError(
            "something is mounted in what a broken build left", file=str(folder), mend="unmount it and try again"
        )
    shutil.rmtree(folder)

"""What this machine fetched or made once and keeps: ``$UNDERSPEC_HOME``, or ``~/.cache/underspec``.

A *slot* is one kept folder. It is made aside and moved in whole; its digest stands beside it and is checked at each
use, so that a slot that somebody changed or that a disk damaged is made anew instead of being believed. A lock file
keeps processes from making the same slot twice.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from underspec.artifact.files import host_exhaustion, publish_folder
from underspec.errors import EnvironmentLacksError, GoldenError
from underspec.task.digest import entries_digest
from underspec.task.finding import Finding
from underspec.task.tree import read_tree

_TREE, _SEAL = "tree", "tree.digest"


def home() -> Path:
    """``$UNDERSPEC_HOME`` when set, else ``~/.cache/underspec``."""
    named = os.environ.get("UNDERSPEC_HOME")
    if named:
        return Path(named).absolute()
    try:
        return Path.home() / ".cache" / "underspec"
    except RuntimeError as problem:
        mend = "set UNDERSPEC_HOME to a folder of a local disk that you may write"
        raise EnvironmentLacksError("this user has no home folder to keep things in", mend=mend) from problem


def make_shared_folder(folder: Path) -> None:
    """Make a folder that a sandbox under another user id can read, whatever the umask."""
    folder.mkdir()
    folder.chmod(0o755)


@contextlib.contextmanager
def cache_problems(folder: Path) -> Iterator[None]:
    """Turn "cannot write there" into an error that says what to do."""
    try:
        with host_exhaustion(folder):
            yield
    except OSError as problem:
        raise GoldenError(
            f"the cache folder cannot be used: {problem.strerror}",
            file=problem.filename if isinstance(problem.filename, str) else str(folder),
            mend="set UNDERSPEC_HOME to a folder of a local disk that you may write",
        ) from problem


@contextlib.contextmanager
def _locked(slot: Path) -> Iterator[None]:
    slot.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(slot.with_name(slot.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _digest(tree: Path) -> str | None:
    findings: list[Finding] = []
    entries = read_tree(tree, findings.append)
    return None if findings else entries_digest(entries)


def _is_whole(slot: Path) -> bool:
    seal = slot / _SEAL
    return seal.is_file() and (slot / _TREE).is_dir() and seal.read_bytes() == (_digest(slot / _TREE) or "").encode()


def kept_folder(slot: Path, make: Callable[[Path], None]) -> Path:
    """The folder that ``make(empty folder)`` fills, made at the first call and whenever the kept one is damaged.

    Safe among threads' and processes' concurrent calls on one machine. The result is for reading only.

    Raises:
        GoldenError: the cache cannot be used, or what ``make`` wrote is nothing that a task may use.
        HostExhaustedError: no space left.
    """
    with cache_problems(slot), _locked(slot):
        if _is_whole(slot):
            return slot / _TREE
        for left_over in slot.parent.glob(f".{slot.name}.*.tmp"):
            shutil.rmtree(left_over)  # of a process that was killed: whoever holds the lock is the only maker
        prepared = slot.with_name(f".{slot.name}.{secrets.token_hex(6)}.tmp")
        make_shared_folder(prepared)
        try:
            make_shared_folder(prepared / _TREE)
            make(prepared / _TREE)
            digest = _digest(prepared / _TREE)
            if digest is None:
                raise GoldenError("the golden implementation holds what no task may use", mend="choose another archive")
            (prepared / _SEAL).write_text(digest)
            if slot.exists():
                damaged = slot.with_name(f".{slot.name}.damaged.tmp")
                slot.rename(damaged)
                shutil.rmtree(damaged)
            publish_folder(prepared, slot)
        finally:
            shutil.rmtree(prepared, ignore_errors=True)
    return slot / _TREE

"""Task folders that are whole or absent: written aside, checked, and moved to their place."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from underspec.artifact.canonical import sha256_hex
from underspec.errors import TaskError, UsageError
from underspec.task.digest import check_manifest, manifest_bytes, task_digest
from underspec.task.layout import MANIFEST
from underspec.task.load import read_toml
from underspec.task.tree import Entry

State = Literal["new", "unchanged", "replaced"]

_PREFIX = ".import-"


@contextlib.contextmanager
def workshop(out: Path) -> Iterator[Path]:
    """A folder beside the tasks in which they are made; gone afterwards, and after a crash at the next import.

    It lies in ``out``, so that moving a task is renaming it, and no task lies directly in it, so that nobody takes a
    task in the making for one.

    Raises:
        UsageError: ``out`` is no folder that can be written to.
    """
    mend = "give a folder that you may write to"
    try:
        out.mkdir(parents=True, exist_ok=True)
        _clear(out)
        made, lock = _locked_folder(out)
    except FileExistsError as problem:
        raise UsageError("is a file, not a folder", file=str(out), mend=mend) from problem
    except PermissionError as problem:
        raise UsageError("cannot be written to", file=str(out), mend=mend) from problem
    except NotADirectoryError as problem:
        raise UsageError("leads through a file", file=str(out), mend=mend) from problem
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        os.close(lock)


def _locked_folder(out: Path) -> tuple[Path, int]:
    """A new folder and its lock, which dies with the process, whatever ends that."""
    while True:
        made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=out))
        try:
            handle = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue  # another import took it for a dead one's before it was locked
        fcntl.flock(handle, fcntl.LOCK_EX)
        if made.exists():
            return made, handle
        os.close(handle)


def _clear(out: Path) -> None:
    """Remove what imports that were killed have left; those that are at work hold theirs."""
    for left in out.glob(f"{_PREFIX}*"):
        if left.is_symlink() or not left.is_dir():
            continue
        handle = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(handle)


def entries_of(files: Mapping[str, bytes]) -> list[Entry]:
    """The files as they will be read once they are written."""
    return [Entry(path, False, len(content), sha256_hex(content), content) for path, content in sorted(files.items())]


def write_entries(folder: Path, entries: Sequence[Entry]) -> None:
    """Write a task folder with its manifest. Not synced: it can be imported again, and its manifest shows damage."""
    folders: set[Path] = set()
    for entry in entries:
        target = folder / entry.path
        if target.parent not in folders:
            target.parent.mkdir(parents=True, exist_ok=True)
            folders.add(target.parent)
        target.write_bytes(entry.content or b"")
    (folder / MANIFEST).write_bytes(manifest_bytes((entry.path, entry.sha256) for entry in entries))


def settle(made: Path, target: Path) -> State:
    """Move a finished task folder to its place. An earlier import of it is replaced if it differs.

    Raises:
        TaskError: something else is in the place.
    """
    if not os.path.lexists(target):
        made.rename(target)
        return "new"
    if not _is_imported(target):
        mend = "move it away, or import into another folder"
        raise TaskError("is there already, and is no imported task", file=str(target), mend=mend)
    if _same(made, target):
        return "unchanged"
    earlier = made.parent / f"{made.name}.earlier"
    target.rename(earlier)
    made.rename(target)
    shutil.rmtree(earlier, ignore_errors=True)
    return "replaced"


def _is_imported(folder: Path) -> bool:
    if folder.is_symlink():
        return False
    try:
        toml = read_toml(folder)
    except TaskError:
        return False
    return toml.origin == "icae" and toml.id == folder.name


def _same(made: Path, target: Path) -> bool:
    try:
        return not check_manifest(target) and task_digest(made) == task_digest(target)
    except TaskError:
        # What no task may hold has been put into it.
        return False

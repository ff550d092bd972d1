"""Files that are whole or absent: atomic writes, create-if-absent, publication of folders."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from underspec.errors import HostExhaustedError

_EXHAUSTED = {errno.ENOSPC, errno.EDQUOT}
_NO_NAMELESS_FILES = {errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL}


@contextlib.contextmanager
def host_exhaustion(path: Path) -> Iterator[None]:
    """Turn "no space left" on the host into its own typed error, so that it never passes for a bad result."""
    try:
        yield
    except OSError as error:
        if error.errno in _EXHAUSTED:
            raise HostExhaustedError(
                "no space left on the host",
                file=str(path),
                mend="free some disk and run the same command again",
            ) from error
        raise


class NotRegularError(ValueError):
    """What is in a file's place is a pipe, a device or a socket."""


def read_regular(path: Path) -> bytes:
    """The content of a regular file. Never waits, whatever somebody put in its place.

    Raises:
        NotRegularError: it is neither a regular file nor a folder.
        OSError: it is missing, a folder, or cannot be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket
            raise NotRegularError("not a regular file") from error
        raise
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise NotRegularError("not a regular file")
        with open(handle, "rb", closefd=False) as stream:
            return stream.read()
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Make the names in ``folder`` durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_nameless(folder: Path, data: bytes) -> int | None:
    """A synced file without a name, as an open handle: a crash leaves nothing of it. None where this cannot be."""
    try:
        handle = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o644)
    except OSError as error:
        if error.errno in _NO_NAMELESS_FILES:
            return None
        raise
    try:
        with open(handle, "wb", closefd=False) as stream:
            stream.write(data)
        os.fsync(handle)
    except BaseException:
        os.close(handle)
        raise
    return handle


@contextlib.contextmanager
def _synced_temporary(path: Path, data: bytes) -> Iterator[Path]:
    """A path that leads to the synced ``data`` and can be linked to; gone afterwards."""
    handle = _write_nameless(path.parent, data)
    if handle is not None:
        try:
            yield Path(f"/proc/self/fd/{handle}")
        finally:
            os.close(handle)
        return
    temporary = _temporary_name(path)
    try:
        with temporary.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _link(source: Path, target: Path) -> None:
    # os.link follows /proc/self/fd only when it uses linkat, and it uses that only when given a folder's handle; for an
    # absolute path the handle itself has no meaning.
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.link(source.absolute(), target, src_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _temporary_name(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")


def write_atomic(path: Path, data: bytes) -> None:
    """Write ``path`` whole, replacing what was there; a reader or a crash never sees half of it."""
    with host_exhaustion(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        name = _temporary_name(path)
        with _synced_temporary(path, data) as temporary:
            try:
                _link(temporary, name)
                name.replace(path)
            finally:
                name.unlink(missing_ok=True)
        sync_folder(path.parent)


def create_if_absent(path: Path, data: bytes) -> bool:
    """Write ``path`` whole unless it exists. Returns whether this call created it."""
    with host_exhaustion(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _synced_temporary(path, data) as temporary:
            try:
                _link(temporary, path)
            except FileExistsError:
                return False
        sync_folder(path.parent)
        return True


def publish_folder(prepared: Path, target: Path) -> bool:
    """Move the folder ``prepared`` to ``target`` unless ``target`` exists. Returns whether this call did it.

    Both must lie on one file system. Files are synced first, so that what is published survives a crash whole.
    ``prepared`` must not be empty (an empty ``target`` would be replaced) and is removed when it lost the race.
    """
    with host_exhaustion(target):
        entries = list(prepared.rglob("*"))
        if not entries:
            raise ValueError(f"nothing to publish in {prepared}")
        for entry in entries:
            if entry.is_file() and not entry.is_symlink():
                with entry.open("rb") as stream:
                    os.fsync(stream.fileno())
            elif entry.is_dir() and not entry.is_symlink():
                sync_folder(entry)
        sync_folder(prepared)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            prepared.rename(target)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            shutil.rmtree(prepared)
            return False
        sync_folder(target.parent)
        return True

"""A folder as a PAX tar stream with a content hash, and back. Used on both sides of the wall.

Writing never follows a link and never waits for a pipe; what is no file, folder or link is dropped and listed. Entries
come sorted by the bytes of their path. Reading takes only what writing makes, and writes under one folder only.

The hash covers, for each entry: its type and executable bit (``f``, ``x``, ``d``, ``l``), the length of its path
(4 bytes), its path, the length of its content or link target (8 bytes), and that. Big-endian, so nothing is ambiguous.
"""

from __future__ import annotations

import errno
import os
import stat
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _hashlib import HASH as Hasher  # noqa: N811
    from collections.abc import Iterator
    from typing import BinaryIO

BLOCK = 512
_CHUNK = 1 << 20
_ZEROS = bytes(BLOCK)
_LARGEST_FIELD = 8 * 1024**3 - 1
_UNREADABLE = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.EOVERFLOW)

FILE, FOLDER, LINK = b"0", b"5", b"2"


class TooLargeError(Exception):
    """The tree has more bytes or entries than allowed; says which."""


class DamagedError(Exception):
    """The stream is not one that :func:`write_tree` makes, or is cut short."""


class ChangedError(Exception):
    """A file changed while it was read."""


class Counts:
    """What was written: ``files`` (links included), their ``bytes``, and what was left out, as (path, reason)."""

    def __init__(self) -> None:
        self.files = 0
        self.folders = 0
        self.bytes = 0
        self.dropped: list[tuple[bytes, str]] = []


def write_tree(
    top: int,
    out: BinaryIO,
    *,
    hasher: Hasher | None = None,
    max_bytes: int = _LARGEST_FIELD,
    max_files: int = 10**9,
    drop_git: bool = False,
) -> Counts:
    """Write everything under the folder ``top`` (a descriptor) to ``out``.

    Raises:
        TooLargeError: more than ``max_bytes`` of content, or more than ``max_files`` files or folders.
        ChangedError: a file grew or shrank meanwhile.
    """
    counts = Counts()
    for path, status in _walk(top, counts, drop_git):
        mode = status.st_mode
        if stat.S_ISDIR(mode):
            counts.folders += 1
            if counts.folders > max_files:
                raise TooLargeError(f"more than {max_files} folders")
            out.write(_header(path, FOLDER, mode, 0, status.st_mtime_ns))
            _hash(hasher, b"d", path, 0)
            continue
        counts.files += 1
        if counts.files > max_files:
            raise TooLargeError(f"more than {max_files} files")
        if stat.S_ISLNK(mode):
            target = _target(top, path)
            if target is None:
                counts.files -= 1
                counts.dropped.append((path, "unreadable"))
                continue
            out.write(_header(path, LINK, 0o777, 0, status.st_mtime_ns, target))
            _hash(hasher, b"l", path, len(target))
            if hasher:
                hasher.update(target)
            continue
        if counts.bytes + status.st_size > max_bytes:
            raise TooLargeError(f"more than {max_bytes} bytes")
        if not _write_file(top, path, out, hasher):
            counts.files -= 1
            counts.dropped.append((path, "unreadable"))
            continue
        counts.bytes += status.st_size
    out.write(_ZEROS * 2)
    return counts


def _target(top: int, path: bytes) -> bytes | None:
    """Where a link leads; None when its own path is too long to ask."""
    try:
        return os.fsencode(os.readlink(path, dir_fd=top))
    except OSError as error:
        if error.errno in _UNREADABLE:
            return None
        raise


def _write_file(top: int, path: bytes, out: BinaryIO, hasher: Hasher | None) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=top)
    except OSError as error:
        if error.errno in _UNREADABLE:
            return False
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ChangedError(os.fsdecode(path))
        size = status.st_size
        out.write(_header(path, FILE, status.st_mode, size, status.st_mtime_ns))
        _hash(hasher, b"x" if status.st_mode & 0o111 else b"f", path, size)
        left = size
        while left:
            chunk = os.read(descriptor, min(left, _CHUNK))
            if not chunk:
                raise ChangedError(os.fsdecode(path))
            out.write(chunk)
            if hasher:
                hasher.update(chunk)
            left -= len(chunk)
        if os.fstat(descriptor).st_size != size:
            raise ChangedError(os.fsdecode(path))
    finally:
        os.close(descriptor)
    if size % BLOCK:
        out.write(_ZEROS[size % BLOCK :])
    return True


def _hash(hasher: Hasher | None, kind: bytes, path: bytes, size: int) -> None:
    if hasher:
        hasher.update(kind + struct.pack(">I", len(path)) + path + struct.pack(">Q", size))


def _walk(top: int, counts: Counts, drop_git: bool) -> Iterator[tuple[bytes, os.stat_result]]:
    """Entries in the byte order of their whole paths.

    In one folder, ``a/b`` comes after ``a-b`` and before ``a0``: so a folder's content is a step of its own, keyed by
    its name and a slash.
    """
    stack = [iter(_steps(top, b"", counts, drop_git) or ())]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            continue
        path, status = step
        if not path.endswith(b"/"):
            if stat.S_ISDIR(status.st_mode) and not _may_list(top, path):
                counts.dropped.append((path, "unreadable"))
                continue
            yield path, status
            continue
        steps = _steps(top, path, counts, drop_git)
        if steps:
            stack.append(iter(steps))


def _steps(top: int, prefix: bytes, counts: Counts, drop_git: bool) -> list[tuple[bytes, os.stat_result]]:
    """What to visit in one folder, in order: each entry under its path, each folder's content under path and slash."""
    try:
        folder = os.open(prefix or b".", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
    except OSError as error:
        if error.errno in _UNREADABLE:
            return []  # said when the folder itself was visited
        raise
    steps = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                path = prefix + os.fsencode(entry.name)
                status = entry.stat(follow_symlinks=False)
                reason = _reason_to_drop(entry.name, status.st_mode, drop_git)
                if reason:
                    counts.dropped.append((path, reason))
                    continue
                steps.append((path, status))
                if stat.S_ISDIR(status.st_mode):
                    steps.append((path + b"/", status))
    finally:
        os.close(folder)
    steps.sort(key=lambda step: step[0])
    return steps


def _may_list(top: int, path: bytes) -> bool:
    """Whether the folder can be opened as :func:`_steps` does it, with one byte more than its path has."""
    try:
        os.close(os.open(path + b"/", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top))
    except OSError as error:
        if error.errno in _UNREADABLE:
            return False
        raise
    return True


def _reason_to_drop(name: str, mode: int, drop_git: bool) -> str | None:
    if drop_git and name == ".git":
        return "git"
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode):
        return None
    if stat.S_ISFIFO(mode):
        return "fifo"
    return "socket" if stat.S_ISSOCK(mode) else "device"


def _header(path: bytes, kind: bytes, mode: int, size: int, mtime_ns: int, target: bytes = b"") -> bytes:
    """The header blocks of one entry: a PAX extension where the plain one cannot hold a value exactly."""
    records = b""
    if len(path) > 100 or not path.isascii():
        records += _record(b"path", path)
    if len(target) > 100 or not target.isascii():
        records += _record(b"linkpath", target)
    seconds, fraction = divmod(mtime_ns, 10**9)
    if fraction or not 0 <= seconds <= _LARGEST_FIELD:
        sign = b"-" if mtime_ns < 0 else b""
        records += _record(b"mtime", sign + b"%d.%09d" % divmod(abs(mtime_ns), 10**9))
    plain = _block(path[:100], kind, mode & 0o777, size, min(max(seconds, 0), _LARGEST_FIELD), target[:100])
    if not records:
        return plain
    if not (_is_utf8(path) and _is_utf8(target)):
        records = _record(b"hdrcharset", b"BINARY") + records
    padding = -len(records) % BLOCK
    return _block(b"././@PaxHeader", b"x", 0o644, len(records), 0) + records + bytes(padding) + plain


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _record(key: bytes, value: bytes) -> bytes:
    body = b" " + key + b"=" + value + b"\n"
    length = len(body) + 1
    while length != len(body) + len(str(length)):
        length = len(body) + len(str(length))
    return b"%d" % length + body


def _block(path: bytes, kind: bytes, mode: int, size: int, mtime: int, target: bytes = b"") -> bytes:
    block = struct.pack(
        "100s8s8s8s12s12s8sc100s8s32s32s8s8s155s12x",
        path,
        b"%07o\0" % mode,
        b"0000000\0",
        b"0000000\0",
        b"%011o\0" % size,
        b"%011o\0" % mtime,
        b"        ",
        kind,
        target,
        b"ustar\00000",
        b"",
        b"",
        b"0000000\0",
        b"0000000\0",
        b"",
    )
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]

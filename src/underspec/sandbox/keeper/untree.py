"""The way back: from a stream of :mod:`underspec.sandbox.keeper.tree` to a folder."""

from __future__ import annotations

import os
import stat

from underspec.sandbox.keeper.tree import BLOCK, FILE, FOLDER, LINK, DamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_CHUNK = 1 << 20
_NAME_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Entry:
    """One header: path, kind (a tar type flag), permission bits, content size, time and link target."""

    __slots__ = ("kind", "mode", "mtime_ns", "path", "size", "target")

    def __init__(self, path: bytes, kind: bytes, mode: int, size: int, mtime_ns: int, target: bytes) -> None:
        self.path = path
        self.kind = kind
        self.mode = mode
        self.size = size
        self.mtime_ns = mtime_ns
        self.target = target


def read_tree(stream: BinaryIO, top: int, *, merge: bool = False) -> None:
    """Recreate a tree in the folder ``top`` (a descriptor), which is empty unless ``merge``.

    Every entry lies in a folder that this stream itself brought, so nothing is written through a link. With ``merge``,
    folders may exist and files and links replace files and links. Files become readable and folders passable for
    their owner, so that they can be used and removed.

    Raises:
        DamagedError: the stream is not a whole one of ours.
        OSError: the folder cannot take it.
    """
    folders: dict[bytes, Entry | None] = {b"": None}
    for entry in entries(stream):
        parent, _, name = entry.path.rpartition(b"/")
        if entry.path[:1] == b"/" or parent not in folders or name in (b"", b".", b"..") or b"\0" in entry.path:
            raise DamagedError(f"an entry lies outside: {os.fsdecode(entry.path)!r}")
        if entry.kind == FOLDER:
            _make_folder(top, entry.path, merge)
            folders[entry.path] = entry
            continue
        if merge:
            _clear(top, entry.path)
        if entry.kind == LINK:
            os.symlink(entry.target, entry.path, dir_fd=top)
            os.utime(entry.path, ns=(entry.mtime_ns, entry.mtime_ns), dir_fd=top, follow_symlinks=False)
        else:
            _make_file(stream, top, entry)
    for folder in reversed(folders.values()):
        if folder is not None:
            os.chmod(folder.path, folder.mode | 0o700, dir_fd=top)
            os.utime(folder.path, ns=(folder.mtime_ns, folder.mtime_ns), dir_fd=top)


def _make_folder(top: int, path: bytes, merge: bool) -> None:
    try:
        os.mkdir(path, 0o700, dir_fd=top)
    except FileExistsError:
        if not merge or not stat.S_ISDIR(os.stat(path, dir_fd=top, follow_symlinks=False).st_mode):
            raise


def _clear(top: int, path: bytes) -> None:
    try:
        os.unlink(path, dir_fd=top)
    except FileNotFoundError:
        return


def _make_file(stream: BinaryIO, top: int, entry: Entry) -> None:
    descriptor = os.open(entry.path, _NAME_FLAGS, 0o600, dir_fd=top)
    try:
        left = entry.size
        while left:
            chunk = stream.read(min(left, _CHUNK))
            if not chunk:
                raise DamagedError("the stream ends within a file")
            left -= len(chunk)
            view = memoryview(chunk)
            while view:
                view = view[os.write(descriptor, view) :]
        os.fchmod(descriptor, entry.mode | 0o600)
        os.utime(descriptor, ns=(entry.mtime_ns, entry.mtime_ns))
    finally:
        os.close(descriptor)
    padding = -entry.size % BLOCK
    if padding and len(stream.read(padding)) != padding:
        raise DamagedError("the stream ends within a file")


def entries(stream: BinaryIO) -> Iterator[Entry]:
    """Headers one after another; the caller reads each file's content and padding before asking for the next."""
    extension: dict[bytes, bytes] = {}
    while True:
        block = stream.read(BLOCK)
        if len(block) != BLOCK:
            raise DamagedError("the stream ends without an end mark")
        if block == bytes(BLOCK):
            return
        if int(block[148:154], 8) != sum(block[:148]) + sum(block[156:]) + 256:
            raise DamagedError("a header's checksum is wrong")
        kind, size = block[156:157], int(block[124:135], 8)
        if kind == b"x":
            extension = _records(_exactly(stream, size))
            _exactly(stream, -size % BLOCK)
            continue
        if kind not in (FILE, FOLDER, LINK):
            raise DamagedError(f"an entry of unknown kind {kind!r}")
        path = extension.get(b"path", block[:100].rstrip(b"\0"))
        target = extension.get(b"linkpath", block[157:257].rstrip(b"\0"))
        seconds = extension.get(b"mtime")
        mtime_ns = _nanoseconds(seconds) if seconds else int(block[136:147], 8) * 10**9
        extension = {}
        yield Entry(path, kind, int(block[100:107], 8) & 0o777, size, mtime_ns, target)


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise DamagedError("the stream ends within a header")
    return data


def _records(data: bytes) -> dict[bytes, bytes]:
    records = {}
    while data:
        length = int(data[: data.index(b" ")])
        key, _, value = data[data.index(b" ") + 1 : length - 1].partition(b"=")
        records[key] = value
        if length <= 0:
            raise DamagedError("a header record without length")
        data = data[length:]
    return records


def _nanoseconds(text: bytes) -> int:
    seconds, _, fraction = text.lstrip(b"-").partition(b".")
    value = int(seconds) * 10**9 + int(fraction.ljust(9, b"0") or b"0")
    return -value if text.startswith(b"-") else value

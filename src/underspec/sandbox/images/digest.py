"""What tells two root trees apart: the full digest over their content, and a quick seal over their entries' looks.

The digest is SHA-256 over every entry in a fixed order: kind, mode, owner, group, path, and content or
link target; times are left out, so that a tree made again is the same tree. The seal reads no content: path, mode,
size and time of change say whether anybody touched a tree that was sealed, at the price of a walk.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from underspec.errors import SandboxError

_CHUNK = 1 << 20
_ALL_MAY_LIST = 0o005


@dataclass(frozen=True)
class Measured:
    """A tree's digest, and how large it is: ``files`` counts all that is no folder, ``bytes`` their content."""

    digest: str
    files: int
    bytes: int


def entries(root: Path, *, public: bool = False) -> Iterator[tuple[bytes, os.stat_result]]:
    """Every entry below ``root`` with its status, links unfollowed; by folder, in the byte order of names.

    With ``public``, folders that not everybody may list are passed over: what is left is the same for every user.
    """
    top = os.fsencode(root)
    waiting = [b""]
    while waiting:
        prefix = waiting.pop()
        with os.scandir(top + b"/" + prefix) as listing:
            found = sorted((entry.name, entry.stat(follow_symlinks=False)) for entry in listing)
        folders = []
        for name, status in found:
            yield prefix + name, status
            if stat.S_ISDIR(status.st_mode) and (not public or status.st_mode & _ALL_MAY_LIST == _ALL_MAY_LIST):
                folders.append(prefix + name + b"/")
        waiting.extend(reversed(folders))


def measure_tree(root: Path) -> Measured:
    """Digest and size of a tree.

    Raises:
        SandboxError: something in it changes or cannot be read.
    """
    hasher = hashlib.sha256()
    files = total = 0
    try:
        for path, status in entries(root):
            content = b""
            mode = status.st_mode
            if stat.S_ISREG(mode):
                content = _content_digest(os.fsencode(root) + b"/" + path, status.st_size)
                total += status.st_size
            elif stat.S_ISLNK(mode):
                content = os.readlink(os.fsencode(root) + b"/" + path)  # noqa: PTH115 - names here are bytes
            elif stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
                content = struct.pack(">Q", status.st_rdev)
            files += not stat.S_ISDIR(mode)
            hasher.update(struct.pack(">IIIII", mode, status.st_uid, status.st_gid, len(path), len(content)))
            hasher.update(path + content)
    except OSError as error:
        raise SandboxError(
            f"an image's tree cannot be read: {error.strerror}",
            file=os.fsdecode(error.filename or root),
            mend="read it as the user who built it, or build the image again",
        ) from error
    return Measured(f"sha256:{hasher.hexdigest()}", files, total)


def _content_digest(path: bytes, size: int) -> bytes:
    hasher, count = hashlib.sha256(), 0
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        while chunk := os.read(descriptor, _CHUNK):
            hasher.update(chunk)
            count += len(chunk)
    finally:
        os.close(descriptor)
    if count != size:
        raise SandboxError("an image's file changed while it was read", file=os.fsdecode(path))
    return hasher.digest()


def seal_tree(root: Path) -> str:
    """A quick hash over path, mode, size and time of change of every entry that all users can see.

    Raises:
        SandboxError: the tree cannot be walked.
    """
    hasher = hashlib.sha256()
    try:
        for path, status in entries(root, public=True):
            # How large a folder is depends on the file system.
            size = 0 if stat.S_ISDIR(status.st_mode) else status.st_size
            hasher.update(struct.pack(">IQqI", status.st_mode, size, status.st_mtime_ns, len(path)) + path)
    except OSError as error:
        raise SandboxError(
            f"an image's tree cannot be read: {error.strerror}",
            file=os.fsdecode(error.filename or root),
            mend="read it as the user who built it, or build the image again",
        ) from error
    return hasher.hexdigest()

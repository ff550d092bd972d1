"""Work on the sandbox's files: a fork of the keeper that is confined to the sandbox's tree.

It changes its root to the tree in the keeper's mount namespace (where ``/proc`` is empty, and which no process of the
sandbox can see) and becomes the inside's root, with no more rights than a command inside, so that no link or name
reaches anything else. It takes content from one descriptor and answers on another: a length (8 bytes), that much
``marshal``, then raw content.
"""

from __future__ import annotations

import errno
import itertools
import marshal
import os
import stat
import sys

from underspec.sandbox.keeper import identity, kernel
from underspec.sandbox.keeper.tree import ChangedError, DamagedError, TooLargeError, write_tree
from underspec.sandbox.keeper.untree import read_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

_CHUNK = 1 << 20
_SAFE = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def serve(root: int, namespace: int | None, seccomp: bytes, order: dict[str, Any], content: int, answer: int) -> None:
    """Confine this process, do what ``order`` says, and answer. Never returns."""
    code = 1
    try:
        if order["work"] == "archive":
            import hashlib  # here, since the library's files are out of reach after the next lines

            order["hasher"] = hashlib.sha256()
        os.fchdir(root)
        os.chroot(".")
        sys.path.clear()
        sys.meta_path.clear()
        identity.become_inside_root(namespace)
        for low, high in itertools.pairwise([-1, *sorted((content, answer)), 65536]):
            os.closerange(low + 1, high)
        kernel.keep_capabilities(kernel.INSIDE_CAPABILITIES)
        kernel.no_new_privileges()
        kernel.load_seccomp(seccomp)
        os.umask(0o022)
        with open(answer, "wb", buffering=_CHUNK) as out:
            try:
                _WORK[order["work"]](order, content, out)
            except TooLargeError as error:
                _reply(out, {"error": "large", "text": str(error)})
            except (ChangedError, DamagedError) as error:
                _reply(out, {"error": "broken", "text": f"{type(error).__name__}: {error}"})
            except OSError as error:
                _reply(out, {"error": "system", "errno": error.errno or 0, "text": error.strerror or str(error)})
        code = 0
    finally:
        os._exit(code)


def _reply(out: BinaryIO, message: dict[str, Any]) -> None:
    data = marshal.dumps(message)
    out.write(len(data).to_bytes(8, "big") + data)


def _put(order: dict[str, Any], content: int, out: BinaryIO) -> None:
    path = order["path"]
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | _SAFE, 0o644)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        os.ftruncate(descriptor, 0)
        while chunk := os.read(content, _CHUNK):
            view = memoryview(chunk)
            while view:
                view = view[os.write(descriptor, view) :]
        os.fchmod(descriptor, 0o755 if order["executable"] else 0o644)
    finally:
        os.close(descriptor)
    _reply(out, {})


def _put_tree(order: dict[str, Any], content: int, out: BinaryIO) -> None:
    os.makedirs(order["path"], mode=0o755, exist_ok=True)
    folder = os.open(order["path"], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with open(content, "rb", buffering=_CHUNK) as stream:
        read_tree(stream, folder, merge=True)
    _reply(out, {})


def _get(order: dict[str, Any], content: int, out: BinaryIO) -> None:
    descriptor = os.open(order["path"], os.O_RDONLY | _SAFE)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        raise OSError(errno.EISDIR if folder else errno.EINVAL, "not a regular file")
    if os.fstat(descriptor).st_size > order["max_bytes"]:
        raise OSError(errno.EFBIG, f"larger than {order['max_bytes']} bytes")
    _reply(out, {})
    left = order["max_bytes"] + 1  # one more than allowed: a file that grows meanwhile is noticed
    while left and (chunk := os.read(descriptor, min(left, _CHUNK))):
        out.write(chunk)
        left -= len(chunk)


def _list(order: dict[str, Any], content: int, out: BinaryIO) -> None:
    """Names and sizes of the regular files in a folder, reached without any link."""
    found = []
    folder = _open_folder(order["path"])
    if folder is not None:
        with os.scandir(folder) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    found.append((entry.name, status.st_size))
    found.sort(key=lambda item: os.fsencode(item[0]))
    _reply(out, {"files": found})


def _read(order: dict[str, Any], content: int, out: BinaryIO) -> None:
    """Contents of named files of a folder, each with its length before it; -1 for one that cannot be had."""
    with open(content, "rb") as stream:
        names = marshal.loads(stream.read())
    _reply(out, {})
    folder = _open_folder(order["path"])
    for name in names:
        data = None if folder is None else _read_one(folder, name, order["max_file"])
        out.write((-1 if data is None else len(data)).to_bytes(8, "big", signed=True))
        out.write(data or b"")


def _read_one(folder: int, name: str, max_file: int) -> bytes | None:
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | _SAFE, dir_fd=folder)
    except OSError:
        return None  # removed, replaced by a link, or made unreadable since it was listed
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_file:
            return None
        parts, left = [], max_file + 1
        while left and (chunk := os.read(descriptor, min(left, _CHUNK))):
            parts.append(chunk)
            left -= len(chunk)
        return b"".join(parts) if left else None
    finally:
        os.close(descriptor)


def _open_folder(path: str) -> int | None:
    """Open a folder component by component, following no link. None where it is missing or no such folder."""
    current = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in [name for name in path.split("/") if name]:
        try:
            following = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=current)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                return None
            raise
        finally:
            os.close(current)
        current = following
    return current


def _archive(order: dict[str, Any], content: int, out: BinaryIO) -> None:
    """Seal a folder into the file behind ``content``."""
    folder = _open_folder(order["path"])
    if folder is None:
        raise FileNotFoundError(errno.ENOENT, "there is no such folder, or a link leads to it")
    hasher = order["hasher"]
    with open(content, "wb", buffering=_CHUNK) as stream:
        counts = write_tree(
            folder,
            stream,
            hasher=hasher,
            max_bytes=order["max_bytes"],
            max_files=order["max_files"],
            drop_git=True,
        )
        stream.flush()
        os.fsync(content)
    _reply(
        out,
        {"sha256": hasher.hexdigest(), "files": counts.files, "bytes": counts.bytes, "dropped": counts.dropped},
    )


_WORK = {"put": _put, "put_tree": _put_tree, "get": _get, "list": _list, "read": _read, "archive": _archive}

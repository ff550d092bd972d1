"""Reads a folder without trusting it: no links, no devices, no endless files, no names that cannot travel."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from underspec.task.finding import Finding, Report, error

MAX_FILE_BYTES = 64 * 1024**2
MAX_TREE_BYTES = 512 * 1024**2
MAX_TREE_FILES = 200_000

# Byte code beside sources is made by whoever imports or installs them (pip compiles the bundled tasks too). It is
# nobody's content: it is never hashed, copied or handed out.
BYTE_CODE_FOLDER = "__pycache__"

_CHUNK = 1024**2
_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)


@dataclass(frozen=True)
class Entry:
    """One regular file. ``path`` is relative, with ``/``. ``content`` is None unless it was asked for."""

    path: str
    executable: bool
    size: int
    sha256: str
    content: bytes | None


def name_problem(name: str) -> str | None:
    """Why a file name cannot travel to every sandbox, archive and manifest; None when it can."""
    try:
        encoded = name.encode()
    except UnicodeEncodeError:
        return "its name is not valid UTF-8"
    if len(encoded) > 200:
        return "its name is longer than 200 bytes"
    if any(ord(character) < 32 or ord(character) == 127 for character in name):
        return "its name holds a control character"
    if "\\" in name:
        return "its name holds a backslash"
    return None


def shown(name: str) -> str:
    """A name that may hold anything, made safe to print."""
    return name.encode("utf-8", "backslashreplace").decode().encode("unicode_escape").decode()


def _unusable_kind(mode: int) -> str | None:
    return next((words for test, words in _KINDS if test(mode)), None)


def _walk(root: Path, report: Report, never_a_folder: Callable[[str], bool]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Every entry that is no folder, links unfollowed, in path order within each folder."""
    waiting = [("", os.fspath(root))]
    while waiting:
        prefix, folder = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as problem:
            report(
                error(
                    shown(prefix.rstrip("/")) or ".",
                    f"the folder cannot be read: {problem.strerror}",
                    mend="make it readable for you",
                )
            )
            continue
        folders = []
        for entry in entries:
            path = prefix + entry.name
            problem_with_name = name_problem(entry.name)
            if problem_with_name:
                report(error(shown(path), problem_with_name, mend="rename it, in plain characters"))
            elif entry.is_dir(follow_symlinks=False):
                if never_a_folder(path):
                    report(error(path, "is a folder, not a file", mend="put the file in its place"))
                elif entry.name != BYTE_CODE_FOLDER:
                    folders.append((path + "/", entry.path))
            else:
                yield path, entry
        waiting.extend(reversed(folders))


def _read(path: str, location: str, keep: bool, report: Report) -> Entry | None:
    # O_NONBLOCK: opening a named pipe must not wait for a writer. The kind is judged on the open file, so that
    # nothing can be swapped in between.
    try:
        descriptor = os.open(location, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as problem:
        report(error(path, f"cannot be read: {problem.strerror}", mend="make it a regular file that you may read"))
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        kind = _unusable_kind(status.st_mode) or "a folder"
        report(error(path, f"is {kind}, not a regular file", mend="replace it by a regular file"))
        return None
    with open(descriptor, "rb", buffering=0) as stream:  # noqa: PTH123 - a descriptor, not a path
        if status.st_size > MAX_FILE_BYTES:
            report(_too_large(path))
            return None
        digest, size, chunks = hashlib.sha256(), 0, []
        try:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                if size > MAX_FILE_BYTES:
                    report(_too_large(path))
                    return None
                digest.update(chunk)
                if keep:
                    chunks.append(chunk)
        except OSError as problem:
            report(error(path, f"cannot be read: {problem.strerror}", mend="check the disk and its permissions"))
            return None
    executable = bool(status.st_mode & stat.S_IXUSR)
    return Entry(path, executable, size, digest.hexdigest(), b"".join(chunks) if keep else None)


def read_file(root: Path, path: str, report: Report) -> Entry | None:
    """One file of a tree with its content, under the same rules as :func:`read_tree`."""
    return _read(path, os.fspath(root / path), True, report)


def _too_large(path: str) -> Finding:
    limit = MAX_FILE_BYTES // 1024**2
    return error(path, f"is larger than {limit} MiB", mend="split it into smaller files")


def _nothing(path: str) -> bool:
    return False


def read_tree(
    root: Path,
    report: Report,
    *,
    keep: Callable[[str], bool] = _nothing,
    never_a_folder: Callable[[str], bool] = _nothing,
) -> list[Entry]:
    """Read every regular file below ``root``, in path order.

    ``keep(path)`` says whose content to hold in memory; of the others only the hash.
    ``never_a_folder(path)`` says which paths can only be files. Links (wherever they point),
    pipes, sockets, devices, unreadable and oversize files, and names that cannot travel go to ``report`` as errors and
    are left out.
    """
    entries: list[Entry] = []
    total = 0
    for path, entry in _walk(root, report, never_a_folder):
        try:
            kind = _unusable_kind(entry.stat(follow_symlinks=False).st_mode)
        except OSError as problem:
            report(error(path, f"cannot be read: {problem.strerror}", mend="check the disk and its permissions"))
            continue
        if kind:
            report(error(path, f"is {kind}; a task holds regular files only", mend="replace it by a regular file"))
            continue
        found = _read(path, entry.path, keep(path), report)
        if found is None:
            continue
        total += found.size
        if total > MAX_TREE_BYTES or len(entries) >= MAX_TREE_FILES:
            size = f"{MAX_TREE_BYTES // 1024**2} MiB or {MAX_TREE_FILES:,} files"
            report(error(".", f"the folder holds more than {size}", mend="remove what the task does not need"))
            break
        entries.append(found)
    return sorted(entries, key=lambda one: one.path)

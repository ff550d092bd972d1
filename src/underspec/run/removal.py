"""Remove folders in which an agent's files lie."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def remove_tree(path: Path) -> None:
    """Remove a folder whatever the modes inside it are. A missing one is fine; anything else that fails is raised.

    What an agent handed over is unpacked here. So neither the depth of the tree nor the length of its paths matters:
    one step is taken at a time, and no link is followed, not even one in the folder's own place.
    """
    try:
        parent = os.open(path.parent, _FOLDER)
    except FileNotFoundError:
        return
    try:
        mode = os.stat(path.name, dir_fd=parent, follow_symlinks=False).st_mode
    except FileNotFoundError:
        os.close(parent)
        return
    _remove_at(parent, path.name, is_folder=stat.S_ISDIR(mode))


def _remove_at(here: int, name: str, *, is_folder: bool) -> None:
    """Remove ``name`` in the folder ``here``, a descriptor, which is closed."""
    levels = [[(name, is_folder)]]  # what is left to remove, in each folder on the way down to ``here``
    passed: list[tuple[int, int]] = []
    try:
        while True:
            if levels[-1]:
                name, is_folder = levels[-1][-1]
                if is_folder:
                    os.chmod(name, 0o700, dir_fd=here)  # before it is entered, for it may be closed to us
                    passed.append(_identity(here))
                    here = _moved(here, name)
                    with os.scandir(here) as entries:
                        levels.append([(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries])
                else:
                    os.unlink(name, dir_fd=here)
                    levels[-1].pop()
                continue
            levels.pop()
            if not levels:
                return
            here = _moved(here, "..")
            if _identity(here) != passed.pop():
                raise OSError(errno.ESTALE, "a folder was moved while it was removed", name)
            os.rmdir(levels[-1].pop()[0], dir_fd=here)
    finally:
        os.close(here)


def _moved(here: int, name: str) -> int:
    there = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=here)
    os.close(here)
    return there


def _identity(folder: int) -> tuple[int, int]:
    status = os.fstat(folder)
    return status.st_dev, status.st_ino

"""Which tasks there are: the bundled ones by id, and any folder. Only ``task.toml`` is looked at."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path

from underspec.errors import UsageError
from underspec.task.layout import TASK_TOML, Family
from underspec.task.load import read_toml

_BUNDLED = Path(__file__).parent / "bundled"


def _is_task(folder: Path) -> bool:
    return (folder / TASK_TOML).is_file()


def _tasks_in(folder: Path) -> list[Path]:
    with os.scandir(folder) as listing:
        names = sorted(entry.name for entry in listing if entry.is_dir())
    return [folder / name for name in names if _is_task(folder / name)]


def bundled_tasks(family: Family | None = None) -> list[Path]:
    """Folders of the tasks that come with the package, by id; with ``family``, of those alone."""
    tasks = _tasks_in(_BUNDLED) if _BUNDLED.is_dir() else []
    return [task for task in tasks if family is None or read_toml(task).family == family]


def is_bundled(name: object) -> bool:
    """Whether that is the id of a task that comes with the package."""
    return isinstance(name, str) and "/" not in name and any(task.name == name for task in bundled_tasks())


def _as_folder(name_or_path: str) -> Path | None:
    """The folder that is meant, whether or not a task lies in it; None when there is none of that name."""
    path = Path(name_or_path)
    try:
        return path if name_or_path and path.is_dir() else None
    except (OSError, ValueError):
        # No name of a file at all (too long, a NUL in it): then it is no folder either.
        return None


def _unknown(name_or_path: str) -> UsageError:
    known = [task.name for task in bundled_tasks()]
    near = difflib.get_close_matches(name_or_path, known, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    known_ids = ", ".join(known) or "none"
    return UsageError(
        f"there is no task {name_or_path[:200]!a}",
        mend=f"{hint}bundled tasks: {known_ids}; or give a folder with {TASK_TOML}",
    )


def find_task(name_or_path: str) -> Path:
    """The folder of one task: a bundled task's id, or a path. A name without ``/`` is an id first.

    Raises:
        UsageError: neither; says which ids there are and which is nearest.
    """
    if "/" not in name_or_path:
        for task in bundled_tasks():
            if task.name == name_or_path:
                return task
    folder = _as_folder(name_or_path)
    if folder is None:
        raise _unknown(name_or_path)
    if _is_task(folder):
        return folder
    inside = ", ".join(task.name for task in _tasks_in(folder)[:10])
    raise UsageError(
        f"the folder {name_or_path[:200]!a} holds no {TASK_TOML}",
        mend=f"choose one of the tasks in it: {inside}" if inside else f"give a task's folder, which holds {TASK_TOML}",
    )


def find_tasks(selectors: Iterable[str], family: Family | None = None) -> list[Path]:
    """The tasks meant by ids, task folders and folders of tasks; all bundled tasks when nothing is given.

    Each task comes once, in the order given. ``family`` restricts what nothing stands for, never what is named.

    Raises:
        UsageError: a selector means no task.
    """
    found: dict[Path, Path] = {}
    chosen = list(selectors)
    for selector in chosen:
        folder = _as_folder(selector)
        is_id = "/" not in selector and any(task.name == selector for task in bundled_tasks())
        many = _tasks_in(folder) if folder is not None and not is_id and not _is_task(folder) else []
        for task in many or [find_task(selector)]:
            found.setdefault(task.resolve(), task)
    return list(found.values()) if chosen else bundled_tasks(family)

"""No image may hold what a task asks an agent to build (fault kind 54: the upstream package among installed ones)."""

from __future__ import annotations

import functools
import os
from pathlib import Path

from underspec.errors import TaskError
from underspec.sandbox.images.digest import entries
from underspec.sandbox.images.store import root_tree
from underspec.task.identity import literal_pattern, may_hold, term_pattern
from underspec.task.model import Task

_MOST = 20


@functools.lru_cache(maxsize=8)
def _paths(root: Path, node: int) -> tuple[tuple[str, ...], str]:
    """All paths of a tree, and their last parts as one text, for a quick look; ``node`` tells a tree made anew."""
    paths = tuple(os.fsdecode(path) for path, _ in entries(root, public=os.geteuid() != 0))
    return paths, "\n".join(sorted({path.rpartition("/")[2] for path in paths}))


def identity_names(task: Task) -> frozenset[str]:
    """What packages and files of the golden implementation are called."""
    names = set(task.toml.identity)
    if task.golden is not None:
        names |= {task.golden.name, task.golden.name.split("/")[-1], task.golden.filename}
    return frozenset(names)


def find_identity(root: Path, task: Task) -> list[str]:
    """Paths in a root tree whose last part is called like the golden implementation; at most 20, in order.

    What lies below such a path is not listed.
    """
    names = identity_names(task)
    pattern = (term_pattern if task.toml.origin == "authored" else literal_pattern)(names)
    found: list[str] = []
    paths, last_parts = _paths(root, root.stat().st_ino)
    if pattern is None or not may_hold(names, last_parts):
        return found
    for path in paths:
        last = path.rpartition("/")[2]
        if pattern.search(last) and not any(path.startswith(f"{each}/") for each in found):
            found.append(path)
            if len(found) == _MOST:
                break
    return [f"/{path}" for path in found]


def refuse_spoiled(image: str, task: Task) -> None:
    """See that an image holds nothing called like a task's golden implementation; for use before a run.

    Raises:
        TaskError: it does; names the first path.
        EnvironmentLacksError, StoreError: as :func:`underspec.sandbox.images.store.root_tree`.
    """
    found = find_identity(root_tree(image), task)
    if found:
        raise TaskError(
            f"the image {image!r} holds what the task {task.id} asks for: {found[0]}"
            + (f" and {len(found) - 1} more" if len(found) > 1 else ""),
            mend="choose another image, or make one without it",
        )

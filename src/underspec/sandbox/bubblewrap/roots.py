"""Root trees by the name of an image: ``host``, or one that was made on this machine."""

from __future__ import annotations

import os

from underspec.sandbox.bubblewrap.host import Entry, host_digest, host_entries, host_path
from underspec.sandbox.images.store import HOST, image_digest, image_environment, root_tree
from underspec.sandbox.protocol import WORKSPACE

# Places that a sandbox mounts itself, all at the top; the tree keeps an empty folder for the one below (`/var/tmp`).
_OWN = ("dev", "proc", "root", "run", "sys", "tmp", WORKSPACE.strip("/"))


def root_digest(image: str) -> str:
    """What the root tree is made of; ``host:...`` is not comparable between machines.

    Raises:
        EnvironmentLacksError: there is no such image; says how to make it.
        StoreError: it is damaged.
    """
    return host_digest() if image == HOST else image_digest(image)


def root_environment(image: str) -> dict[str, str]:
    """The environment of every command; holds ``PATH``. Raises as :func:`root_digest`."""
    return {"PATH": host_path()} if image == HOST else image_environment(image)


def root_entries(image: str) -> tuple[Entry, ...]:
    """How to build the root tree. Raises as :func:`root_digest`.

    Beside the steps of :mod:`underspec.sandbox.bubblewrap.host` there is ("tree", host path, path): shown read-only,
    and what is root's there is root's inside.
    """
    if image == HOST:
        return host_entries()
    entries: list[Entry] = []
    with os.scandir(root_tree(image)) as listing:
        for entry in sorted(listing, key=lambda each: each.name):
            path = f"/{entry.name}"
            if entry.name in _OWN:
                continue
            if entry.is_symlink():
                entries.append(("link", path, os.readlink(entry.path)))  # noqa: PTH115 - an entry, not a Path
            elif entry.is_dir() and not os.listdir(entry.path):  # noqa: PTH208
                entries.append(("folder", path))  # one in which something can be mounted
            else:
                entries.append(("tree", entry.path, path))
    return tuple(entries)

"""What runs on a node: looks whether the node can take part, and works on items as the local executor does.

Nothing of Ray is imported here. Answers are plain values, since an exception of ours is made of keyword arguments and
would not survive the way.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from underspec import errors
from underspec.errors import HarnessError, UnderspecError
from underspec.run.cluster.job import Job, images_here, open_job
from underspec.run.cluster.keys import default_socket, fetch_keys
from underspec.run.context import RunContext
from underspec.run.executor import execute
from underspec.run.item import Item

Failure = Mapping[str, str | None]
"""An error as plain values: its class and its parts."""


@dataclass(frozen=True)
class Seen:
    """What a node was found to have; ``failure`` says why it can take no part."""

    images: frozenset[tuple[str, str]] = frozenset()
    failure: Failure | None = None


@dataclass(frozen=True)
class Worked:
    """How far a batch came: items by folder with ``done`` or ``unscored``, and what ended it before all were."""

    ended: Mapping[str, str]
    failure: Failure | None = None


def described(error: UnderspecError) -> Failure:
    """The error as plain values."""
    return {
        "kind": type(error).__name__,
        "message": error.message,
        "file": error.file,
        "where": error.where,
        "mend": error.mend,
    }


def restored(failure: Failure) -> UnderspecError:
    """The error of which these are the values."""
    kind = getattr(errors, str(failure["kind"]), None)
    known = kind if isinstance(kind, type) and issubclass(kind, UnderspecError) else HarnessError
    return known(str(failure["message"]), file=failure["file"], where=failure["where"], mend=failure["mend"])


def look(job: Job) -> Seen:
    """Whether this node can take part in the job, and which of its images it has."""
    try:
        open_job(job)
        return Seen(images_here(job))
    except UnderspecError as error:
        return Seen(failure=described(error))


_open: dict[str, RunContext] = {}


def _context(name: str, job: Job) -> RunContext:
    # One worker process serves one run after another; tasks and routers of the last one stay loaded.
    if name not in _open:
        _open.clear()
        _open[name] = open_job(job)
    return _open[name]


def work(name: str, job: Job, folders: Sequence[str], keys: str | None) -> Worked:
    """Bring items to their ends, all of them at once.

    ``name`` is the job's, ``keys`` the socket that hands out keys, the node's usual one when None.
    """
    for variable, value in fetch_keys(Path(keys) if keys else default_socket()).items():
        os.environ.setdefault(variable, value)
    ended: dict[str, str] = {}

    def note(item: Item, what: str) -> None:
        if what in ("done", "unscored"):
            ended[item.folder] = what

    try:
        context = _context(name, job)
        context.progress = note
        root = context.store.path / "items"
        items = [Item.read(root / folder / "item.json") for folder in folders]
        asyncio.run(execute(context, items, concurrency=len(items)))
        return Worked(ended)
    except UnderspecError as error:
        return Worked(ended, described(error))

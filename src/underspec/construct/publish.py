"""The end of a construction: the finished task in the folder that was asked for."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

from underspec.artifact.files import host_exhaustion
from underspec.errors import TaskError, UsageError
from underspec.task.load import read_toml


def refuse_other(out: Path, task: str) -> None:
    """See that ``out`` is free, or holds an earlier state of the same task.

    Raises:
        UsageError: it holds something else.
    """
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    try:
        same = read_toml(out).id == task
    except TaskError:
        same = False
    if not same:
        raise UsageError("holds something else already", file=str(out), mend="name a folder that is empty or not there")


def made_task(out: Path, task: str) -> Path:
    """Where the last stage has put the finished task: a folder of its id, or ``task``."""
    return out / task if (out / task).is_dir() else out / "task"


def publish_task(made: Path, out: Path, task: str) -> None:
    """Put a task in its place whole, instead of an earlier state of it.

    Raises:
        UsageError: see :func:`refuse_other`.
    """
    refuse_other(out, task)
    with host_exhaustion(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        prepared = out.with_name(f".{out.name}.{secrets.token_hex(6)}.tmp")
        shutil.copytree(made, prepared)
        if out.exists():
            shutil.rmtree(out)
        prepared.rename(out)

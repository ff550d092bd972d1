"""What a run finds out about deliverables beside their scores: who reviews them, and with what they are compared."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from underspec.errors import TaskError
from underspec.model.spec import ModelSpec
from underspec.task import release
from underspec.task.model import Task


@dataclass(frozen=True)
class Critic:
    """Who reviews deliverables, and how often each is asked."""

    model: ModelSpec
    repeats: int = 1


class Goldens:
    """Golden sources, fetched and checked once a run.

    A failure is remembered as well: on a machine without network, each of a thousand items would else wait for the same
    registry. Threads that want the same package wait for one of them to have it.
    """

    def __init__(self, fetch: Callable[[Task], Path] = release.golden_sources) -> None:
        self._fetch = fetch
        self._found: dict[str, Path | TaskError] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def __call__(self, task: Task) -> Path:
        """Where the task's golden sources lie.

        Raises:
            TaskError: there are none, or they cannot be had.
            HostExhaustedError: no space left.
        """
        name = f"{task.golden.sha256}/{task.golden.source_folder}" if task.golden else ""
        with self._lock:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self._found:
                try:
                    self._found[name] = self._fetch(task)
                except TaskError as error:
                    self._found[name] = error
        found = self._found[name]
        if isinstance(found, TaskError):
            # Of one's own: a traceback that several threads add to is nobody's.
            raise type(found)(found.message, file=found.file, where=found.where, mend=found.mend)
        return found

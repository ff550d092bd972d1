"""The plan: every item of an experiment, and what each one still needs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.canonical import digest_of
from underspec.artifact.condition import Condition
from underspec.errors import UsageError
from underspec.run.item import Item
from underspec.task.model import Task

_CACHED_TASKS = 32


def plan_items(task_ids: Sequence[str], conditions: Sequence[Condition], epochs: int) -> list[Item]:
    """Tasks × conditions × epochs. Epochs are outermost, so that a run cut short has seen every task and condition."""
    return [
        Item(task=task, condition=condition, epoch=epoch)
        for epoch in range(1, epochs + 1)
        for task in task_ids
        for condition in conditions
    ]


def plan_digest(items: Sequence[Item]) -> str:
    """A digest of the set of items."""
    return digest_of(sorted(item.id for item in items))


@dataclass
class Tasks:
    """Tasks by id, loaded when they are first needed; only the last few are kept in memory."""

    paths: dict[str, Path]
    load: Callable[[Path], Task]

    def __post_init__(self) -> None:
        self._loaded: OrderedDict[str, Task] = OrderedDict()

    def __getitem__(self, task_id: str) -> Task:
        if task_id in self._loaded:
            self._loaded.move_to_end(task_id)
            return self._loaded[task_id]
        if task_id not in self.paths:
            raise UsageError(
                f"the run has items of task {task_id!r}, which was not given",
                mend="give it with --task, as when it was planned",
            )
        task = self.load(self.paths[task_id])
        self._loaded[task_id] = task
        while len(self._loaded) > _CACHED_TASKS:
            self._loaded.popitem(last=False)
        return task

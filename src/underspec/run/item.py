"""One item: one task under one condition in one epoch."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from underspec.artifact.base import Artifact
from underspec.artifact.canonical import digest_of
from underspec.artifact.condition import Condition


class Item(Artifact):
    """What is planned, resumed and counted."""

    schema_version: Literal[1] = 1
    task: str
    condition: Condition
    epoch: int

    @property
    def id(self) -> str:
        """SHA-256 over task id, condition id and epoch."""
        return _id_of(self.task, self.condition.id, self.epoch)

    @property
    def folder(self) -> str:
        """Name of the item's folder: readable, and unique through the 16 digits of its id."""
        return f"{self.task}--{self.condition.agent}--e{self.epoch}--{self.id[:16]}"


@lru_cache(maxsize=65536)
def _id_of(task: str, condition: str, epoch: int) -> str:
    return digest_of([task, condition, epoch])

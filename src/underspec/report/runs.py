"""Runs, read for a report: each with its manifest and all its items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.report.collect import Collected, collect
from underspec.run.manifest import read_manifest
from underspec.run.store import RunStore


@dataclass(frozen=True)
class Run:
    """One run as its last execution left it. ``manifest`` is what stands in its ``run.toml``."""

    folder: Path
    manifest: dict[str, Any]
    items: Sequence[Collected]

    @property
    def name(self) -> str:
        """The run's name, which is its folder's."""
        return self.folder.name

    @property
    def comparable(self) -> bool:
        """Whether everything ran in images with digests, so that its figures compare with those of other machines."""
        return bool(self.manifest["sandbox"]["comparable"])


def read_run(folder: Path) -> Run:
    """Read one run.

    Raises:
        StoreError: names the file that is damaged.
    """
    return Run(folder, read_manifest(folder), collect(RunStore(folder)))


def read_runs(folders: Sequence[Path]) -> list[Run]:
    """Read several runs, in the order given; a folder that is named twice is read once.

    Raises:
        StoreError: names the file that is damaged.
    """
    once = dict.fromkeys(folder.resolve() for folder in folders)
    return [read_run(folder) for folder in once]

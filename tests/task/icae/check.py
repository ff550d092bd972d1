"""What the tests of an import ask of a made task."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.task.icae.synthetic import TASK, make_checkout
from underspec.task.finding import Finding
from underspec.task.icae.importing import Imported, ImportResult, import_checkout
from underspec.task.load import load_task
from underspec.task.model import LevelRecords, Task


def imported(tmp_path: Path, files: Mapping[str, Any] | None = None) -> Imported:
    """The one task of a small checkout, which must have been imported."""
    result = import_all(tmp_path, files)
    assert [failure.error for failure in result.failed] == []
    assert len(result.imported) == 1
    return result.imported[0]


def import_all(tmp_path: Path, files: Mapping[str, Any] | None = None) -> ImportResult:
    """All that came of a small checkout."""
    return import_checkout(make_checkout(tmp_path, files), tmp_path / "out")


def loaded(tmp_path: Path, files: Mapping[str, Any] | None = None) -> Task:
    """The same, loaded."""
    return load_task(imported(tmp_path, files).path)


def level(task: Task, name: str) -> LevelRecords:
    """All that is known at a level."""
    assert task.records is not None
    return task.records.levels[name]  # type: ignore[index]


def kept(tmp_path: Path) -> dict[tuple[str, str], Any]:
    """What ``hidden/import.json`` keeps, by file and place."""
    document = json.loads((tmp_path / "out" / TASK / "hidden" / "import.json").read_text("utf-8"))
    return {(one["file"], one["where"]): one["value"] for one in document["kept"]}


def said(findings: Iterable[Finding], words: str) -> list[Finding]:
    """The findings that say ``words``."""
    return [finding for finding in findings if words in finding.message]

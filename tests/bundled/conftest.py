"""The bundled tasks, each in turn, with what is particular to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bundled.table import TABLE, Row
from underspec.task.catalog import bundled_tasks
from underspec.task.load import load_task
from underspec.task.model import Task


@pytest.fixture(scope="module", params=bundled_tasks("repository"), ids=lambda folder: folder.name)
def folder(request: pytest.FixtureRequest) -> Path:
    """The folder of one bundled task; tests that take it run for every one."""
    chosen: Path = request.param
    return chosen


@pytest.fixture(scope="module")
def row(folder: Path) -> Row:
    return TABLE[folder.name]


@pytest.fixture(scope="module")
def task(folder: Path) -> Task:
    return load_task(folder)

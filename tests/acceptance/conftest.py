"""The toy commission, loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commission_factory import make_commission
from underspec.task.load import load_task
from underspec.task.model import Task


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Task:
    folder: Path = tmp_path_factory.mktemp("commission")
    return load_task(make_commission(folder))

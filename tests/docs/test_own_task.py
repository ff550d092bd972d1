"""The task that the documentation makes is a valid one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import ROOT, file_blocks
from underspec.task import release
from underspec.task.digest import write_manifest
from underspec.task.load import load_task
from underspec.task.validate import validate_task


@pytest.fixture
def greeter(tmp_path: Path) -> Path:
    folder = tmp_path / "greeter"
    for name, text in file_blocks(ROOT / "docs" / "own-task.md").items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_the_documented_task_validates_without_errors(greeter: Path) -> None:
    findings = validate_task(greeter)
    assert [finding for finding in findings if finding.severity == "error"] == []


def test_nothing_but_a_golden_implementation_is_missing_once_the_manifest_is_written(greeter: Path) -> None:
    write_manifest(greeter)
    assert [finding.file for finding in validate_task(greeter)] == ["hidden/golden.toml"]


def test_the_documented_task_loads_and_hides_its_canaries(greeter: Path) -> None:
    task = load_task(greeter)
    assert {name: suite.total for name, suite in task.suites.items()} == {"public": 1, "native": 2, "enhanced": 1}
    assert "canary" not in release.request_text(task, "L1")

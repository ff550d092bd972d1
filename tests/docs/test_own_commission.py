"""The commission that the documentation makes is a valid one, and its tests tell right from wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import underspec
from tests.docs.pages import ROOT, console_blocks, file_blocks
from tests.sandbox.boxes import needs_bubblewrap
from underspec.task.digest import write_manifest
from underspec.task.validate import validate_task

PAGE = ROOT / "docs" / "own-commission.md"


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    folder = tmp_path / "word-counter"
    for name, text in file_blocks(PAGE).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    write_manifest(folder)
    return folder


def test_validation_finds_nothing(counter: Path) -> None:
    assert validate_task(counter) == []


@pytest.mark.sandbox
@needs_bubblewrap
def test_the_terminal_shows_what_the_page_shows(counter: Path) -> None:
    ran = underspec("tasks", "validate", "--variants", str(counter))
    [shown] = [block for block in console_blocks(PAGE) if "validate --variants" in block]
    assert ran.code == 0, ran.err
    assert ran.out.splitlines() == shown.splitlines()[2:]

"""The example of the page about scripted models does what the page says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, console_blocks, file_blocks
from underspec.artifact.ledger import read_ledger
from underspec.artifact.session import SessionLog

pytest.importorskip("inspect_ai")

PAGE = ROOT / "docs" / "scripted-models.md"


@pytest.mark.sandbox
def test_the_documented_run_asks_builds_and_leaves_its_ledger(tmp_path: Path) -> None:
    for name, text in file_blocks(PAGE).items():
        (tmp_path / name).write_text(text)
    [block] = console_blocks(PAGE)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", block.removeprefix("$ ")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    [ledger] = (tmp_path / "runs" / "scripted").rglob("ledger.jsonl")
    calls = read_ledger(ledger)
    assert [call.role for call in calls] == ["builder", "router", "builder", "builder"]
    router = calls[1]
    assert router.retries == 2
    assert router.waited > 0
    [session] = {path.read_bytes() for path in (tmp_path / "runs" / "scripted").rglob("session.json")}
    assert [turn.matched for turn in SessionLog.from_bytes(session, file="session.json").turns] == [("C033",)]


def test_every_field_of_the_format_is_on_the_page() -> None:
    from underspec.model.scripted import Script, ScriptedFault, ScriptedTurn, ScriptedUsage, When

    page = PAGE.read_text()
    for part in (Script, ScriptedTurn, ScriptedUsage, When, ScriptedFault):
        for name in part.model_fields:
            assert f"`{name}`" in page or f"`{name} =" in page or f"[[{name}]]" in page, name

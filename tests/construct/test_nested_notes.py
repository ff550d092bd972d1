"""nested-notes, from the registry's package to the bundled task, with recorded responses and every gate for real."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.construct.recorded import HERE, script_of, turns_of
from underspec.construct.pipeline import stages_of
from underspec.construct.project import Project
from underspec.construct.runner import Runner
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.task.catalog import bundled_tasks
from underspec.task.golden import archive_place
from underspec.task.load import load_task

pytest.importorskip("inspect_ai")
RECORDED = HERE / "nested-notes"
[TASK] = [folder for folder in bundled_tasks("repository") if folder.name == "nested-notes"]
_RUN = "cd package && exec node --test --test-reporter=junit --test-reporter-destination={report} test.js"
OPTIONS: dict[str, dict[str, Any]] = {
    "select": {
        "root": "package",
        "url": "https://github.com/fwg/s-expression",
        "filename": "s-expression-3.1.1.tgz",
        "sha256": "5f6cbab527814cca14f604be7b823f8d52b239205e38ed32a6b7a99454ddb026",
        "test_command": ["bash", "-c", _RUN],
        "test_paths": ["package/test.js"],
        "identity": [
            *("s-expression", "sexpression", "sexpr", "fwg", "frodenius", "Altrock", "Matt Brennan", "mattyb1000"),
        ],
    },
    "verify": {"title": "A reader of nested notes", "category": "Parsing"},
}


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_recorded_response_is_a_document() -> None:
    for turn in turns_of(RECORDED):
        assert "calls" in turn or turn["text"] == "It is built." or isinstance(json.loads(turn["text"]), dict)


@pytest.mark.proof
@pytest.mark.sandbox
@pytest.mark.timeout(1200)
def test_recorded_responses_lead_to_the_bundled_task_byte_for_byte(tmp_path: Path) -> None:
    golden = load_task(TASK).golden
    assert golden is not None
    if shutil.which("node") is None or not archive_place(golden).exists():
        pytest.skip("needs node, and the golden archive; `underspec tasks validate --golden` fetches it")
    project = Project(
        kind="repository",
        task="nested-notes",
        source="npm:s-expression@3.1.1",
        out=str(tmp_path / "nested-notes"),
        model=script_of(RECORDED, tmp_path / "script.jsonl"),
        repairs=0,
        options=OPTIONS,
    )
    runner = Runner(tmp_path / "work", project, stages_of("repository"), BubblewrapBackend)
    assert asyncio.run(runner.run())
    facts = {stage.name: runner.folder(stage.name).state().verdict for stage in runner.stages}
    verified = facts["verify"]
    assert verified is not None
    assert verified.facts["golden"]["rate"] == 1
    assert verified.facts["empty"]["passed"] == 0
    assert [build["rate"] for build in verified.facts["reconstruction"]] == [1]
    assert verified.facts["mutants"]["killed"] >= 0.9 * verified.facts["mutants"]["tried"]
    assert files_of(runner.folder("verify").out / "nested-notes") == files_of(TASK)

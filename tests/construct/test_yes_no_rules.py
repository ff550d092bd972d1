"""yes-no-rules, from the registry's package to the bundled task, with recorded responses and every gate for real."""

from __future__ import annotations

import asyncio
import json
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
RECORDED = HERE / "yes-no-rules"
[TASK] = [folder for folder in bundled_tasks("repository") if folder.name == "yes-no-rules"]
OPTIONS: dict[str, dict[str, Any]] = {
    "select": {
        "url": "https://github.com/bastikr/boolean.py",
        "filename": "boolean_py-5.0-py3-none-any.whl",
        "sha256": "ef28a70bd43115208441b53a045d1549e2f0ec6e3d08a9d142cbc41c1938e8d9",
        "identity": [
            *("boolean.py", "bastikr", "Sebastian Kraemer", "BooleanAlgebra", "allowed_in_token", "ParseError"),
            *("DualBase", "literalize", "demorgan"),
        ],
    },
    "verify": {"agent": "", "category": "Logic", "limits": {"memory_mb": 512}},
}


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_recorded_response_is_one_document() -> None:
    assert all(isinstance(json.loads(turn["text"]), dict) for turn in turns_of(RECORDED))


@pytest.mark.pipeline
@pytest.mark.sandbox
@pytest.mark.timeout(1200)
def test_recorded_responses_lead_to_the_bundled_task_byte_for_byte(tmp_path: Path) -> None:
    golden = load_task(TASK).golden
    assert golden is not None
    if not archive_place(golden).exists():
        pytest.skip("needs the golden archive; `underspec tasks validate --golden` fetches it")
    project = Project(
        kind="repository",
        task="yes-no-rules",
        source="pypi:boolean.py==5.0",
        out=str(tmp_path / "yes-no-rules"),
        model=script_of(RECORDED, tmp_path / "script.jsonl"),
        repairs=0,
        options=OPTIONS,
    )
    runner = Runner(tmp_path / "work", project, stages_of("repository"), BubblewrapBackend)
    assert asyncio.run(runner.run())
    verdicts = {stage.name: runner.folder(stage.name).state().verdict for stage in runner.stages}
    selected, refactored, enhanced, verified = (
        verdict.facts if (verdict := verdicts[name]) else {} for name in ("select", "refactor", "enhance", "verify")
    )
    assert selected["runs"] == [{"tests": 86, "ok": True}] * 2
    assert (refactored["kept"], refactored["dropped"]) == (63, 23)
    assert enhanced["coverage"]["both"] > enhanced["coverage"]["native"] > 0.8
    assert verified["golden"] == {"passed": 396, "total": 396, "rate": 1}
    assert verified["empty"]["passed"] == 0
    assert verified["mutants"]["killed"] >= 0.7 * verified["mutants"]["tried"]
    log = json.loads((runner.folder("enhance").out / "log.json").read_text())
    assert [row["outcome"] for row in log if row["outcome"] not in ("kept",)] == ["failed"]
    assert files_of(runner.folder("verify").out / "yes-no-rules") == files_of(TASK)

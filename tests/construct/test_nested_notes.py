"""nested-notes, from the registry's package to the bundled task, with recorded responses and every gate for real."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.construct import toy
from tests.construct.recorded import HERE, script_of, turns_of
from underspec.construct.fuzz.files import Material
from underspec.construct.fuzz.gate import judge_texts
from underspec.construct.ground.draft import Draft, Kept, KeptFeature
from underspec.construct.materials import Selection
from underspec.construct.pipeline import stages_of
from underspec.construct.project import Project
from underspec.construct.refactor import read_plan
from underspec.construct.runner import Runner
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.task.canary import strip_markdown_canary
from underspec.task.catalog import bundled_tasks
from underspec.task.golden import archive_place
from underspec.task.load import load_task
from underspec.task.release import scaffold_cases

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


def material(tmp_path: Path) -> Material:
    """What the stage fuzz read, taken back from the bundled task and the recorded responses."""
    task = load_task(TASK)
    draft = Draft.model_validate(recorded("ground/ground"))
    kept = tuple(KeptFeature(id=each.id, title=each.title, called=each.called) for each in draft.features)
    plan = read_plan(recorded("refactor/plan"))
    assert plan is not None
    source = task.toml.source
    selection = Selection(
        name="s-expression",
        version=source.version,
        url=source.url,
        language=task.toml.language,
        license=source.license,
        files=1,
        lines=1,
        test_command=("node",),
        identity=task.toml.identity,
    )
    public = task.suites["public"].files
    return Material(
        ground=strip_markdown_canary(task.requests["ground"]),
        features=Kept(features=kept),
        contract=plan[0],
        selection=selection,
        native=task.suites["native"].files,
        enhanced=task.suites["enhanced"].files,
        public=public,
        shown={Path(path).stem: content.decode() for path, content in scaffold_cases(task).items()},
        golden=tmp_path,
    )


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text())
    return found


ANSWERS = {name.lower(): name for name in ("constraints", "L1", "L2", "L3")}


def test_recorded_responses_pass_the_gates_over_texts_and_are_what_is_bundled(tmp_path: Path) -> None:
    given, task = material(tmp_path), load_task(TASK)
    levels = toy.levels(given, {call: recorded(f"fuzz/{call}") for call in ANSWERS})
    assert list(judge_texts(given, levels, task.golden)) == []
    for level, text in levels.requests.items():
        assert strip_markdown_canary(task.requests[level]).rstrip() == text.rstrip()
        assert task.records is not None
        assert task.records.levels[level] == levels.records[level]


@pytest.mark.parametrize(
    ("call", "old", "new", "kind"),
    [
        ("l1", "one of them made of two characters", "one of them is called unquote splicing", "hidden_phrase_shown"),
        ("l1", "Nobody can read", "Nobody can read an S Expression in", "names_repository"),
        ("l1", '"R024"', '"R023"', "omission_without_record"),
        ("l2", "lower-case hexadecimal digits", "UTF-16 hexadecimal digits", "hidden_phrase_shown"),
        ("l3", "and one mark that some editors leave", "and U+ FEFF", "hidden_phrase_shown"),
        ("l3", "U+3000 and the byte order mark (U+FEFF).", "the byte order mark.", "edit_old_not_once"),
    ],
)
def test_a_fault_planted_in_a_recorded_response_is_found(
    tmp_path: Path, call: str, old: str, new: str, kind: str
) -> None:
    given = material(tmp_path)
    answers = {name: recorded(f"fuzz/{name}") for name in ANSWERS}
    text = json.dumps(answers[call], ensure_ascii=False)
    assert old in text
    answers[call] = json.loads(text.replace(old, new))
    assert kind in {finding.kind for finding in judge_texts(given, toy.levels(given, answers), load_task(TASK).golden)}


@pytest.mark.pipeline
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

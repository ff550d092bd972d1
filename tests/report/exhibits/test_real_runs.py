"""Runs as they lie on disk, read back, and made into exhibits by the function and by the command."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.agent.scripts import turn, write_script
from tests.clarify.scripts import APPROVAL, FINISH, REPLY, ask
from tests.cli.command import underspec
from tests.report.run_sample import make_run
from tests.run.toy_agents import make_context, toy_agents
from tests.task_factory import make_task
from underspec.artifact.condition import Condition
from underspec.cli.app import app
from underspec.errors import StoreError
from underspec.model.spec import make_spec
from underspec.report.exhibits.catalogue import catalogue, exhibits
from underspec.report.exhibits.exhibit import Figure, Table
from underspec.report.exhibits.write import PAGE, write_exhibits
from underspec.report.runs import read_run, read_runs
from underspec.run.executor import execute
from underspec.task.load import load_task

ARM = Condition(agent="one", model="m/one")
OTHER = ARM.model_copy(update={"model": "m/other"})
BUNDLED = ("data-sizes", "moving-marks", "recurring-times")


def stored(folder: Path) -> Path:
    """Three bundled tasks by two models, and one of them with public case files."""
    with_cases = ARM.model_copy(update={"scaffold": True})
    passed = {ARM: (5, 6, 7), OTHER: (2, 3, None), with_cases: (8, 8, 9)}
    return make_run(
        folder,
        {arm: {task: [each] for task, each in zip(BUNDLED, found, strict=True)} for arm, found in passed.items()},
    )


def test_a_stored_run_gives_its_tables_with_times_and_costs(tmp_path: Path) -> None:
    run = read_run(stored(tmp_path / "run"))
    found = {each.name: each for each in exhibits([run], lambda name: load_task(_bundled(name)))}
    main, scaffold, runtime = (found[name] for name in ("ICAE Table VI", "ICAE Table IX", "ICAE Figure 11"))
    assert isinstance(main, Table)
    assert [(row["model"].value, row["overall_macro"].value) for row in main.rows] == [
        ("m/one", 0.55),
        ("m/other", 0.25),
    ]
    assert isinstance(scaffold, Table)
    assert scaffold.rows[1]["difference"].value == pytest.approx(7 / 30)
    assert isinstance(runtime, Figure)
    assert {row["value"].value for row in runtime.data.rows if row["panel"].value == "Minutes"} == {1.5}
    assert {"ICAE Table V", "ICAE Table VIII", "ICAE Figure 4", "ICAE Figure 7", "ICAE Figure 8"} <= found.keys()


def _bundled(name: str) -> Path:
    from underspec.task.catalog import find_task

    return find_task(name)


def test_two_runs_are_read_together_and_one_named_twice_is_read_once(tmp_path: Path) -> None:
    one = make_run(tmp_path / "one", {ARM: {"a": [5], "b": [6]}})
    two = make_run(tmp_path / "two", {OTHER: {"a": [7], "b": [8]}})
    runs = read_runs([one, two, one])
    table = next(
        each for each in exhibits(runs, lambda name: load_task(tmp_path / name)) if each.name == "ICAE Table VI"
    )
    assert isinstance(table, Table)
    assert [(row["model"].value, row["planned"].value) for row in table.rows] == [("m/other", 2), ("m/one", 2)]
    assert "Runs: one, two." in table.notes


def test_damage_in_a_log_is_named_and_not_taken_for_no_time(tmp_path: Path) -> None:
    folder = stored(tmp_path / "run")
    log = next(folder.glob("items/*/build/attempts/1/log.jsonl"))
    log.write_text("no json\n")
    with pytest.raises(StoreError) as caught:
        list(exhibits([read_run(folder)], lambda name: load_task(_bundled(name))))
    assert caught.value.file == str(log)


def test_files_are_written_and_what_is_absent_is_said(tmp_path: Path) -> None:
    run = read_run(stored(tmp_path / "run"))
    written = write_exhibits([run], lambda name: load_task(_bundled(name)), tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(written.files)
    page = (tmp_path / "out" / PAGE).read_text()
    assert "## ICAE Table IX. " in page
    assert "](icae-figure-9.svg)" in page
    assert {each.slug for each in written.absent} | {each.slug for each, _files in written.exhibits} == {
        each.slug for each in catalogue()
    }
    assert "- SWE-Clar Table 2, Implementation and clarification: needs accepted items" in page
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "icae-table-9.csv").read_text())))
    assert [row["varied"] for row in rows] == ["without", "with"]


def test_the_command_writes_what_was_asked_for_and_prints_one_document(tmp_path: Path) -> None:
    folder = stored(tmp_path / "run")
    ran = underspec(
        "exhibits", folder, "--out", tmp_path / "out", "--only", "icae-table-9", "--only", "icae-table-10", "--json"
    )
    assert ran.code == 0, ran.err
    document = ran.json()
    assert [each["name"] for each in document["exhibits"]] == ["ICAE Table IX"]
    assert [each["slug"] for each in document["absent"]] == ["icae-table-10"]
    (_without, with_cases) = document["exhibits"][0]["rows"]
    assert with_cases["difference"]["value"] == pytest.approx(7 / 30)
    assert len(with_cases["difference"]["interval"]) == 2
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [PAGE, "icae-table-9.csv"]


def test_the_command_lists_all_and_refuses_what_there_is_not(tmp_path: Path) -> None:
    listed = CliRunner().invoke(app, ["exhibits", "--list", "--json"])
    assert [each["slug"] for each in json.loads(listed.stdout)["catalogue"]] == [each.slug for each in catalogue()]
    wrong = CliRunner().invoke(app, ["exhibits", str(tmp_path), "--only", "icae-table-99"])
    assert wrong.exit_code == 2
    assert "icae-table-9" in wrong.output
    (tmp_path / "file").touch()
    folder = stored(tmp_path / "run")
    refused = CliRunner().invoke(
        app, ["exhibits", str(folder), "--out", str(tmp_path / "file"), "--only", "icae-table-6"]
    )
    assert refused.exit_code == 2
    assert "no folder can be made here" in refused.output
    nothing = CliRunner().invoke(app, ["exhibits", str(tmp_path)])
    assert nothing.exit_code == 2
    assert "this is no run" in nothing.output


@pytest.mark.sandbox
def test_scripted_agents_that_ran_give_interaction_failures_and_disclosure(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    context, items = make_context(tmp_path / "run", task, toy_agents())
    asyncio.run(execute(context, items, concurrency=2))
    found = {each.name: each for each in exhibits([read_run(tmp_path / "run")], lambda name: load_task(task))}
    table = found["ICAE Table VI"]
    assert isinstance(table, Table)
    shown = {
        row["agent"].value: (row["overall"].value, row["coverage"].value, row["router"].value) for row in table.rows
    }
    assert shown.keys() == {"thorough", "hasty", "nop"}
    assert shown["thorough"][0] == 1.0
    assert shown["nop"] == (0.0, 0.0, "embedded")
    assert float(shown["thorough"][1] or 0) > 0
    failures = found["ICAE Figure 9"]
    assert isinstance(failures, Figure)
    missed = [
        row["label"].value for row in failures.data.rows if row["panel"].value == "No Test" and row["value"].value
    ]
    assert missed == ["nop"]
    curve = found["SWE-Clar Figure 8"]
    assert isinstance(curve, Figure)
    assert [row["value"].value for row in curve.data.rows if row["label"].value == "hasty"] == [0.0]


@pytest.mark.sandbox
def test_a_clarification_that_ran_and_was_labelled_gives_swe_clars_tables(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from tests.clarify.runs import run, toy_context
    from underspec.run.labels import label_item

    roles = {
        "clarifying": [turn(calls=ask("one?")), turn(calls=FINISH)],
        "client": [turn(text="A wrong draft."), turn(text=REPLY, repeat=True)],
        "supervisor": [
            turn(text='{"accurate": false, "complete": true, "in_scope": true, "reasons": "no"}'),
            turn(text=APPROVAL, repeat=True),
        ],
        "judge": [turn(text='{"label": "correct"}', repeat=True)],
    }
    context, items = toy_context(tmp_path, {"x": roles})
    run(context, items)
    assessor, annotator = "You check replies that were given", "You note what one reply discloses"
    turns = [
        turn(when={"anywhere": assessor, "last": "A wrong draft."}, text='{"correct": false, "reason": ""}'),
        turn(when={"anywhere": assessor}, text='{"correct": true, "reason": ""}', repeat=True),
        turn(when={"anywhere": annotator}, text='{"disclosure": "complete"}', repeat=True),
    ]
    model = make_spec(write_script(tmp_path / "labels.jsonl", turns))
    for role in ("assessor", "annotator"):
        asyncio.run(label_item(context, items["x"], role, model))
    runs = [read_run(tmp_path / "run")]
    found = {each.name: each for each in exhibits(runs, lambda name: context.tasks[name])}
    expected = {f"SWE-Clar Table {number}" for number in (2, 5, 8, 9, 11)}
    expected |= {f"SWE-Clar Figure {number}" for number in (3, 4, 6, 8, 9)}
    assert expected <= found.keys()
    transitions = found["SWE-Clar Table 11"]
    assert isinstance(transitions, Table)
    assert [row["questions"].value for row in transitions.rows] == [1, 0, 0, 0]

"""``underspec annotate`` and ``underspec export`` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from tests.cli.command import underspec
from tests.report.export.sample import build_run, clarify_run
from tests.report.human.study_sample import filled, reviewed_run
from underspec.artifact.condition import Condition
from underspec.cli.app import app

SCORES = [0.2, 0.9, 0.5, 0.7]


def typed(*argv: str | Path) -> Result:
    """The command within this process, which starts in no time."""
    return CliRunner().invoke(app, [str(each) for each in argv])


def document(*argv: str | Path) -> Any:
    done = typed(*argv, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_a_study_from_sampling_to_agreement(tmp_path: Path) -> None:
    run = reviewed_run(
        tmp_path / "runs" / "one",
        [Condition(agent="asker")],
        4,
        lambda condition, epoch: dict.fromkeys(("semantic", "api", "design"), SCORES[epoch - 1]),
    )
    study = tmp_path / "study"
    sampled = document("annotate", "sample", "one", "-n", "4", "--out", study, "--runs", run.parent)
    assert sampled["samples"] == 4
    assert [each["sampled"] for each in sampled["strata"]] == [4]
    made = document("annotate", "sheets", study, "--annotators", "2")
    assert made["annotators"] == ["A1", "A2"]
    sheets = study / "handout" / "sheets"
    for name, shift in (("A1", 0), ("A2", 5)):
        sheet = sheets / f"{name}.csv"
        cells = {"semantic": 50 + shift, "api": 40, "design": 30}
        sheet.write_bytes(filled(sheet.read_bytes(), lambda row, cells=cells: cells))  # type: ignore[misc]
    imported = document("annotate", "import", study, sheets / "A1.csv", sheets / "A2.csv")
    assert imported["progress"] == {"A1": [4, 4], "A2": [4, 4]}
    found = document("annotate", "agreement", study)
    assert found["dimensions"]["semantic"]["human_mean"] == 52.5
    assert found["dimensions"]["semantic"]["annotators"]["samples"] == 4
    shown = underspec("annotate", "agreement", study)
    assert shown.code == 0
    assert "Human validation of critic-based metrics" in shown.out
    assert "filled in: A1 4 of 4, A2 4 of 4" in shown.out
    made = document("exhibits", run, "--human", study, "--only", "icae-table-16", "--out", tmp_path / "exhibits")
    (table,) = made["exhibits"]
    assert table["rows"][0]["human"]["value"] == 0.525


def test_a_wrong_cell_is_named_and_nothing_is_imported(tmp_path: Path) -> None:
    run = reviewed_run(tmp_path / "one", [Condition(agent="asker")], 1, lambda condition, epoch: None)
    study = tmp_path / "study"
    refused = typed("annotate", "sample", run, "-n", "1", "--out", study)
    assert refused.exit_code == 2
    assert "there are 0 to sample, not 1 (left out 1: no critic has scored it)" in refused.stderr
    key = document("annotate", "sample", run, "-n", "1", "--unscored", "--out", study)["study"]
    sheet = tmp_path / "back.csv"
    sheet.write_text(f"study,annotator,sample,semantic,api,design,note\n{key},A1,S001,1000,,,\n")
    done = typed("annotate", "import", study, sheet)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error: back.csv, row 2, column semantic: 1000 is not between 0 and 100 (write a number" in done.stderr
    for wrong in (
        ("annotate", "agreement", study),
        ("annotate", "agreement", tmp_path),
        ("annotate", "sheets", study, "--annotator", "../up"),
        ("annotate", "sample", run, "-n", "1", "--of", "taste", "--out", study),
    ):
        assert typed(*wrong).exit_code == 2, wrong


def test_runs_are_exported(tmp_path: Path) -> None:
    one = build_run(tmp_path / "one", [Condition(agent="asker")], ["data-sizes"])
    other = clarify_run(tmp_path / "other")
    out = tmp_path / "out"
    told = document("export", one, other, "--out", out, "--format", "csv", "--format", "jsonl", "--weight", "critic=1")
    assert told["tables"]["items"] == json.loads((out / "report.json").read_text())["tables"]["items"]
    assert told["trajectories"]["weights"]["critic"] == 1
    assert {path.suffix for path in out.iterdir()} == {".csv", ".json", ".jsonl"}
    again = typed("export", one, "--out", out)
    assert (again.exit_code, "there is something already" in again.stderr) == (2, True)
    for wrong in (
        ("--format", "xlsx"),
        ("--weight", "taste=1"),
        ("--evidence", "burn"),
        ("--public", "--evidence", "copy"),
    ):
        assert typed("export", one, "--out", tmp_path / "no", *wrong).exit_code == 2, wrong
        assert not (tmp_path / "no").exists()
    assert "cannot be made" in typed("export", one, "--out", out / "report.json" / "x").stderr
    shown = underspec("export", one, "--out", tmp_path / "public", "--public")
    assert shown.code == 0
    assert shown.out.splitlines()[-1].endswith("public, without anything hidden")
    assert "1 phases without messages: the agent called no model" in shown.out

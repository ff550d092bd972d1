"""``underspec annotate`` from the first sample to the last figure."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import underspec
from tests.report.human.study_sample import filled, reviewed_run
from underspec.artifact.condition import Condition

SCORES = [0.2, 0.9, 0.5, 0.7]


def test_a_study_from_sampling_to_agreement(tmp_path: Path) -> None:
    reviewed_run(
        tmp_path / "runs" / "one",
        [Condition(agent="asker")],
        4,
        lambda condition, epoch: dict.fromkeys(("semantic", "api", "design"), SCORES[epoch - 1]),
    )
    sampled = underspec("annotate", "sample", "one", "-n", "4", "--out", "study", "--json", cwd=tmp_path).json()
    assert sampled["samples"] == 4
    assert [each["sampled"] for each in sampled["strata"]] == [4]
    made = underspec("annotate", "sheets", "study", "--annotators", "2", "--json", cwd=tmp_path).json()
    assert made["annotators"] == ["A1", "A2"]
    sheets = tmp_path / "study" / "handout" / "sheets"
    for name, shift in (("A1", 0), ("A2", 5)):
        number = iter(range(10))
        sheet = sheets / f"{name}.csv"
        cells = {"semantic": 50 + shift, "api": 40, "design": 30}
        sheet.write_bytes(
            filled(sheet.read_bytes(), lambda row, cells=cells, number=number: {**cells, "api": 10 * next(number)})  # type: ignore[misc]
        )
    imported = underspec("annotate", "import", "study", sheets / "A1.csv", sheets / "A2.csv", "--json", cwd=tmp_path)
    assert imported.code == 0
    assert imported.json()["progress"] == {"A1": [4, 4], "A2": [4, 4]}
    found = underspec("annotate", "agreement", "study", "--json", cwd=tmp_path).json()
    assert found["dimensions"]["semantic"]["human_mean"] == 52.5
    assert found["dimensions"]["semantic"]["annotators"]["samples"] == 4
    shown = underspec("annotate", "agreement", "study", cwd=tmp_path)
    assert shown.code == 0
    assert "Human validation of critic-based metrics" in shown.out


def test_a_wrong_cell_is_named_and_nothing_is_imported(tmp_path: Path) -> None:
    run = reviewed_run(tmp_path / "one", [Condition(agent="asker")], 1, lambda condition, epoch: None)
    study = tmp_path / "study"
    refused = underspec("annotate", "sample", run, "-n", "1", "--out", study)
    assert refused.code == 2
    assert "there are 0 to sample, not 1 (left out 1: no critic has scored it)" in refused.err
    key = underspec("annotate", "sample", run, "-n", "1", "--unscored", "--out", study, "--json").json()["study"]
    sheet = tmp_path / "back.csv"
    sheet.write_text(f"study,annotator,sample,semantic,api,design,note\n{key},A1,S001,1000,,,\n")
    done = underspec("annotate", "import", study, sheet)
    assert (done.code, done.out) == (1, "")
    assert "error: back.csv, row 2, column semantic: 1000 is not between 0 and 100 (write a number" in done.err
    assert underspec("annotate", "agreement", study).code == 2
    assert underspec("annotate", "agreement", tmp_path).code == 2
    assert underspec("annotate", "sample", run, "-n", "1", "--of", "taste", "--out", study).code == 2

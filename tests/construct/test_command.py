"""``underspec construct`` as a user meets it: it stops and goes on, shows, opens, compares, ranks and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.construct.planted import TESTS, repository
from underspec.cli.app import app

pytestmark = pytest.mark.sandbox


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.chdir(tmp_path)


def construct(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["construct", *arguments])


def document(result: Result) -> Any:
    return json.loads(result.stdout)


def test_stages_are_stopped_shown_edited_compared_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tmp_path / "tallybox")
    first = construct("tallybox", "--out", "tally", "--until", "select", "--json")
    assert first.exit_code == 0, first.stderr
    stages = {stage["name"]: stage for stage in document(first)["stages"]}
    assert list(stages) == ["select", "refactor", "ground", "enhance", "fuzz", "image", "verify"]
    assert (stages["select"]["standing"], stages["verify"]["standing"]) == ("passed", "blocked")
    assert document(first)["done"] is False
    shown = construct("status", "tally.construct")
    assert shown.exit_code == 0
    assert "select    passed, 1 turns" in shown.stdout
    assert "warning: not_assessed" in shown.stdout
    assert construct("edit", "tally.construct", "select/selection.json").exit_code == 3
    monkeypatch.setenv("EDITOR", "no-such-editor-anywhere")
    lacking = construct("edit", "tally.construct", "select/selection.json")
    assert lacking.exit_code == 3
    assert "no-such-editor-anywhere" in lacking.stderr
    monkeypatch.setenv("EDITOR", "sed -i s/Tallybox/Counting/")
    edited = document(construct("edit", "tally.construct", "select/source/README.md", "--json"))
    assert (edited["stage"], edited["changed"]) == ("select", True)
    status = document(construct("status", "tally.construct", "--json"))
    assert status["stages"][0]["standing"] == "edited"
    resumed = construct("resume", "tally.construct", "--until", "select", "--json")
    assert resumed.exit_code == 0, resumed.stderr
    assert document(resumed)["stages"][0]["edited"] is True
    assert "edited by hand; kept" in resumed.stderr
    redone = construct("resume", "tally.construct", "--until", "select", "--redo", "select", "--json")
    assert document(redone)["stages"][0]["edited"] is False
    differs = construct("diff", "tally.construct", "select/source/README.md", "--json")
    assert differs.exit_code == 1
    assert document(differs)["lines"][-2:] == ["-# Counting", "+# Tallybox"]
    assert construct("diff", "tally.construct", "select/golden", "select/golden").exit_code == 0


def test_a_scripted_model_is_found_again_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tmp_path / "tallybox")
    (tmp_path / "model.toml").write_text('[[turn]]\ntext = "nothing"\nrepeat = true\n')
    first = construct("tallybox", "--out", "tally", "--model", "scripted/model.toml", "--repairs", "0")
    assert first.exit_code == 1
    assert "error: no_proposal" in first.stdout
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert construct("status", "../tally.construct").exit_code == 0


def test_a_shut_gate_is_exit_code_one_with_its_reason(tmp_path: Path) -> None:
    repository(tmp_path / "tallybox", test_tallybox_py=TESTS.replace("), 6)", "), 7)"))
    result = construct("tallybox", "--out", "tally", "--repairs", "0", "--until", "select")
    assert result.exit_code == 1
    assert "error: test_fails: test_tallybox.Sums::test_three_numbers_are_added_up_to_their_total" in result.stdout


def test_without_a_model_a_stage_that_needs_one_says_which_files_to_write(tmp_path: Path) -> None:
    repository(tmp_path / "tallybox")
    result = construct("tallybox", "--out", "tally", "--until", "refactor")
    assert result.exit_code == 2
    assert "the stage refactor needs a model or a person" in result.stderr
    assert "contract.json (leaf features" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere", "--out", "tally"), "is no repository"),
        (("tallybox", "--out", "Bad Name!", "--task", "Bad Name"), "cannot be a task's id"),
        (("tallybox", "--out", "tally", "--set", "select"), "is not STAGE.NAME=VALUE"),
        (("tallybox", "--out", "tally", "--stage-model", "select"), "is not STAGE=MODEL"),
        (("tallybox", "--out", "tally", "--model", "nonsense"), "provider/name"),
        (("tallybox", "--out", "full"), "holds something else already"),
        (("tallybox", "--out", "tally", "--until", "polish"), "there is no stage 'polish'"),
        (("tallybox", "--out", "tally", "--set", 'select.wheels=[{"name": "x"}]', "--until", "select"), "a wheel"),
        (("tallybox", "--out", "tally", "--set", "sellect.seconds=600"), "there is no stage 'sellect'"),
        (("tallybox", "--out", "tally", "--stage-model", "polish=scripted/x"), "there is no stage 'polish'"),
        (("tallybox", "--out", "tally", "--set", "select.seconds=soon", "--until", "select"), "'soon' is no number"),
        (("tallybox", "--out", "tally", "--set", "select.seconds=1.5", "--until", "select"), "no whole number"),
        (("status", "full"), "no working folder"),
        (("resume", "nowhere"), "no working folder"),
        (("rank", "tallybox", "./tallybox"), "would both work in"),
    ],
)
def test_wrong_use_is_refused_with_what_is_wrong(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    repository(tmp_path / "tallybox")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("x")
    result = construct(*arguments)
    assert result.exit_code == 2, result.output
    assert words in " ".join(result.stderr.split())


def test_the_working_folder_of_another_repository_is_not_taken(tmp_path: Path) -> None:
    repository(tmp_path / "tallybox")
    repository(tmp_path / "other")
    assert construct("tallybox", "--out", "tally", "--until", "select").exit_code == 0
    result = construct("other", "--out", "tally")
    assert result.exit_code == 2
    assert "is the working folder of tally from" in result.stderr


def test_a_dry_run_bounds_the_cost_and_leaves_nothing(tmp_path: Path) -> None:
    repository(tmp_path / "tallybox")
    result = construct("tallybox", "--out", "tally", "--model", "anthropic/claude-fable-5-1", "--dry-run", "--json")
    bound = document(result)
    assert [row["stage"] for row in bound["stages"]][:2] == ["select", "refactor"]
    assert bound["dollars"] == pytest.approx(sum(row["dollars"] for row in bound["stages"]))
    assert bound["dollars"] > 0
    unknown = construct("tallybox", "--out", "tally", "--model", "someone/unpriced", "--dry-run", "--json")
    assert document(unknown)["dollars"] is None
    assert not (tmp_path / "tally.construct").exists()


def test_many_repositories_are_ranked_and_a_bad_one_stops_nothing(tmp_path: Path) -> None:
    repository(tmp_path / "sound")
    repository(tmp_path / "flawed", test_tallybox_py=TESTS.replace("), 6)", "), 7)"))
    result = construct("rank", "flawed", "sound", "missing", "--json")
    assert result.exit_code == 0, result.stderr
    rows = document(result)["repositories"]
    assert [(Path(row["source"]).name, row["kept"]) for row in rows] == [
        ("sound", True),
        ("missing", False),
        ("flawed", False),
    ]
    assert rows[0]["tests"] == 3
    assert rows[1]["reasons"] == ["is no repository"]
    assert rows[2]["reasons"] == ["test_fails: fails in every run"]
    table = construct("rank", "flawed")
    assert table.exit_code == 1
    assert "refused" in table.stdout

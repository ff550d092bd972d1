"""A whole commission with recorded answers: drafts are tried in sandboxes, two people sign, the task is released."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.construct.commission.sample import ANSWERS, REFERENCE, answers, kinds, runner, told
from tests.sandbox.boxes import needs_bubblewrap
from underspec.cli.app import app
from underspec.construct.commission.signoff import sign
from underspec.construct.project import write_project
from underspec.construct.runner import Runner
from underspec.task.load import load_task
from underspec.task.validate import validate_task

pytest.importorskip("inspect_ai")
pytestmark = [pytest.mark.sandbox, needs_bubblewrap]


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every stage but the last has passed."""
    folder: Path = tmp_path_factory.mktemp("commission")
    made = runner(folder, answers())
    assert asyncio.run(made.run(until="drafts")), kinds(made, "drafts")
    return folder


def again(drafted: Path, folder: Path, recorded: dict[str, Any] | None = None) -> Runner:
    """The same construction in another folder."""
    shutil.copytree(drafted / "work", folder / "work")
    return runner(folder, recorded or answers(), drafted / "source")


def test_variants_were_judged_for_real(drafted: Path) -> None:
    verdict = runner(drafted, answers(), drafted / "source").folder("drafts").state().verdict
    assert verdict is not None
    assert verdict.facts["variants"]["reference"] == verdict.facts["variants"]["equivalent"] == "4 of 4 tests"
    assert verdict.facts["variants"]["starter"] == "0 of 4 tests"
    assert set(verdict.facts["also"]) == {"incorrect-RU-001", "incorrect-RU-002", "incorrect-RU-003"}


def test_two_people_release_a_task_and_nobody_else_does(drafted: Path, tmp_path: Path) -> None:
    made = again(drafted, tmp_path)
    out = made.folder("signoff").out
    assert not asyncio.run(made.run())
    assert kinds(made, "signoff") == {"not_signed"}
    sign(out, "Ada")
    sign(out, "ada ")  # the same person
    assert not asyncio.run(made.run())
    sign(out, "Bo", note="read twice")
    assert asyncio.run(made.run())
    task = out / "parking-fees"
    assert [finding for finding in validate_task(task) if finding.severity == "error"] == []
    assert [unit.id for unit in load_task(task).units.units] == ["RU-001", "RU-002", "RU-003"]  # type: ignore[union-attr]


def test_a_word_given_to_another_state_does_not_count(drafted: Path, tmp_path: Path) -> None:
    made = again(drafted, tmp_path)
    out = made.folder("signoff").out
    asyncio.run(made.run())
    sign(out, "Ada")
    sign(out, "Bo")
    initial = made.folder("units").out / "initial.md"
    initial.write_text(initial.read_text() + "\nThank you.\n")
    assert not asyncio.run(made.run())
    assert "outdated" in kinds(made, "signoff")
    assert not asyncio.run(made.run(redo=["signoff"]))
    assert kinds(made, "signoff") == {"not_signed"}


def _weak_tests(document: dict[str, Any]) -> dict[str, Any]:
    text = document["files"][0]["text"].replace('"A,100000\\n"', '"A,20\\n"').replace('"A 1800\\n"', '"A 120\\n"')
    return {"files": [{**document["files"][0], "text": text}, *document["files"][1:]], "remove": []}


@pytest.mark.proof
def test_tests_that_accept_what_is_wrong_come_back_and_are_mended(drafted: Path, tmp_path: Path) -> None:
    weak = _weak_tests(ANSWERS["drafts"])
    mended = {"files": [ANSWERS["drafts"]["files"][0]], "remove": []}
    made = again(drafted, tmp_path, {**answers(), "drafts": [told("accept what is wrong about it", mended), weak]})
    made.project = made.project.model_copy(update={"repairs": 1})
    assert asyncio.run(made.run(until="drafts", redo=["drafts"]))
    assert [turn.kinds for turn in made.folder("drafts").state().turns][-2:] == [("variant",), ()]


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("variants/reference/fees.py", REFERENCE.replace("1800", "1700"), "the reference implementation passes"),
        pytest.param(
            "../interface/out/workspace/fees.py", REFERENCE, "the starter files pass", marks=pytest.mark.proof
        ),
        pytest.param(
            "variants/equivalent/fees.py", "print()\n", "the equivalent implementation passes", marks=pytest.mark.proof
        ),
    ],
)
def test_what_a_person_breaks_is_named(drafted: Path, tmp_path: Path, path: str, text: str, said: str) -> None:
    made = again(drafted, tmp_path)
    place = made.folder("drafts").out / path
    if path.startswith("../"):
        place = tmp_path / "work" / path.removeprefix("../")
    place.write_text(text)
    assert not asyncio.run(made.run(until="drafts"))
    verdict = made.folder("drafts").state().verdict
    assert verdict is not None
    assert any(said in finding.message for finding in verdict.findings), verdict.findings


def test_the_commands_sign_and_release(drafted: Path, tmp_path: Path) -> None:
    made = again(drafted, tmp_path)
    work = tmp_path / "work"
    write_project(work, made.project)
    assert CliRunner().invoke(app, ["construct", "resume", str(work)]).exit_code == 1
    assert not (tmp_path / "task").exists()
    for name in ("Ada", "Bo"):
        done = CliRunner().invoke(app, ["construct", "sign", str(work), "--reviewer", name, "--json"])
        assert (done.exit_code, json.loads(done.stdout)["reviewer"]) == (0, name)
    assert CliRunner().invoke(app, ["construct", "resume", str(work), "--json"]).exit_code == 0
    assert load_task(tmp_path / "task").id == "parking-fees"
    assert CliRunner().invoke(app, ["construct", "sign", str(work), "--reviewer", " "]).exit_code == 2

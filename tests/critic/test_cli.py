"""``underspec review``, as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import underspec
from tests.critic.models import verdict, write
from tests.model.scripts import script
from tests.task_factory import make_golden_wheel, make_task
from underspec.grade.critic.packing import pack
from underspec.grade.critic.prompt import mark_of
from underspec.grade.critic.relevance import order
from underspec.phase.review import read_subject
from underspec.task.golden import archive_place, golden_library
from underspec.task.load import load_task

pytest.importorskip("inspect_ai")


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "home"))
    path = make_task(tmp_path)
    golden = load_task(path).golden
    assert golden is not None
    make_golden_wheel(archive_place(golden).parent)
    return path


def mark(task: Path, submission: Path) -> str:
    loaded = load_task(task)
    subject = read_subject(loaded, golden_library(loaded), submission, language=None, deliverable_sha256=None)
    ours, theirs = subject.golden.files, subject.generated.files
    golden = order(ours, theirs, counterparts_first=False)
    return mark_of(pack(golden, order(theirs, ours, counterparts_first=True), 100_000))


def test_a_review_is_printed_for_people_and_for_scripts(task: Path, tmp_path: Path) -> None:
    submission = write(tmp_path / "mine", {"sums.py": "def total(numbers):\n    return sum(numbers)\n"})
    said = verdict(mark(task, submission), 0.625, "total is there\u001b[31m, average is not")
    model = f"scripted/{script(tmp_path, {'text': said, 'repeat': True})}"
    argv = ("review", "--task", task, "--submission", submission, "--model", model, "--repeats", "2")
    ran = underspec(*argv, "--json")
    assert ran.code == 0, ran.err
    document = ran.json()
    assert document["scored"] is True
    assert {name: score["score"] for name, score in document["scores"].items()} == {
        "semantic": 0.625,
        "api": 0.625,
        "design": 0.625,
    }
    assert document["scores"]["api"]["repeats"] == {"planned": 2, "scored": 2, "sd": 0.0, "range": [0.625, 0.625]}
    assert document["scores"]["api"]["shown"]["golden"]["whole"] == 1
    assert document["spent"]["calls"] == 6
    assert "semantic, 1 of 2" in ran.err
    shown = underspec(*argv)
    assert shown.code == 0
    assert "public interface  0.625  sd 0.000 over 2" in shown.out
    assert "\x1b" not in shown.out


def test_what_is_not_scored_exits_with_1(task: Path, tmp_path: Path) -> None:
    submission = write(tmp_path / "mine", {"sums.py": "x = 1\n"})
    model = f"scripted/{script(tmp_path, {'text': 'Splendid. 10/10', 'repeat': True})}"
    ran = underspec("review", "--task", task, "--submission", submission, "--model", model, "--json")
    assert ran.code == 1
    assert ran.json()["scores"]["design"]["unscored"]["boundary"] == "judge"
    assert ran.json()["scores"]["design"]["score"] is None


def test_what_was_left_out_is_said(task: Path, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"m{number}.py": "value = 1\n" * 200 for number in range(20)}
    submission = write(tmp_path / "mine", files)
    model = f"scripted/{script(tmp_path, {'text': 'no', 'repeat': True})}"
    ran = underspec(
        "review", "--task", task, "--submission", submission, "--model", model, "--budget", "3000", "--json"
    )
    shown = ran.json()["scores"]["semantic"]["shown"]["generated"]
    assert shown["whole"] + shown["cut"] + shown["left_out"] == shown["files"] == 20
    assert shown["left_out"] == len(shown["left_out_paths"]) > 10
    assert shown["tokens"] < 3000 < shown["tokens_of_all"]


def test_a_folder_that_is_none_and_a_model_that_is_none_are_wrong_use(task: Path, tmp_path: Path) -> None:
    here = write(tmp_path / "mine", {"a.py": "x = 1\n"})
    for argv in (
        ("--submission", tmp_path / "nowhere", "--model", "scripted/x.toml"),
        ("--submission", here, "--model", "no-provider"),
        ("--submission", here, "--model", "scripted/nowhere.toml"),
        ("--submission", here, "--model", "scripted/nowhere.toml", "--golden", tmp_path / "nowhere"),
    ):
        assert underspec("review", "--task", task, *argv).code == 2


def test_golden_sources_can_be_named_and_the_prompts_shown(task: Path, tmp_path: Path) -> None:
    here = write(tmp_path / "mine", {"README.md": "x"})
    golden = write(tmp_path / "theirs", {"a.py": "x = 1\n"})
    model = f"scripted/{script(tmp_path, {'text': 'no'})}"
    ran = underspec("review", "--task", task, "--submission", here, "--model", model, "--golden", golden, "--json")
    assert ran.code == 0
    assert ran.json()["nothing_generated"] is True
    assert ran.json()["golden"]["languages"] == {"Python": 1}
    names = {each["name"] for each in underspec("prompts", "show", "critic", "--json").json()["prompts"]}
    assert names == {"semantic", "api", "design", "rules", "sources", "malformed"}

"""What annotators get is blind, whole and inert."""

from __future__ import annotations

import csv
import io
import os
import re
from pathlib import Path

import pytest

from tests.report.html_sample import HOSTILE
from tests.report.human.study_sample import UNITS, judged_run, reviewed_run
from underspec.artifact.condition import Condition
from underspec.artifact.human import AnnotationKey
from underspec.errors import UsageError
from underspec.report.human.blinding import Blind, is_trace
from underspec.report.human.form import content_policy
from underspec.report.human.sampling import sample_study
from underspec.report.human.sheets import check_annotators, ordered, sheet_csv
from underspec.report.human.study import Study
from underspec.run.plan import Tasks
from underspec.task.catalog import find_task
from underspec.task.load import load_task

SIGNED = Condition(agent="claude-code", model="anthropic/claude-opus-4-8")
OTHER = Condition(agent="mini-swe-agent", model="maker/brisk-model-7b")
SCORES = {"semantic": 0.5, "api": 0.5, "design": 0.5}
TASKS = Tasks({name: find_task(name) for name in ("data-sizes", "tool-lending")}, load_task)


def write(tree: Path, condition: Condition, epoch: int) -> None:
    """A deliverable that signs itself wherever it can."""
    (tree / "src").mkdir()
    (tree / "src" / "main.py").write_text(
        f"# Written by {condition.model} with {condition.agent}.\n"
        f"# Generated with Claude Code, GPT-5.5\nvalue = {epoch}\n"
    )
    (tree / "CLAUDE.md").write_text("my own notes")
    (tree / ".claude").mkdir()
    (tree / ".claude" / "settings.json").write_text("{}")
    (tree / "made-by-codex.txt").write_text("plain")
    (tree / "blob.bin").write_bytes(b"\xff\xfe anthropic \x00")
    (tree / "link").symlink_to("/etc/passwd")
    os.utime(tree / "src" / "main.py", (1_700_000_000, 1_700_000_000))


def make_study(folder: Path) -> Study:
    run = reviewed_run(folder / "run", [SIGNED, OTHER], 2, lambda condition, epoch: SCORES, write=write)
    made = Study(folder / "study")
    made.begin(sample_study([run], "critic", 4, 0, unscored=False))
    made.hand_out(["A1", "B-2"], TASKS.__getitem__, lambda words: None)
    return made


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("study"))


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nothing_handed_out_names_an_agent_a_model_or_a_run(study: Study) -> None:
    secret = re.compile(rb"claude|gpt-|codex|brisk-model|mini-swe|opus|react|--e[12]--", re.IGNORECASE)
    for path, content in files(study.path / "handout").items():
        assert not secret.search(path.encode()), path
        assert not secret.search(content), path
        for each in study.key().samples:
            assert each.item.encode() not in content
            assert each.folder.encode() not in content
            assert each.subject.encode() not in content


def test_names_are_covered_where_they_stand_and_nothing_else_moves(study: Study) -> None:
    texts = [
        content.decode()
        for path, content in files(study.path / "handout" / "material").items()
        if path.endswith("main.py")
    ]
    assert len(texts) == 4
    for text in texts:
        assert text.splitlines()[1] == "# Generated with ██████ Code, ███████"
        assert re.fullmatch(r"value = [12]", text.splitlines()[2])
    lengths = {len(line) for text in texts for line in text.splitlines()[:1]}
    assert lengths == {len(f"# Written by {each.model} with {each.agent}.") for each in (SIGNED, OTHER)}


def test_traces_links_and_times_stay_behind(study: Study) -> None:
    names = {path.split("/", 1)[1] for path in files(study.path / "handout" / "material")}
    assert names == {"about.md", "deliverable/src/main.py", "deliverable/made-by-█████.txt", "deliverable/blob.bin"}
    folder = study.path / "handout" / "material" / "S001"
    assert not any(path.is_symlink() for path in folder.rglob("*"))
    assert (folder / "deliverable" / "src" / "main.py").stat().st_mtime == 0
    assert "Left out: 2 files of programs for themselves, 1 links." in (folder / "about.md").read_text()


def test_what_was_covered_or_left_behind_is_counted(tmp_path: Path) -> None:
    made = make_study(tmp_path).hand_out(["A1"], TASKS.__getitem__, lambda words: None)
    assert (made.covered.traces, made.covered.links, made.covered.uncovered) == (8, 4, 4)


def test_the_original_is_there_by_reference_alone(study: Study) -> None:
    golden = TASKS["data-sizes"].golden
    assert golden is not None
    about = (study.path / "handout" / "material" / "S001" / "about.md").read_text()
    for part in (golden.name, golden.version, golden.sha256):
        assert part in about


def test_the_key_is_the_operators_own(study: Study) -> None:
    assert (study.path / "key.json").stat().st_mode & 0o077 == 0
    assert not (study.path / "handout" / "key.json").exists()


def test_another_study_does_not_take_the_folder_over(study: Study) -> None:
    key = study.key()
    study.begin(key)
    with pytest.raises(UsageError, match="holds another study"):
        study.begin(key.model_copy(update={"seed": 99}))


def test_making_sheets_anew_keeps_what_came_back_in_the_old_folder(tmp_path: Path) -> None:
    study = make_study(tmp_path)
    sheet = study.path / "handout" / "sheets" / "A1.csv"
    sheet.write_bytes(b"filled in")
    study.hand_out(["A1", "late"], TASKS.__getitem__, lambda words: None)
    kept = [path for path in study.path.glob("handout-*/sheets/A1.csv") if path.read_bytes() == b"filled in"]
    assert len(kept) == 1
    assert set(study.annotators()) == {"A1", "B-2", "late"}


def test_every_annotator_has_all_samples_in_an_order_of_their_own(study: Study) -> None:
    key = study.key()
    orders = {name: tuple(each.id for each in ordered(key, name)) for name in ("A1", "A2", "A3", "A4")}
    assert len(set(orders.values())) > 1
    assert all(sorted(order) == [each.id for each in key.samples] for order in orders.values())
    rows = list(csv.reader(io.StringIO(sheet_csv(key, "A1").decode("utf-8-sig"))))
    assert rows[0] == ["study", "annotator", "sample", "semantic", "api", "design", "note"]
    assert [row[2] for row in rows[1:]] == list(orders["A1"])


def test_files_that_only_their_makers_names_told_apart_are_all_there(tmp_path: Path) -> None:
    def signed(tree: Path, condition: Condition, epoch: int) -> None:
        for maker in ("claude", "openai", "gemini"):
            (tree / f"by-{maker}.py").write_text(f"made = {len(maker)}  # {maker}\n")

    run = reviewed_run(tmp_path / "run", [OTHER], 1, lambda condition, epoch: SCORES, write=signed)
    study = Study(tmp_path / "study")
    study.begin(sample_study([run], "critic", 1, 0, unscored=False))
    study.hand_out(["A1"], TASKS.__getitem__, lambda words: None)
    found = study.path / "handout" / "material" / "S001" / "deliverable"
    assert sorted(path.name for path in found.iterdir()) == ["by-██████.py", "by-██████~2.py", "by-██████~3.py"]


@pytest.mark.parametrize("names", [["../up"], [""], ["a b"], ["A", "a"], ["=x"], ["x" * 41]])
def test_names_that_cannot_name_a_file_are_refused(names: list[str]) -> None:
    with pytest.raises(UsageError):
        check_annotators(names)


def test_the_rubric_has_the_critics_own_definitions(study: Study) -> None:
    rubric = (study.path / "handout" / "rubric.md").read_text()
    page = (study.path / "handout" / "sheets" / "A1.html").read_text()
    for words in ("Likeness of behaviour.", "Likeness of the public interface.", "Quality of the generated tree"):
        assert words in rubric
        assert words in page


@pytest.mark.parametrize("path", [".claude/x", "a/.codex/", "CLAUDE.md", "sub/AGENTS.md", ".aider.chat.history.md"])
def test_what_programs_leave_for_themselves_is_known(path: str) -> None:
    assert is_trace(path)


@pytest.mark.parametrize("path", ["docs/agents.md", "src/claude.py", "claude/x.py", "pi/x.py", "readme.md"])
def test_what_may_be_the_work_itself_is_kept(path: str) -> None:
    assert not is_trace(path)


def test_ordinary_words_are_no_names() -> None:
    blind = Blind(["react", "command", "golden", "scripted/some-file.toml", "maker/m1", "claude-code"])
    text = "react to the command; golden rule; m1; the cursor moves; a codecs module; cloud; gemini's twin"
    assert blind.text(text)[0] == text.replace("gemini", "██████")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("judged")
    asked = Condition(agent="react", model="maker/brisk-model-7b", protocol="clarify-first", judge_model="x/judge")
    run = judged_run(
        folder / "run",
        [asked],
        lambda condition, unit: "correct",
        say=lambda unit: "As brisk-model-7b I say: " + " | ".join(HOSTILE),
        besides=HOSTILE[0],
    )
    made = Study(folder / "study")
    made.begin(sample_study([run], "judge", 1, 0, unscored=False))
    made.hand_out(["A1"], TASKS.__getitem__, lambda words: None)
    return made


def test_a_judges_sheet_has_a_row_for_each_answer_and_all_that_it_is_judged_by(judged: Study) -> None:
    rows = list(csv.DictReader(io.StringIO((judged.path / "handout/sheets/A1.csv").read_text("utf-8-sig"))))
    assert [(row["sample"], row["unit"], row["label"]) for row in rows] == [("S001", unit, "") for unit in UNITS]
    task = TASKS["tool-lending"]
    assert task.units is not None
    shown = (judged.path / "handout/material/S001/answers.md").read_text()
    for unit in task.units.units[: len(UNITS)]:
        assert unit.requirement.splitlines()[0] in shown
        assert unit.answer.splitlines()[0] in shown
    assert "def test_" in shown
    assert "`correct`: all material points" in (judged.path / "handout/rubric.md").read_text()


def test_hostile_answers_are_text_and_the_page_runs_its_own_script_alone(judged: Study) -> None:
    page = (judged.path / "handout/sheets/A1.html").read_text()
    assert page.count("<script") == 1
    assert "<img" not in page
    assert "<svg" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "brisk-model" not in page
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert style is not None
    assert script is not None
    assert policy.replace("&#39;", "'") == content_policy(style[1], script[1])
    shown = (judged.path / "handout/material/S001/answers.md").read_text()
    assert "\x1b" not in shown
    assert all(line.startswith(("    ", "#")) or not line or line.endswith(":") for line in shown.splitlines())


def test_a_key_is_read_back_as_it_was_written(judged: Study) -> None:
    key = judged.key()
    assert AnnotationKey.from_bytes(key.to_bytes(), file="key.json") == key

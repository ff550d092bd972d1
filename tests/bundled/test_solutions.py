"""The complete requirement suffices, the records suffice, and asking makes the difference: for every bundled task."""

from __future__ import annotations

import asyncio
import functools
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bundled.shared import REPOSITORY, SOLUTIONS, need, read, run_tree, tool
from tests.bundled.table import TABLE, Row
from underspec.agent.scripted import learn
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.stakeholder.lexical import LexicalRouter
from underspec.stakeholder.reply import assemble
from underspec.task.catalog import bundled_tasks
from underspec.task.golden import archive_place
from underspec.task.model import LevelRecords, Task
from underspec.task.release import session_records

BROKEN = ("", "[]", "null", "{", '{"action": "hasOwnProperty"}', '{"action": 5}', '{"action": "clip"')
QUICK = [folder for folder in bundled_tasks("repository") if not TABLE[folder.name].golden_is_slow]
SLOW = [folder for folder in bundled_tasks("repository") if TABLE[folder.name].golden_is_slow]


@pytest.fixture(scope="module")
def known(task: Task) -> LevelRecords:
    return session_records(task, "L1")


@pytest.fixture(scope="module")
def scripts(folder: Path) -> Path:
    """What `asker` asks, learns and starts from."""
    return SOLUTIONS / folder.name / "asker"


def run_on_nothing(repository: Path, patience: int) -> None:
    """Run a tree's script on an empty case folder: no output and no failure. The folder is taken away again."""
    cases = repository / "rcb_tests/test_cases"
    cases.mkdir()
    done = subprocess.run(["bash", "rcb_tests/test.sh"], cwd=repository, capture_output=True, timeout=patience)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list((repository / "rcb_tests/stdout").rglob("*.txt")) == []
    cases.rmdir()


Trees = Callable[[Path, str], Path]


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Trees:
    """Gives what runs, by task folder and name: the solution `eager` or `asker`, or the `reference`.

    One that is compiled is a copy, built by its own script once for all tests; copies of it are not built again.
    """

    @functools.cache
    def tree(folder: Path, name: str) -> Path:
        row = TABLE[folder.name]
        if name == "reference":
            need("python3")
            return REPOSITORY / "tests/bundled" / row.reference
        need(row.program)
        kept = SOLUTIONS / folder.name / {"eager": "eager", "asker": "asker/solution"}[name]
        if not row.compiled:
            return kept
        into = tmp_path_factory.mktemp(name) / "built"
        shutil.copytree(kept, into)
        run_on_nothing(into, row.patience)
        return into

    return tree


def taught(scripts: Path, replies: list[str]) -> dict[str, Any]:
    return learn(read(scripts / "solution/settings.json"), read(scripts / "learn.json"), replies)


def leaves(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, content in settings.items():
        found.update(leaves(content, f"{prefix}{name}.") if isinstance(content, dict) else {prefix + name: content})
    return found


def test_ground_suffices_for_every_case(folder: Path, row: Row, trees: Trees, tmp_path: Path) -> None:
    score = run_tree(folder, trees(folder, "reference"), tmp_path / "repository", patience=row.patience)
    assert score.failed == ()


def test_the_answers_of_l1_suffice_for_every_case(
    folder: Path, row: Row, scripts: Path, trees: Trees, known: LevelRecords, tmp_path: Path
) -> None:
    """What L1 leaves out can be recovered: a program that starts from guesses and learns from replies alone."""
    settings = taught(scripts, list(known.responses().values()))
    score = run_tree(folder, trees(folder, "asker"), tmp_path / "repository", patience=row.patience, settings=settings)
    assert score.failed == ()


def test_eager_gets_something_right_and_much_wrong(folder: Path, row: Row, trees: Trees, tmp_path: Path) -> None:
    assert 0.1 < run_tree(folder, trees(folder, "eager"), tmp_path / "repository", patience=row.patience).rate < 0.4


def test_without_answers_asker_is_no_better_than_a_guess(folder: Path, row: Row, trees: Trees, tmp_path: Path) -> None:
    assert 0.1 < run_tree(folder, trees(folder, "asker"), tmp_path / "repository", patience=row.patience).rate < 0.4


def test_with_its_own_questions_answered_asker_is_much_better_and_not_perfect(
    folder: Path, row: Row, scripts: Path, trees: Trees, known: LevelRecords, tmp_path: Path
) -> None:
    router = LexicalRouter()

    async def ask() -> list[str]:
        questions: list[str] = read(scripts / "questions.json")
        return [assemble(await router.route(question, known, ()), known).text for question in questions]

    settings = taught(scripts, asyncio.run(ask()))
    score = run_tree(folder, trees(folder, "asker"), tmp_path / "repository", patience=row.patience, settings=settings)
    assert row.least_taught < score.rate < 1.0


def test_every_setting_is_a_guess_that_some_answer_changes(row: Row, scripts: Path, known: LevelRecords) -> None:
    guesses = leaves(read(scripts / "solution/settings.json"))
    told = leaves(taught(scripts, list(known.responses().values())))
    assert {name for name in guesses if guesses[name] == told[name]} == row.lucky_guesses


def test_every_rule_is_met_by_an_answer_and_by_no_fallback(row: Row, scripts: Path, known: LevelRecords) -> None:
    guesses, rules = read(scripts / "solution/settings.json"), read(scripts / "learn.json")
    for rule in rules:
        assert set(rule["set"]) <= set(leaves(guesses)), rule
        changed = learn(guesses, [rule], list(known.responses().values()))
        assert changed != guesses or set(rule["set"]) in row.lucky_rules, rule
    assert learn(guesses, rules, [known.fallback]) == guesses


def test_questions_fit_the_budget_and_quote_no_trigger(scripts: Path, known: LevelRecords) -> None:
    questions = read(scripts / "questions.json")
    triggers = {trigger.casefold().rstrip("?") for record in known.records for trigger in record.triggers}
    assert 1 <= len(questions) <= 16
    assert not any(question.casefold().rstrip("?") in triggers for question in questions)


@pytest.mark.parametrize("name", ["eager", "asker", "reference"])
def test_a_case_folder_that_is_empty_gives_no_output_and_no_failure(
    name: str, folder: Path, row: Row, trees: Trees, tmp_path: Path
) -> None:
    shutil.copytree(trees(folder, name), tmp_path / "repository")
    run_on_nothing(tmp_path / "repository", row.patience)


@pytest.mark.parametrize("name", ["eager", "asker"])
@pytest.mark.parametrize(
    ("folder", "text"),
    [
        pytest.param(folder, text, id=f"{folder.name}-{text[:30]!a}")
        for folder in bundled_tasks("repository")
        for text in (*BROKEN, *TABLE[folder.name].broken)
    ],
    indirect=["folder"],
)
def test_a_solution_answers_broken_requests_with_an_error_line(
    name: str, text: str, folder: Path, row: Row, trees: Trees
) -> None:
    command = row.eager_command if name == "eager" else row.asker_command
    data = text.encode("latin-1")
    done = subprocess.run(command, cwd=trees(folder, name), input=data, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"error=")
    assert done.stdout.count(b"\n") == 1


@pytest.fixture
def golden(task: Task, row: Row) -> Task:
    """The task, where its golden implementation can be run."""
    need(row.program)
    assert task.golden is not None
    if not archive_place(task.golden).exists():
        pytest.skip("the golden archive is not on this machine; `underspec tasks validate --golden` fetches it")
    return task


@pytest.mark.sandbox
@pytest.mark.parametrize("folder", SLOW, ids=lambda folder: folder.name, indirect=True)
def test_the_golden_implementation_gives_the_public_expectations(golden: Task) -> None:
    """Where the rest is a proof; the test below includes it for other tasks."""
    outputs: dict[str, list[str]] = asyncio.run(tool.golden_outputs(golden, "public", BubblewrapBackend()))
    public = golden.suites["public"].files
    assert outputs == {stem: [case.expected_output for case in file.cases] for stem, file in public.items()}


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "folder",
    [
        *(pytest.param(folder, id=folder.name) for folder in QUICK),
        *(pytest.param(folder, id=folder.name, marks=pytest.mark.proof) for folder in SLOW),
    ],
    indirect=True,
)
def test_the_golden_implementation_gives_exactly_what_is_kept(folder: Path, golden: Task) -> None:
    """A proof where building the golden library, once a suite, takes its time."""
    derived: dict[str, bytes] = asyncio.run(tool.derive(golden, BubblewrapBackend()))
    assert [path for path, content in derived.items() if (folder / path).read_bytes() != content] == []

"""Moving marks: the complete requirement suffices, the records suffice, and asking makes the difference."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.bundled.moving_marks import MOVING_MARKS, REFERENCE_IMPL, SOLUTIONS, run_tree
from tests.bundled.test_regenerate_cases import tool
from underspec.agent.scripted import learn
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.stakeholder.lexical import LexicalRouter
from underspec.stakeholder.reply import assemble
from underspec.task.golden import archive_place
from underspec.task.load import load_task
from underspec.task.model import LevelRecords, Task
from underspec.task.release import session_records

ASKER = SOLUTIONS / "asker"
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


def read(path: Path) -> Any:
    return json.loads(path.read_bytes())


@pytest.fixture(scope="module")
def known() -> LevelRecords:
    return session_records(load_task(MOVING_MARKS), "L1")


def build(tree: Path, into: Path) -> Path:
    """A copy of a solution, built by its own script; copies of it are not built again."""
    shutil.copytree(tree, into)
    (into / "rcb_tests/test_cases").mkdir()
    done = subprocess.run(["bash", "rcb_tests/test.sh"], cwd=into, capture_output=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list((into / "rcb_tests/stdout").rglob("*.txt")) == []
    shutil.rmtree(into / "rcb_tests/test_cases")
    return into


@pytest.fixture(scope="module")
def eager(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(SOLUTIONS / "eager", tmp_path_factory.mktemp("eager") / "built")


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ASKER / "solution", tmp_path_factory.mktemp("asker") / "built")


def taught(replies: list[str]) -> dict[str, Any]:
    return learn(read(ASKER / "solution/settings.json"), read(ASKER / "learn.json"), replies)


def leaves(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, content in settings.items():
        found.update(leaves(content, f"{prefix}{name}.") if isinstance(content, dict) else {prefix + name: content})
    return found


def test_ground_suffices_for_every_case(tmp_path: Path) -> None:
    score = run_tree(REFERENCE_IMPL, tmp_path / "repository")
    assert score.failed == ()


@needs_compiler
def test_the_answers_of_l1_suffice_for_every_case(tmp_path: Path, asker: Path, known: LevelRecords) -> None:
    """What L1 leaves out can be recovered: a program that starts from guesses and learns from replies alone."""
    replies = list(known.responses().values())
    score = run_tree(asker, tmp_path / "repository", settings=taught(replies))
    assert score.failed == ()


@needs_compiler
def test_eager_gets_something_right_and_much_wrong(tmp_path: Path, eager: Path) -> None:
    assert 0.1 < run_tree(eager, tmp_path / "repository").rate < 0.4


@needs_compiler
def test_without_answers_asker_is_no_better_than_a_guess(tmp_path: Path, asker: Path) -> None:
    assert 0.1 < run_tree(asker, tmp_path / "repository").rate < 0.4


@needs_compiler
def test_with_its_own_questions_answered_asker_is_much_better_and_not_perfect(
    tmp_path: Path, asker: Path, known: LevelRecords
) -> None:
    router = LexicalRouter()

    async def ask() -> list[str]:
        questions: list[str] = read(ASKER / "questions.json")
        return [assemble(await router.route(question, known, ()), known).text for question in questions]

    score = run_tree(asker, tmp_path / "repository", settings=taught(asyncio.run(ask())))
    assert 0.75 < score.rate < 1.0


def test_every_setting_is_a_guess_that_some_answer_changes(known: LevelRecords) -> None:
    guesses = leaves(read(ASKER / "solution/settings.json"))
    told = leaves(taught(list(known.responses().values())))
    right_by_luck = {"requests.at"}
    assert {name for name in guesses if guesses[name] == told[name]} == right_by_luck


def test_every_rule_is_met_by_an_answer_and_by_no_fallback(known: LevelRecords) -> None:
    guesses, rules = read(ASKER / "solution/settings.json"), read(ASKER / "learn.json")
    for rule in rules:
        assert set(rule["set"]) <= set(leaves(guesses)), rule
        changed = learn(guesses, [rule], list(known.responses().values()))
        assert changed != guesses or set(rule["set"]) == {"requests.at"}, rule
    assert learn(guesses, rules, [known.fallback]) == guesses


def test_questions_fit_the_budget_and_quote_no_trigger(known: LevelRecords) -> None:
    questions = read(ASKER / "questions.json")
    triggers = {trigger.casefold().rstrip("?") for record in known.records for trigger in record.triggers}
    assert 1 <= len(questions) <= 16
    assert not any(question.casefold().rstrip("?") in triggers for question in questions)


@needs_compiler
@pytest.mark.parametrize("agent", ["eager", "asker"])
@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "{", '{"action": "hasOwnProperty"}', '{"action": 5}', "[" * 9999, '{"action": "clip"', "\x80"],
)
def test_a_solution_answers_broken_requests_with_an_error_line(agent: str, text: str, eager: Path, asker: Path) -> None:
    tree, program = (eager, "./marks") if agent == "eager" else (asker, "./moving-marks")
    data = text.encode("latin-1")
    done = subprocess.run([program], cwd=tree, input=data, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"error=")
    assert done.stdout.count(b"\n") == 1


def golden_task() -> Task:
    task = load_task(MOVING_MARKS)
    assert task.golden is not None
    if not archive_place(task.golden).exists():
        pytest.skip("the golden archive is not on this machine; `underspec tasks validate --golden` fetches it")
    return task


@pytest.mark.sandbox
@needs_compiler
def test_the_golden_implementation_gives_the_public_expectations() -> None:
    task = golden_task()
    outputs: dict[str, list[str]] = asyncio.run(tool.golden_outputs(task, "public", BubblewrapBackend()))
    kept = {stem: [case.expected_output for case in file.cases] for stem, file in task.suites["public"].files.items()}
    assert outputs == kept


@pytest.mark.sandbox
@pytest.mark.proof
@needs_compiler
def test_the_golden_implementation_gives_exactly_what_is_kept() -> None:
    """A proof and no test, since three builds of the golden library take their time."""
    derived: dict[str, bytes] = asyncio.run(tool.derive(golden_task(), BubblewrapBackend()))
    assert [path for path, content in derived.items() if (MOVING_MARKS / path).read_bytes() != content] == []

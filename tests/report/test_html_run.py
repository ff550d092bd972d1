"""The page of a real run: written with the report, told on the terminal, and silent about what is hidden."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.cli.command import underspec
from tests.report.html_sample import Page
from tests.run.toy_agents import make_context, toy_agents
from tests.task_factory import MEAN, make_task
from underspec.artifact.failures import Failures
from underspec.artifact.outcomes import CaseOutcome
from underspec.report.collect import collect, read_failures
from underspec.report.html.write import HIDDEN_PAGE, PAGE
from underspec.run.executor import execute
from underspec.run.store import RunStore
from underspec.task.load import load_task
from underspec.task.release import forbidden_strings

pytestmark = pytest.mark.sandbox

SECRET = "error: no figures at all, says case 7731\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the toy agents on a task whose one hidden case is unmistakable."""
    folder = tmp_path_factory.mktemp("run")
    case = {"input": {"action": "mean", "numbers": []}, "expected_output": SECRET}
    task = make_task(
        folder,
        files={f"hidden/cases/enhanced/{MEAN}.json": {"description": "d", "canary": "c" * 20, "cases": [case]}},
    )
    context, items = make_context(folder / "first", task, toy_agents())
    asyncio.run(execute(context, items, concurrency=2))
    return folder / "first"


def _failures(run: Path) -> dict[str, Failures | None]:
    return {each.item.condition.agent: read_failures(each) for each in collect(RunStore(run))}


def test_grading_keeps_what_failing_cases_printed(run: Path) -> None:
    kept = _failures(run)
    thorough, hasty, nop = kept["thorough"], kept["hasty"], kept["nop"]
    assert thorough
    assert hasty
    assert nop
    assert [(case.suite, case.file, case.index, case.output) for case in thorough.cases] == [
        ("enhanced", MEAN, 0, b"error: empty\n")
    ]
    assert [(case.suite, case.file, case.outcome, case.output) for case in hasty.cases] == [
        ("native", MEAN, CaseOutcome.MISMATCH, b"7.0\n"),
        ("enhanced", MEAN, CaseOutcome.MISMATCH, b""),
    ]
    # Nothing ran there, so nothing can have come.
    assert nop.cases == ()


def test_report_writes_a_page_that_can_be_handed_on(run: Path) -> None:
    ran = underspec("report", run, "--task", run.parent / "toy-sums")
    assert ran.code == 0
    assert f"as a page: {run / PAGE}" in ran.out
    page = (run / PAGE).read_text("utf-8")
    task = load_task(run.parent / "toy-sums")
    for secret in (SECRET.strip(), "7731", str(run.parent), *forbidden_strings(task)):
        assert secret not in page
    read = Page(page)
    assert len(read.of("item")) == 3
    assert sum("How is a whole mean printed" in text for text in read.texts("ask")) == 1
    # What failed was hidden: its places are told, and neither what was expected nor what came.
    assert len([text for text in read.texts("callout") if "Of hidden cases" in text]) == 2
    assert read.of("case") == []
    assert not (run / HIDDEN_PAGE).exists()


def test_hidden_cases_go_into_a_page_of_another_name(run: Path) -> None:
    before = (run / PAGE).read_bytes() if (run / PAGE).exists() else None
    ran = underspec("report", run, "--task", run.parent / "toy-sums", "--show-hidden")
    assert ran.code == 0
    assert f"as a page: {run / HIDDEN_PAGE}" in ran.out
    assert SECRET.strip() in (run / HIDDEN_PAGE).read_text("utf-8")
    assert SECRET.strip() not in (run / PAGE).read_text("utf-8")
    assert before in (None, (run / PAGE).read_bytes())
    (run / HIDDEN_PAGE).unlink()


def test_a_task_that_is_not_bundled_is_asked_for(run: Path) -> None:
    ran = underspec("report", run, "--json")
    assert ran.json()["planned"] == 3
    page = (run / PAGE).read_text("utf-8")
    assert "underspec report --task" in page
    assert "What was expected is not at hand" in page

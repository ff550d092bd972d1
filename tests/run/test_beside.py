"""Structure and review beside the scores: they are had where they can be, said where not, and spoil nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.critic.models import Status, mark_in, served, verdict
from tests.run.toy_agents import FunctionAgent, attempts_that_published, make_context, published
from tests.task_factory import make_golden_wheel, make_task
from underspec.agent.golden import GoldenAgent
from underspec.agent.nop import NopAgent
from underspec.agent.protocol import Agent, Assignment
from underspec.artifact.ledger import read_ledger
from underspec.errors import Boundary, EnvironmentLacksError, GoldenError
from underspec.model.cost_counter import CostCounter
from underspec.model.limits import CostLimitError
from underspec.model.prices import Price, Prices
from underspec.model.spec import ModelSpec
from underspec.phase import review as review_phase
from underspec.report.collect import Collected, collect
from underspec.report.document import report_document
from underspec.run.beside import Critic, Goldens
from underspec.run.executor import RunContext, execute, run_item, status
from underspec.run.item import Item
from underspec.run.protocols import steps_beside
from underspec.run.store import MAX_ATTEMPTS, RunStore
from underspec.sandbox.protocol import WORKSPACE
from underspec.task.golden import archive_place
from underspec.task.load import load_task
from underspec.task.model import Task

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")


async def _write(assignment: Assignment) -> None:
    await assignment.sandbox.put(f"{WORKSPACE}/figures.py", b"def total(numbers):\n    return sum(numbers)\n")
    await assignment.sandbox.put(f"{WORKSPACE}/rcb_tests/test.sh", b"exit 0\n", executable=True)


def _agents() -> dict[str, Agent]:
    return {"writer": FunctionAgent("writer", _write), "nop": NopAgent()}


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The toy task, whose golden wheel is on this machine."""
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "home"))
    made = make_task(tmp_path)
    golden = load_task(made).golden
    assert golden is not None
    make_golden_wheel(archive_place(golden).parent)
    return made


def _run(context: RunContext, items: list[Item]) -> dict[str, Collected]:
    asyncio.run(execute(context, items, concurrency=2))
    return _read(context)


def _read(context: RunContext) -> dict[str, Collected]:
    return {each.item.condition.agent: each for each in collect(RunStore(context.store.path))}


def _half(monkeypatch: pytest.MonkeyPatch, asked: list[str] | None = None) -> ModelSpec:
    def said(texts: list[str], endpoint: str) -> str:
        if asked is not None:
            asked.append(texts[1])
        return verdict(mark_in(texts[1]), 0.5)

    return served(monkeypatch, said)


def test_deliverables_are_compared_after_the_scores_and_rows_have_the_means(tmp_path: Path, task: Path) -> None:
    context, items = make_context(tmp_path / "run", task, _agents())
    context.structure = True
    found = _run(context, items)
    assert found["writer"].scored
    structure, nothing = found["writer"].structure, found["nop"].structure
    assert structure is not None
    assert nothing is not None
    assert structure.similarity("method") == 0.5
    assert nothing.nothing_generated
    rows = {
        row["agent"]: row["structure"] for row in report_document("run", list(found.values()), comparable=False)["rows"]
    }
    assert [rows[name]["similarity"]["method"]["mean"] for name in ("writer", "nop")] == [0.5, 0.0]
    assert all((row["planned"], row["scored"], row["unscored"]) == (1, 1, {}) for row in rows.values())
    assert all(status(context, item).done for item in items)


def test_the_golden_agent_is_not_compared_with_itself(tmp_path: Path, task: Path) -> None:
    context, items = make_context(tmp_path / "run", task, {"golden": GoldenAgent()})
    context.structure = True
    assert steps_beside(context, items[0]) == ()


def test_a_task_without_golden_sources_has_neither(tmp_path: Path) -> None:
    made = make_task(tmp_path, files={"hidden/golden.toml": None})
    context, items = make_context(tmp_path / "run", made, _agents())
    context.structure = True
    found = _run(context, items)
    assert found["writer"].beside == frozenset()
    row = report_document("run", list(found.values()), comparable=False)["rows"][0]
    assert (row["structure"], row["review"]) == (None, None)


def test_golden_sources_that_cannot_be_had_spoil_no_score_and_are_asked_for_once(tmp_path: Path, task: Path) -> None:
    asked: list[str] = []

    def unreachable(task: Task) -> Path:
        asked.append(task.id)
        raise GoldenError("no registry answers", file="hidden/golden.toml", mend="check the network")

    context, items = make_context(tmp_path / "run", task, _agents(), epochs=2)
    context.structure, context.goldens = True, Goldens(unreachable)
    asyncio.run(execute(context, items, concurrency=3))
    found = collect(context.store)
    assert len(asked) == 1
    assert all(each.scored for each in found)
    reasons = {(each.structure_why.boundary, each.structure_why.reason) for each in found if each.structure_why}
    assert reasons == {(Boundary.TASK, "hidden/golden.toml: no registry answers (check the network)")}
    document = report_document("run", found, comparable=False)
    assert (document["scored"], document["unscored"]) == (4, {})
    for row in document["rows"]:
        assert (row["structure"]["planned"], row["structure"]["unscored"]) == (2, {"task": 2})
        assert row["structure"]["similarity"]["class"] == {"mean": None, "interval": None, "items": 0}
    # Neither tried again by the same command, which is done ...
    context.goldens = Goldens(unreachable)
    _run(context, items)
    assert len(asked) == 1
    assert all(status(context, item).done and status(context, item).complete for item in items)
    # ... and tried again when that is asked for.
    for item in items:
        context.store.phase(item, "structure").forgive()
    context.goldens = Goldens()
    assert all(each.structure is not None for each in _run(context, items).values())


def test_a_machine_that_lacks_something_for_it_is_a_reason(tmp_path: Path, task: Path) -> None:
    def lacks(task: Task) -> Path:
        raise EnvironmentLacksError("this user has no home folder")

    context, items = make_context(tmp_path / "run", task, {"writer": _agents()["writer"]})
    context.structure, context.goldens = True, Goldens(lacks)
    found = _run(context, items)["writer"]
    assert found.scored
    assert found.structure_why is not None
    assert found.structure_why.boundary == "sandbox"


def test_an_unknown_language_is_a_reason_and_no_end_of_the_run(tmp_path: Path, task: Path) -> None:
    context, items = make_context(tmp_path / "run", task, _agents(), language="COBOL")
    context.structure = True
    found = _run(context, items)
    assert found["writer"].scored
    why = found["writer"].structure_why
    assert why is not None
    assert "COBOL" in why.reason


def test_a_critic_that_comes_later_reviews_what_was_built_and_nothing_is_built_anew(
    tmp_path: Path, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    context, items = make_context(tmp_path / "run", task, _agents())
    before = _run(context, items)
    assert before["writer"].review is None
    old = published(tmp_path / "run")
    context.critic = Critic(_half(monkeypatch, asked), repeats=2)
    assert "review" in status(context, items[0]).waiting
    found = _run(context, items)
    assert {path: data for path, data in published(tmp_path / "run").items() if "/review/" not in path} == old
    review, nothing = found["writer"].review, found["nop"].review
    assert review is not None
    assert nothing is not None
    assert (review.semantic.score, review.semantic.planned, nothing.semantic.score) == (0.5, 2, 0.0)
    assert len(asked) == 3 * 2
    (ledger,) = (tmp_path / "run" / "items").glob("*writer*/review/attempts/*/ledger.jsonl")
    assert {(call.role, call.phase) for call in read_ledger(ledger)} == {("critic", "review")}
    assert [log.parent.name for log in (tmp_path / "run" / "evidence").rglob("*.eval")] == ["reviews"]
    rows = {row["agent"]: row for row in report_document("run", list(found.values()), comparable=False)["rows"]}
    assert rows["writer"]["review"]["scores"]["design"]["mean"] == 0.5
    assert rows["writer"]["spending"]["critic"]["calls"] == 6
    assert rows["writer"]["cost"] == rows["nop"]["cost"] == 0.0  # what the critic costs is not the builder's
    # Who is asked again has been asked already.
    _run(context, items)
    assert len(asked) == 6
    assert set(attempts_that_published(tmp_path / "run").values()) == {1}


def test_a_critic_whose_provider_fails_is_tried_again_and_then_unscored(
    tmp_path: Path, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("underspec.run.executor.RETRY_PAUSE", 0.0)
    context, items = make_context(tmp_path / "run", task, {"writer": _agents()["writer"]})
    context.critic = Critic(served(monkeypatch, lambda texts, endpoint: Status(401)))
    found = _run(context, items)["writer"]
    assert found.scored
    assert found.review_why is not None
    assert found.review_why.boundary == "model_service"
    assert len(list((tmp_path / "run" / "items").glob("*/review/attempts/*/error.json"))) == MAX_ATTEMPTS
    (row,) = report_document("run", [found], comparable=False)["rows"]
    assert row["review"]["unscored"] == {"model_service": 1}
    assert row["unscored"] == {}
    assert row["review"]["scores"]["api"]["unscored"] == {"model_service": 1}


def test_a_critic_that_answers_in_prose_is_unscored_by_the_judges_boundary(
    tmp_path: Path, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, items = make_context(tmp_path / "run", task, {"writer": _agents()["writer"]})
    context.critic = Critic(served(monkeypatch, lambda texts, endpoint: "Lovely!"))
    (row,) = report_document("run", list(_run(context, items).values()), comparable=False)["rows"]
    assert (row["review"]["scored"], row["review"]["unscored"]) == (0, {"judge": 1})


def test_another_model_reviews_anew_and_other_rules_make_a_review_stale(
    tmp_path: Path, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    spec = _half(monkeypatch, asked)
    context, items = make_context(tmp_path / "run", task, {"writer": _agents()["writer"]})
    context.critic = Critic(spec)
    _run(context, items)
    monkeypatch.setattr(review_phase, "VERSION", 99)
    assert status(context, items[0]).stale == ("review",)
    found = _run(context, items)["writer"]
    assert found.review is not None
    assert (found.review_stale, found.stale, len(asked)) == (True, False, 3)
    (row,) = report_document("run", [found], comparable=False)["rows"]
    assert (row["review"]["stale"], row["stale"]) == (1, 0)
    context.redo = frozenset({"review"})
    assert not _run(context, items)["writer"].review_stale
    assert len(asked) == 6
    context.redo = frozenset()
    context.critic = Critic(spec, repeats=2)
    assert status(context, items[0]).waiting == ("review",)
    _run(context, items)
    assert len(asked) == 12


def test_the_runs_money_counts_a_critic_and_scores_come_first(
    tmp_path: Path, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.model import ModelOutput, ModelUsage

    def said(texts: list[str], endpoint: str) -> ModelOutput:
        answer = ModelOutput.from_content("m", verdict(mark_in(texts[1]), 0.5))
        return answer.model_copy(update={"usage": ModelUsage(input_tokens=100, output_tokens=0, total_tokens=100)})

    spec = served(monkeypatch, said)
    context, items = make_context(tmp_path / "run", task, {"writer": _agents()["writer"]}, epochs=2)
    context.critic = Critic(spec)
    context.prices = Prices({spec.name: Price(input=1e4, output=1e4, source="a test", read="2026-01-01")}, "packaged")
    context.run_cost = CostCounter(2.5)  # each of a review's three calls costs a dollar
    with pytest.raises(CostLimitError, match="max-cost"):
        asyncio.run(execute(context, items, concurrency=1))
    found = collect(context.store)
    assert context.run_cost.spent == pytest.approx(3.0)
    assert [each.scored for each in found] == [True, True]
    assert sorted(each.review is not None for each in found) == [False, True]
    assert not list((tmp_path / "run" / "items").glob("*/review/attempts/*/error.json"))
    context.run_cost = CostCounter(10.0)
    asyncio.run(execute(context, items, concurrency=1))
    assert all(each.review is not None for each in collect(context.store))


def test_what_a_run_leaves_out_stays_where_it_was_found_and_goes_where_it_failed(tmp_path: Path, task: Path) -> None:
    context, items = make_context(tmp_path / "run", task, _agents())
    context.structure = True
    _run(context, items)
    context.structure = False
    assert _run(context, items)["writer"].structure is not None
    compared = context.store.phase(items[1], "structure")
    (artifact,) = compared.artifacts()
    artifact.rename(tmp_path / "gone")
    left = _run(context, items)["nop"]
    assert (left.structure, left.structure_why, left.beside) == (None, None, frozenset())


def test_a_deliverable_that_was_built_anew_has_no_structure_of_the_old_one(tmp_path: Path, task: Path) -> None:
    context, items = make_context(tmp_path / "run", task, {"writer": _agents()["writer"]})
    context.structure = True
    _run(context, items)

    async def other(assignment: Assignment) -> None:
        await assignment.sandbox.put(f"{WORKSPACE}/other.py", b"def average(numbers): ...\n")

    context.agents["writer"] = FunctionAgent("writer", other, version="2")
    context.redo, context.structure = frozenset({"build"}), False
    found = _run(context, items)["writer"]
    assert found.structure is None
    context.structure = True
    again = _run(context, items)["writer"].structure
    assert again is not None
    assert again.overlap["method"].common == 1


def test_one_item_by_itself_is_scored_compared_and_reviewed(tmp_path: Path, task: Path) -> None:
    context, items = make_context(tmp_path / "run", task, {"writer": _agents()["writer"]})
    context.structure = True
    told: list[str] = []
    context.progress = lambda item, what: told.append(what)
    asyncio.run(run_item(context, items[0]))
    assert _read(context)["writer"].structure is not None
    assert told.index("done") < told.index("structure")
    assert told[-1] == ""


def test_a_scope_that_is_damaged_is_a_reason(tmp_path: Path, task: Path) -> None:
    scoped = make_task(tmp_path / "scoped", files={"hidden/scope.json": {"repo_id": 7}})
    context, items = make_context(tmp_path / "run", scoped, {"writer": _agents()["writer"]})
    context.structure = True
    why = _run(context, items)["writer"].structure_why
    assert why is not None
    assert "scope.json" in why.reason


def test_threads_that_want_the_same_sources_share_one_fetch(tmp_path: Path, task: Path) -> None:
    loaded: Any = load_task(task)
    calls: list[str] = []

    def fetch(task: Task) -> Path:
        calls.append(task.id)
        return tmp_path

    async def all_at_once() -> list[Path]:
        goldens = Goldens(fetch)
        return await asyncio.gather(*(asyncio.to_thread(goldens, loaded) for _ in range(8)))

    assert set(asyncio.run(all_at_once())) == {tmp_path}
    assert len(calls) == 1
    other = replace(loaded, golden=loaded.golden.model_copy(update={"sources": "elsewhere"}))
    goldens = Goldens(fetch)
    goldens(loaded)
    goldens(other)
    assert len(calls) == 3

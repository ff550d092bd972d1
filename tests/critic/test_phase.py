"""The review phase reads a sealed deliverable and the golden sources, and leaves one artifact under its key."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from tests.critic.models import mark_in, served, verdict, write
from tests.model.scripts import script, spec_of
from tests.task_factory import make_golden_wheel, make_task
from underspec.artifact.condition import Condition
from underspec.artifact.ledger import read_ledger
from underspec.artifact.review import CRITIC_DIMENSIONS, Review
from underspec.errors import ModelServiceError, TaskError
from underspec.model.cost_counter import CostCounter
from underspec.model.limits import CostLimitError, Limits
from underspec.model.spec import ModelSpec, make_spec
from underspec.phase import review as phase
from underspec.phase.build import DELIVERABLE_FILE, DELIVERABLE_TAR
from underspec.phase.compared import deliverable_in
from underspec.phase.review import REVIEW_FILE, ReviewInputs, review
from underspec.phase.work import Work
from underspec.sandbox.deliverable import seal_folder
from underspec.sandbox.protocol import Owner
from underspec.task.golden import archive_place
from underspec.task.load import load_task
from underspec.task.model import Task

pytest.importorskip("inspect_ai")

SOLUTION: dict[str, str | bytes] = {
    "figures.py": "def total(numbers):\n    return sum(numbers)\n",
    "rcb_tests/run.py": "def harness(): ...\n",
}


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "home"))
    golden = load_task(make_task(tmp_path / "probe")).golden
    assert golden is not None
    make_golden_wheel(archive_place(golden).parent)


def built(folder: Path, files: dict[str, str | bytes]) -> Path:
    workspace = write(folder / "workspace", files)
    (workspace / "away.py").symlink_to("/etc/passwd")
    deliverable = seal_folder(workspace, folder / DELIVERABLE_TAR)
    (folder / DELIVERABLE_FILE).write_bytes(deliverable.to_bytes())
    return folder


def inputs(folder: Path, task: Task, model: ModelSpec, **condition: Any) -> ReviewInputs:
    return ReviewInputs(task, Condition(agent="x", **condition), built(folder / "built", SOLUTION), model)


def work_in(folder: Path, **fields: Any) -> Work:
    for name in ("attempt", "artifact", "scratch"):
        (folder / name).mkdir(parents=True)
    return Work(
        backend=cast("Any", None),  # nothing is run
        owner=Owner(run="test", purpose="review"),
        attempt=folder / "attempt",
        artifact=folder / "artifact",
        scratch=folder / "scratch",
        log=lambda event, **fields: None,
        progress=lambda words: None,
        **fields,
    )


def test_a_deliverable_is_reviewed_beside_the_golden_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def said(texts: list[str], endpoint: str) -> str:
        seen.append(texts[1])
        return verdict(mark_in(texts[1]), 0.5)

    spec = served(monkeypatch, said)
    one = inputs(tmp_path, load_task(make_task(tmp_path)), spec)
    work = work_in(tmp_path / "work")
    asyncio.run(review(one, work))
    assert [path.name for path in work.artifact.iterdir()] == [REVIEW_FILE]
    found = Review.read(work.artifact / REVIEW_FILE)
    assert (found.task, found.model, found.deliverable) == ("toy-sums", spec.name, deliverable_in(one.built).sha256)
    assert [found.dimension(name).score for name in CRITIC_DIMENSIONS] == [0.5] * 3
    assert found.generated.excluded == {"links": 1, "tests": 1}
    for prompt in seen:
        assert "def average(numbers)" in prompt
        assert "return sum(numbers)" in prompt
        assert not any(word in prompt for word in ("underspec-canary", "expected_output", "root:", "harness"))
    ledger = read_ledger(work.attempt / "ledger.jsonl")
    assert [(call.role, call.phase) for call in ledger] == [("critic", "review")] * 3
    again = work_in(tmp_path / "again")
    asyncio.run(review(one, again))
    assert (again.artifact / REVIEW_FILE).read_bytes() == (work.artifact / REVIEW_FILE).read_bytes()


def test_the_key_covers_all_that_decides_a_review(tmp_path: Path) -> None:
    task = load_task(make_task(tmp_path))
    scope = {"repo_id": "a/b", "in_scope": {"original": ["figurecrate"], "generated": ["figures"]}}
    scoped = load_task(make_task(tmp_path / "scoped", files={"hidden/scope.json": scope}))
    plain = inputs(tmp_path, task, make_spec("openai/m"))
    write(tmp_path / "prompts", {"critic/api.md": "Likeness of names.\n"})
    others = [
        replace(plain, built=built(tmp_path / "more", {"a.py": "x = 1\n"})),
        replace(plain, condition=Condition(agent="x", language="Go")),
        replace(plain, task=scoped),
        replace(plain, model=make_spec("openai/n")),
        replace(plain, model=make_spec("openai/m", thinking="max")),
        replace(plain, repeats=3),
        replace(plain, budget=5000),
        replace(plain, prompts=tmp_path / "prompts"),
    ]
    assert len({one.key() for one in (plain, *others)}) == 1 + len(others)
    assert plain.key() == inputs(tmp_path / "again", task, make_spec("openai/m")).key()
    served_elsewhere = make_spec("openai/m", endpoints=[{"base_url": "http://127.0.0.1:1/v1"}])
    assert plain.key() == replace(plain, model=served_elsewhere).key()


def test_a_users_prompt_is_told_and_named_by_its_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "prompts", {"critic/api.md": "Likeness of the public interface, MY-OWN-WORDS.\n"})
    rules: list[str] = []

    def said(texts: list[str], endpoint: str) -> str:
        rules.append(texts[0])
        return verdict(mark_in(texts[1]), 0.5)

    one = inputs(tmp_path, load_task(make_task(tmp_path)), served(monkeypatch, said))
    work = work_in(tmp_path / "work")
    asyncio.run(review(replace(one, prompts=tmp_path / "prompts"), work))
    assert ["MY-OWN-WORDS" in each for each in rules] == [False, True, False]
    plain = work_in(tmp_path / "plain")
    asyncio.run(review(one, plain))
    ours, theirs = (Review.read(each.artifact / REVIEW_FILE) for each in (work, plain))
    assert {name for name, sha256 in ours.prompts.items() if theirs.prompts[name] != sha256} == {"api"}


def test_a_model_without_a_verdict_leaves_a_published_review_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = inputs(tmp_path, load_task(make_task(tmp_path)), served(monkeypatch, lambda texts, endpoint: "Lovely!"))
    work = work_in(tmp_path / "work")
    asyncio.run(review(one, work))
    found = Review.read(work.artifact / REVIEW_FILE)
    unscored = [found.dimension(name).unscored for name in CRITIC_DIMENSIONS]
    assert [each.boundary for each in unscored if each] == ["judge"] * 3


def test_a_provider_that_is_down_publishes_nothing(tmp_path: Path) -> None:
    path = script(tmp_path, {"fault": {"status": 401}, "always": True})
    work = work_in(tmp_path / "work")
    with pytest.raises(ModelServiceError, match="credentials"):
        asyncio.run(review(inputs(tmp_path, load_task(make_task(tmp_path)), spec_of(path, retries=0)), work))
    assert not list(work.artifact.iterdir())


def test_a_model_that_stands_still_ends_the_phase_as_the_services_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phase, "Limits", lambda: Limits(inactivity=0.3))
    path = script(tmp_path, {"text": "late", "delay": 60})
    with pytest.raises(ModelServiceError, match="inactivity"):
        asyncio.run(review(inputs(tmp_path, load_task(make_task(tmp_path)), spec_of(path)), work_in(tmp_path / "work")))


def test_a_run_whose_money_is_spent_pays_for_no_review(tmp_path: Path) -> None:
    path = script(tmp_path, {"text": "x", "repeat": True})
    spent = CostCounter(1.0)
    spent.add(1.0)
    work = work_in(tmp_path / "work", run_cost=spent)
    with pytest.raises(CostLimitError):
        asyncio.run(review(inputs(tmp_path, load_task(make_task(tmp_path)), spec_of(path)), work))
    assert read_ledger(work.attempt / "ledger.jsonl") == ()


def test_a_task_without_golden_sources_has_no_review(tmp_path: Path) -> None:
    task = load_task(make_task(tmp_path, files={"hidden/golden.toml": None}))
    with pytest.raises(TaskError, match="no golden implementation"):
        asyncio.run(review(inputs(tmp_path, task, make_spec("openai/m")), work_in(tmp_path / "work")))


def test_a_language_that_is_unknown_is_said(tmp_path: Path) -> None:
    one = inputs(tmp_path, load_task(make_task(tmp_path)), make_spec("openai/m"), language="COBOL")
    with pytest.raises(TaskError, match="COBOL"):
        asyncio.run(review(one, work_in(tmp_path / "work")))


def test_a_review_answers_the_same_question_as_long_as_model_deliverable_and_repeats_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = served(monkeypatch, lambda texts, endpoint: verdict(mark_in(texts[1]), 0.5))
    one = inputs(tmp_path, load_task(make_task(tmp_path)), spec)
    work = work_in(tmp_path / "work")
    asyncio.run(review(one, work))
    found = Review.read(work.artifact / REVIEW_FILE)
    assert one.asks_the_same(found)
    assert replace(one, budget=5000).asks_the_same(found)
    assert not replace(one, repeats=2).asks_the_same(found)
    assert not replace(one, model=make_spec("openai/other")).asks_the_same(found)
    assert not replace(one, built=built(tmp_path / "more", {"a.py": "x = 1\n"})).asks_the_same(found)

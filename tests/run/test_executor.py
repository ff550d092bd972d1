"""Runs end to end in real sandboxes: scores, retries, resume, stale builds, and what belongs to whom."""

from __future__ import annotations

import asyncio
import errno
from dataclasses import replace
from pathlib import Path

import pytest

from tests.run.toy_agents import FunctionAgent, ToyAgent, attempts_that_published, make_context, published, toy_agents
from tests.task_factory import make_task
from underspec.agent.protocol import Agent, Assignment
from underspec.artifact.build import BuildEnd
from underspec.artifact.outcomes import Outcomes
from underspec.errors import AgentError, Boundary, HarnessError, HostExhaustedError, SandboxError, TaskError
from underspec.report.collect import Collected, collect
from underspec.report.document import report_document
from underspec.run import claim as claims
from underspec.run import protocols
from underspec.run.executor import build_inputs, execute, status
from underspec.run.store import MAX_ATTEMPTS, RunStore
from underspec.sandbox.protocol import WORKSPACE

pytestmark = pytest.mark.sandbox


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return make_task(tmp_path)


def _by_agent(run: Path) -> dict[str, Collected]:
    return {each.item.condition.agent: each for each in collect(RunStore(run))}


def test_who_asks_scores_above_who_does_not_and_nothing_scores_nothing(tmp_path: Path, task: Path) -> None:
    context, items = make_context(tmp_path / "run", task, toy_agents())
    asyncio.run(execute(context, items, concurrency=2))
    found = _by_agent(tmp_path / "run")
    rates = {name: each.outcomes.overall.rate for name, each in found.items() if each.outcomes}
    assert rates == {"thorough": 1.0, "hasty": pytest.approx(5 / 7), "nop": 0.0}
    assert found["thorough"].session is not None
    assert [turn.number for turn in found["thorough"].session.turns] == [1, 2]
    assert found["nop"].session is not None
    assert found["nop"].session.turns == ()


def test_two_runs_give_the_same_bytes(tmp_path: Path, task: Path) -> None:
    for name, concurrency in (("one", 1), ("two", 3)):
        context, items = make_context(tmp_path / name, task, toy_agents())
        asyncio.run(execute(context, items, concurrency=concurrency))
    one, two = published(tmp_path / "one"), published(tmp_path / "two")
    assert len(one) >= 3 * 5
    assert one == two


def test_finished_work_is_not_done_again(tmp_path: Path, task: Path) -> None:
    context, items = make_context(tmp_path / "run", task, toy_agents())
    asyncio.run(execute(context, items, concurrency=2))
    before = published(tmp_path / "run")
    asyncio.run(execute(context, items, concurrency=2))
    assert published(tmp_path / "run") == before
    assert set(attempts_that_published(tmp_path / "run").values()) == {1}
    assert all(status(context, item).done for item in items)


def test_a_failure_of_somebody_else_is_retried_and_then_unscored_in_sight(tmp_path: Path, task: Path) -> None:
    tries: list[int] = []

    async def broken(assignment: Assignment) -> None:
        tries.append(1)
        raise SandboxError("the engine went away")

    agents: dict[str, Agent] = {"broken": FunctionAgent("broken", broken), "hasty": ToyAgent("hasty", asks=False)}
    context, items = make_context(tmp_path / "run", task, agents)
    asyncio.run(execute(context, items, concurrency=2))
    assert len(tries) == MAX_ATTEMPTS
    found = collect(RunStore(tmp_path / "run"))
    document = report_document("run", found, comparable=False)
    assert (document["planned"], document["scored"], document["unscored"]) == (2, 1, {"sandbox": 1})
    row = next(row for row in document["rows"] if row["agent"] == "broken")
    assert row["overall_pooled"] is None
    assert row["bounds"] == [0.0, 1.0]
    asyncio.run(execute(context, items, concurrency=2))
    assert len(tries) == MAX_ATTEMPTS


def test_a_failure_that_passes_costs_only_the_retry(tmp_path: Path, task: Path) -> None:
    tries: list[int] = []

    async def flaky(assignment: Assignment) -> None:
        tries.append(1)
        if len(tries) < 3:
            raise SandboxError("a hiccup")

    context, items = make_context(tmp_path / "run", task, {"flaky": FunctionAgent("flaky", flaky)})
    asyncio.run(execute(context, items, concurrency=1))
    assert len(tries) == 3
    assert _by_agent(tmp_path / "run")["flaky"].outcomes is not None


def test_an_agents_failure_is_graded_and_not_retried(tmp_path: Path, task: Path) -> None:
    tries: list[int] = []

    async def gives_up(assignment: Assignment) -> None:
        tries.append(1)
        await ToyAgent("x", asks=False).build(assignment)
        raise AgentError("out of ideas")

    context, items = make_context(tmp_path / "run", task, {"quitter": FunctionAgent("quitter", gives_up)})
    asyncio.run(execute(context, items, concurrency=1))
    found = _by_agent(tmp_path / "run")["quitter"]
    assert len(tries) == 1
    assert found.end is not None
    assert (found.end.ended, found.end.detail) == ("failed", "out of ideas")
    assert found.outcomes is not None
    assert found.outcomes.overall.passed == 5


def test_an_agent_out_of_time_hands_over_what_is_there_and_leaves_nothing_running(tmp_path: Path, task: Path) -> None:
    async def slow(assignment: Assignment) -> None:
        await ToyAgent("x", asks=False).build(assignment)
        await assignment.sandbox.exec(["bash", "-c", f"sleep 600 & echo late > {WORKSPACE}/late; sleep 600"])

    context, items = make_context(tmp_path / "run", task, {"slow": FunctionAgent("slow", slow)}, build_seconds=2)
    asyncio.run(execute(context, items, concurrency=1))
    found = _by_agent(tmp_path / "run")["slow"]
    assert found.end is not None
    assert (found.end.ended, found.end.limit, found.end.layer) == ("limit", "time", "phase")
    assert found.outcomes is not None
    assert found.outcomes.overall.passed == 5


def test_a_full_host_stops_the_run_and_uses_no_attempt_up(tmp_path: Path, task: Path) -> None:
    async def full(assignment: Assignment) -> None:
        raise HostExhaustedError("no space left on the host")

    context, items = make_context(tmp_path / "run", task, {"unlucky": FunctionAgent("unlucky", full)})
    with pytest.raises(HostExhaustedError):
        asyncio.run(execute(context, items, concurrency=1))
    build = context.store.phase(items[0], "build")
    assert [each for each in build.attempts() if (each / "error.json").exists()] == []
    context.agents["unlucky"] = FunctionAgent("unlucky", ToyAgent("x", asks=False).build)
    asyncio.run(execute(context, items, concurrency=1))
    assert _by_agent(tmp_path / "run")["unlucky"].outcomes is not None


def test_an_unexpected_failure_of_our_own_files_belongs_to_the_harness(tmp_path: Path, task: Path) -> None:
    async def odd(assignment: Assignment) -> None:
        raise PermissionError(13, "not allowed", "somewhere")

    context, items = make_context(tmp_path / "run", task, {"odd": FunctionAgent("odd", odd)})
    asyncio.run(execute(context, items, concurrency=1))
    unscored = _by_agent(tmp_path / "run")["odd"].unscored
    assert unscored is not None
    assert unscored.boundary is Boundary.HARNESS


class _OddError(BaseException):
    """What no program expects."""


@pytest.mark.parametrize(
    ("crash", "budget"),
    [
        (KeyError("setting"), 16),
        (TimeoutError("no answer from a server"), 16),
        (SystemExit(0), 16),
        (asyncio.CancelledError(), 16),
        (asyncio.CancelledError(), 0),
        (_OddError("\udcff"), 0),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_agents_program_that_crashes_is_unscored_and_stops_nobody_else(
    tmp_path: Path, task: Path, crash: BaseException, budget: int
) -> None:
    async def crashing(assignment: Assignment) -> None:
        raise crash

    agents: dict[str, Agent] = {"buggy": FunctionAgent("buggy", crashing), "hasty": ToyAgent("hasty", asks=False)}
    context, items = make_context(tmp_path / "run", task, agents, budget=budget)
    asyncio.run(execute(context, items, concurrency=2))
    found = _by_agent(tmp_path / "run")
    assert found["hasty"].outcomes is not None
    assert found["buggy"].outcomes is None
    assert found["buggy"].unscored is not None
    assert found["buggy"].unscored.boundary is Boundary.HARNESS


def test_an_agents_program_that_says_nothing_of_its_end_is_unscored(tmp_path: Path, task: Path) -> None:
    class Silent(FunctionAgent):
        async def build(self, assignment: Assignment) -> BuildEnd:
            return None  # type: ignore[return-value]

    async def nothing(assignment: Assignment) -> None:
        return None

    context, items = make_context(tmp_path / "run", task, {"silent": Silent("silent", nothing)})
    asyncio.run(execute(context, items, concurrency=1))
    unscored = _by_agent(tmp_path / "run")["silent"].unscored
    assert unscored is not None
    assert "not a BuildEnd" in unscored.reason


def test_what_an_agent_says_of_its_failure_need_not_be_unicode(tmp_path: Path, task: Path) -> None:
    async def gives_up(assignment: Assignment) -> None:
        raise AgentError("no such file: \udcff")

    context, items = make_context(tmp_path / "run", task, {"odd": FunctionAgent("odd", gives_up)})
    asyncio.run(execute(context, items, concurrency=1))
    found = _by_agent(tmp_path / "run")["odd"]
    assert found.end is not None
    assert found.end.detail == "no such file: \\udcff"
    assert found.outcomes is not None


@pytest.mark.parametrize("name", ["claim", "claim.lock", "chosen"])
def test_something_in_the_place_of_a_file_of_the_run_is_named(tmp_path: Path, task: Path, name: str) -> None:
    context, items = make_context(tmp_path / "run", task, {"hasty": ToyAgent("hasty", asks=False)})
    path = context.store.phase(items[0], "build").path / name
    path.mkdir(parents=True)
    with pytest.raises(HarnessError) as caught:
        asyncio.run(execute(context, items, concurrency=1))
    assert caught.value.file == str(path)


def test_a_deliverable_deeper_than_any_path_is_graded_and_removed(tmp_path: Path, task: Path) -> None:
    async def digging(assignment: Assignment) -> None:
        script = "import os\nfor _ in range(1900):\n os.mkdir('d')\n os.chdir('d')\nopen('f', 'w').close()"
        assert (await assignment.sandbox.exec(["python3", "-c", script])).ok

    context, items = make_context(tmp_path / "run", task, {"mole": FunctionAgent("mole", digging)})
    asyncio.run(execute(context, items, concurrency=1))
    assert _by_agent(tmp_path / "run")["mole"].outcomes is not None
    assert not list((tmp_path / "run/items").glob("*/*/scratch"))


def test_a_workspace_that_does_not_fit_is_the_tasks_failure_and_said_as_such(tmp_path: Path, task: Path) -> None:
    (task / "visible" / "workspace").mkdir(parents=True)
    (task / "visible" / "workspace" / "large.bin").write_bytes(b"x" * 3 * 1024**2)
    with (task / "task.toml").open("a") as stream:
        stream.write("\n[limits]\ndisk_mb = 1\n")
    context, items = make_context(tmp_path / "run", task, {"hasty": ToyAgent("hasty", asks=False)})
    with pytest.raises(TaskError) as caught:
        asyncio.run(execute(context, items, concurrency=1))
    assert "disk_mb" in str(caught.value)


def test_the_key_of_a_build_covers_its_limits_and_what_is_said_about_the_graders_network(
    tmp_path: Path, task: Path
) -> None:
    context, items = make_context(tmp_path / "run", task, {"hasty": ToyAgent("hasty", asks=False)})
    inputs = build_inputs(context, items[0])
    limits = inputs.task.toml.limits.model_copy(update={"memory_mb": 64})
    tighter = replace(inputs.task, toml=inputs.task.toml.model_copy(update={"limits": limits}))
    networked = inputs.condition.model_copy(update={"grade_network": "registries"})
    keys = {inputs.key(), replace(inputs, task=tighter).key(), replace(inputs, condition=networked).key()}
    assert len(keys) == 3
    assert replace(inputs, task=tighter).instruction() == inputs.instruction()
    assert "There is no network there" in inputs.instruction()
    assert "There is no network there" not in replace(inputs, condition=networked).instruction()


def test_a_changed_build_input_makes_the_build_stale_and_redo_alone_builds_again(tmp_path: Path, task: Path) -> None:
    context, items = make_context(tmp_path / "run", task, {"hasty": ToyAgent("hasty", asks=False)})
    asyncio.run(execute(context, items, concurrency=1))
    newer = ToyAgent("hasty", asks=False)
    newer.version = "2"
    context.agents["hasty"] = newer
    assert status(context, items[0]).stale == ("build",)
    asyncio.run(execute(context, items, concurrency=1))
    build = context.store.phase(items[0], "build")
    assert len(build.artifacts()) == 1
    redoing = replace(context, redo=frozenset({"build"}))
    asyncio.run(execute(redoing, items, concurrency=1))
    assert len(build.artifacts()) == 2
    assert status(context, items[0]).stale == ()
    end = _by_agent(tmp_path / "run")["hasty"].end
    assert end is not None
    assert end.agent_version == "2"


def test_changed_cases_are_graded_again_without_building_again(tmp_path: Path, task: Path) -> None:
    context, items = make_context(tmp_path / "run", task, {"hasty": ToyAgent("hasty", asks=False)})
    asyncio.run(execute(context, items, concurrency=1))
    enhanced = task / "hidden" / "cases" / "enhanced" / "feature2_mean.json"
    enhanced.write_text(enhanced.read_text().replace("error: empty", ""))
    changed, _items = make_context(tmp_path / "run", task, {"hasty": ToyAgent("hasty", asks=False)})
    assert status(changed, items[0]).graded is None
    asyncio.run(execute(changed, items, concurrency=1))
    assert len(changed.store.phase(items[0], "build").attempts()) == 1
    assert len(changed.store.phase(items[0], "grade").artifacts()) == 2


def test_failures_with_other_inputs_use_no_attempt_up(tmp_path: Path, task: Path) -> None:
    async def broken(assignment: Assignment) -> None:
        raise SandboxError("the engine went away")

    context, items = make_context(tmp_path / "run", task, {"mended": FunctionAgent("mended", broken)})
    asyncio.run(execute(context, items, concurrency=1))
    assert status(context, items[0]).exhausted
    context.agents["mended"] = FunctionAgent("mended", ToyAgent("x", asks=False).build, version="2")
    assert not status(context, items[0]).exhausted
    asyncio.run(execute(context, items, concurrency=1))
    assert _by_agent(tmp_path / "run")["mended"].outcomes is not None


def test_a_claim_lost_in_the_middle_costs_a_new_attempt_and_not_the_run(
    tmp_path: Path, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "HEARTBEAT", 0.05)
    tries: list[int] = []

    async def robbed_once(assignment: Assignment) -> None:
        tries.append(1)
        if len(tries) == 1:
            next((tmp_path / "run").glob("items/*robbed*/build/claim")).unlink()
            await asyncio.sleep(30)
        await ToyAgent("x", asks=False).build(assignment)

    agents: dict[str, Agent] = {"robbed": FunctionAgent("robbed", robbed_once), "hasty": ToyAgent("hasty", asks=False)}
    context, items = make_context(tmp_path / "run", task, agents)
    asyncio.run(execute(context, items, concurrency=2))
    found = _by_agent(tmp_path / "run")
    assert len(tries) == 2
    assert all(each.outcomes is not None for each in found.values())


def test_a_disk_that_fills_up_under_an_artifact_is_the_hosts_failure(
    tmp_path: Path, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    context, items = make_context(tmp_path / "run", task, {"hasty": ToyAgent("hasty", asks=False)})
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(HostExhaustedError):
        asyncio.run(execute(context, items, concurrency=1))
    monkeypatch.undo()
    assert list((tmp_path / "run").rglob("error.json")) == []
    asyncio.run(execute(context, items, concurrency=1))
    assert _by_agent(tmp_path / "run")["hasty"].outcomes is not None


def test_what_failed_attempts_left_half_made_is_gone_when_they_are_used_up(tmp_path: Path, task: Path) -> None:
    async def broken(assignment: Assignment) -> None:
        raise SandboxError("the engine went away")

    context, items = make_context(tmp_path / "run", task, {"broken": FunctionAgent("broken", broken)})
    asyncio.run(execute(context, items, concurrency=1))
    build = context.store.phase(items[0], "build")
    assert len(build.attempts()) == MAX_ATTEMPTS
    assert not build.scratch.exists()
    assert list(build.path.glob("attempts/*/artifact")) == []


def _outcomes(run: Path, agent: str) -> Outcomes:
    found = _by_agent(run)[agent].outcomes
    assert found is not None
    return found


def test_a_failed_regrade_leaves_no_old_verdict_standing(
    tmp_path: Path, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, agents = tmp_path / "run", {"hasty": ToyAgent("hasty", asks=False)}
    context, items = make_context(run, task, {**agents})
    asyncio.run(execute(context, items, concurrency=1))
    before = _outcomes(run, "hasty")
    enhanced = task / "hidden" / "cases" / "enhanced" / "feature2_mean.json"
    original = enhanced.read_text()
    enhanced.write_text(original.replace("error: empty", ""))
    changed, _items = make_context(run, task, {**agents})

    async def broken(inputs: object, work: object) -> None:
        raise SandboxError("the engine went away")

    with monkeypatch.context() as patch:
        patch.setattr(protocols, "GRADE", replace(protocols.GRADE, run=broken))
        asyncio.run(execute(changed, items, concurrency=1))
    found = _by_agent(run)["hasty"]
    assert found.outcomes is None
    assert found.boundary == "sandbox"
    for phase in ("build", "grade"):
        changed.store.phase(items[0], phase).forgive()
    asyncio.run(execute(changed, items, concurrency=1))
    assert _outcomes(run, "hasty").task_digest == changed.tasks[items[0].task].digest != before.task_digest
    # Back to the first cases: their verdict is there already, and it is the one that counts again.
    enhanced.write_text(original)
    back, _items = make_context(run, task, {**agents})
    asyncio.run(execute(back, items, concurrency=1))
    assert _outcomes(run, "hasty") == before


def test_a_build_that_could_not_be_redone_leaves_no_old_score_standing(tmp_path: Path, task: Path) -> None:
    run = tmp_path / "run"
    context, items = make_context(run, task, {"hasty": ToyAgent("hasty", asks=False)})
    asyncio.run(execute(context, items, concurrency=1))

    async def broken(assignment: Assignment) -> None:
        raise SandboxError("the engine went away")

    newer = replace(context, agents={"hasty": FunctionAgent("hasty", broken, version="2")})
    asyncio.run(execute(newer, items, concurrency=1))
    kept = _by_agent(run)["hasty"]
    assert kept.stale
    assert kept.outcomes is not None
    document = report_document("run", collect(RunStore(run)), comparable=False)
    assert (document["stale"], document["rows"][0]["stale"]) == (1, 1)
    asyncio.run(execute(replace(newer, redo=frozenset({"build"})), items, concurrency=1))
    lost = _by_agent(run)["hasty"]
    assert (lost.outcomes, lost.boundary, lost.stale) == (None, "sandbox", False)
    asyncio.run(execute(context, items, concurrency=1))
    assert _by_agent(run)["hasty"].outcomes == kept.outcomes


def test_two_executors_on_one_run_share_the_work(tmp_path: Path, task: Path) -> None:
    first, items = make_context(tmp_path / "run", task, toy_agents(), epochs=2)
    second, _ = make_context(tmp_path / "run", task, toy_agents(), epochs=2)

    async def both() -> None:
        await asyncio.gather(execute(first, items, concurrency=2), execute(second, items, concurrency=2))

    asyncio.run(both())
    counts = attempts_that_published(tmp_path / "run")
    assert len(counts) == 2 * len(items)
    assert set(counts.values()) == {1}


def test_cancelling_a_run_leaves_it_resumable_and_no_claim(tmp_path: Path, task: Path) -> None:
    entered = asyncio.Event()

    async def stuck(assignment: Assignment) -> None:
        entered.set()
        await assignment.sandbox.exec(["sleep", "600"])

    context, items = make_context(tmp_path / "run", task, {"stuck": FunctionAgent("stuck", stuck)})

    async def interrupted() -> None:
        running = asyncio.create_task(execute(context, items, concurrency=1))
        await entered.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(interrupted())
    assert list((tmp_path / "run").rglob("claim")) == []
    build = context.store.phase(items[0], "build")
    assert [each for each in build.attempts() if (each / "error.json").exists()] == []
    context.agents["stuck"] = FunctionAgent("stuck", ToyAgent("x", asks=False).build)
    asyncio.run(execute(context, items, concurrency=1))
    assert _by_agent(tmp_path / "run")["stuck"].outcomes is not None

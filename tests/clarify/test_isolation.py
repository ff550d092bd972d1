"""Nothing crosses between the branches: canaries in all that is hidden, looked for in all that each role was given."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.commission_factory import SERVE, SERVE_TESTS, SUM, SUM_TESTS, TESTS_SUM, make_commission, unit
from tests.run.toy_agents import make_context
from underspec.agent.registry import load_agent
from underspec.artifact.condition import Condition
from underspec.model.spec import make_spec
from underspec.report.collect import collect
from underspec.run.executor import RunContext, execute
from underspec.run.item import Item
from underspec.run.store import RunStore

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")

from tests.clarify import spy  # noqa: E402  # registers a provider of the engine

MAY_SEE = {
    "clarifying": (),
    "implementing": (),
    "client": (spy.DRAFT, spy.REASON),
    "supervisor": (spy.DRAFT,),
    "answerer": (spy.QUESTION,),
    "judge": (spy.QUESTION, spy.ANSWER, spy.TEST),
}
"""Table 3. (The supervisor is given each draft alone; what it said before stands in no later prompt of its own.)"""
ALL = (spy.QUESTION, spy.ANSWER, spy.TEST, spy.DRAFT, spy.REASON)


def planted(folder: Path) -> Path:
    units = {
        "canary": "underspec-canary-toy-tally-0004",
        "question": f"{spy.QUESTION} What about {{topic}}?",
        "units": [
            unit(SUM, "adding up", SUM_TESTS, answer=f"{spy.ANSWER} one"),
            unit(SERVE, "serving", SERVE_TESTS, answer=f"{spy.ANSWER} two"),
        ],
    }
    tests = TESTS_SUM.format(canary="underspec-canary-toy-tally-0005") + f"\n# {spy.TEST}\n"
    return make_commission(folder, files={"hidden/units.json": units, "hidden/acceptance/test_sum.py": tests})


def context_of(folder: Path, protocol: str) -> tuple[RunContext, Item]:
    task = planted(folder)
    context, _ = make_context(folder / "run", task, {"react": load_agent("react")}, epochs=0)
    context.models[spy.MODEL] = make_spec(spy.MODEL)
    roles = {"model": spy.MODEL, "stakeholder_model": spy.MODEL, "judge_model": spy.MODEL}
    condition = Condition.model_validate({"protocol": protocol, "agent": "react", **roles})
    item = Item(task="toy-tally", condition=condition, epoch=1)
    context.store.add_items([item])
    return context, item


async def interrupted_at(context: RunContext, item: Item, schedule: spy.Schedule, call: int) -> None:
    """Execute until the ``call``-th call of a model from now on, and stop there as Ctrl-C does."""
    working = asyncio.ensure_future(execute(context, [item], concurrency=1))
    first = schedule.calls

    def stop(number: int) -> None:
        if number - first == call:
            working.cancel()

    schedule.at_call = stop
    await asyncio.wait({working})
    schedule.at_call = lambda number: None
    if not working.cancelled():
        working.exception()


def check(context: RunContext, item: Item, schedule: spy.Schedule) -> None:
    (collected,) = collect(RunStore(context.store.path))
    assert collected.scored, collected.unscored
    seen = {role for role, _ in schedule.given}
    assert seen == set(MAY_SEE) - ({"client", "supervisor"} if not schedule.returned else set())
    for role, given_ in schedule.given:
        for canary in ALL:
            assert canary not in given_ or canary in MAY_SEE[role], f"{canary} reached {role}"
    # The sandboxes' own files, environments and mounts are in what the agents' shell returned.
    looked = [given_ for role, given_ in schedule.given if role == "implementing" and "mountinfo" in given_]
    assert looked
    assert any("WORKSPACE" in given_.upper() for given_ in looked)
    folder = context.store.path / "items" / item.folder
    for phase in ("freeze", "implement"):
        for path in (folder / phase).rglob("*"):
            if path.is_file():
                content = path.read_bytes()
                assert not any(canary.encode() in content for canary in ALL), path
    if any(schedule.returned):
        transcript = next((folder / "clarify").glob("*/transcript.json")).read_text()
        assert spy.DRAFT in transcript
        assert spy.REASON in transcript


def play(folder: Path, returned: list[int], stops: list[int]) -> tuple[RunContext, Item]:
    schedule = spy.Schedule(returned)
    spy.play(schedule)
    context, item = context_of(folder, "clarify-first")
    for stop in stops:
        asyncio.run(interrupted_at(context, item, schedule, stop))
    asyncio.run(execute(context, [item], concurrency=1))
    check(context, item, schedule)
    return context, item


def test_no_canary_crosses_and_each_role_is_given_what_table_3_says(tmp_path: Path) -> None:
    play(tmp_path, returned=[2, 0], stops=[])


def test_no_canary_crosses_after_stops_in_the_middle(tmp_path: Path) -> None:
    context, item = play(tmp_path, returned=[1], stops=[3, 9])
    # It was stopped while it clarified, and while it built.
    attempts = {phase: len(context.store.phase(item, phase).attempts()) for phase in ("clarify", "implement", "judge")}
    assert attempts == {"clarify": 2, "implement": 2, "judge": 1}


@pytest.mark.proof
@given(
    returned=st.lists(st.integers(0, 3), max_size=3),
    stops=st.lists(st.integers(1, 16), max_size=4),
)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_canary_crosses_whatever_the_schedule(
    tmp_path_factory: pytest.TempPathFactory, returned: list[int], stops: list[int]
) -> None:
    play(tmp_path_factory.mktemp("isolation"), returned, stops)


def test_a_continued_session_sees_neither_questions_nor_tests(tmp_path: Path) -> None:
    schedule = spy.Schedule([1])
    spy.play(schedule)
    context, item = context_of(tmp_path, "continued")
    asyncio.run(execute(context, [item], concurrency=1))
    (collected,) = collect(RunStore(context.store.path))
    assert collected.scored
    for role, given_ in schedule.given:
        for canary in ALL:
            assert canary not in given_ or canary in MAY_SEE[role], f"{canary} reached {role}"


def test_the_search_would_find_a_canary(tmp_path: Path) -> None:
    """The same search over a sandbox in which one was left."""
    from underspec.sandbox.backends import load_backend
    from underspec.sandbox.protocol import Owner, SandboxSpec

    async def look() -> str:
        sandbox = load_backend("bubblewrap").create(SandboxSpec(owner=Owner("test", "isolation")))
        await sandbox.start()
        try:
            await sandbox.put("/root/notes.txt", spy.TEST.encode())
            done = await sandbox.exec(["bash", "-c", spy.LOOK], env={"LEFT": spy.ANSWER})
            return done.stdout.decode(errors="replace")
        finally:
            await sandbox.close()

    found = asyncio.run(look())
    assert "/root/notes.txt" in found
    assert f"LEFT={spy.ANSWER}" in found

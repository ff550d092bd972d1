"""Limits, the watchdog, storms: with a clock that the test moves."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.errors import AgentError, Boundary, ModelServiceError, StoreError, UsageError
from underspec.model.cost_counter import CostCounter
from underspec.model.limits import LimitReachedError, Limits, ModelStandstillError, PhaseWatch


class Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


def watch_with(**limits: float) -> tuple[PhaseWatch, Clock]:
    clock = Clock()
    return PhaseWatch(Limits(**limits), now=clock), clock  # type: ignore[arg-type]


def call(watch: PhaseWatch, *, tokens: int = 0, cost: float | None = None, counted: bool = True) -> None:
    watch.call_closed(watch.call_opened(), tokens=tokens, cost=cost, counted=counted)


def test_time_ends_a_phase_at_its_limit_and_not_before() -> None:
    watch, clock = watch_with(seconds=60)
    clock.time += 59.9
    assert watch.check() is None
    clock.time += 0.1
    stop = watch.check()
    assert stop is not None
    assert (stop.layer, stop.limit, stop.boundary) == ("phase", "time", Boundary.AGENT)
    assert stop.elapsed == pytest.approx(60)


@pytest.mark.parametrize(("limit", "uses"), [("tokens", 3), ("cost", 3), ("turns", 3)])
def test_each_quota_ends_a_phase_when_it_is_used_up(limit: str, uses: int) -> None:
    watch, _ = watch_with(**{limit: {"tokens": 300, "cost": 0.3, "turns": 3}[limit]})
    for _ in range(uses - 1):
        call(watch, tokens=100, cost=0.1)
    watch.refuse_call()
    call(watch, tokens=100, cost=0.11)
    assert watch.ended() is None  # who needs no more is done, and not stopped
    watch.refuse_call(counted=False)
    with pytest.raises(LimitReachedError) as caught:
        watch.refuse_call()
    assert caught.value.stop.limit == limit
    assert isinstance(caught.value, AgentError)


def test_what_others_than_the_builder_use_is_not_the_agents() -> None:
    watch, _ = watch_with(tokens=10, turns=1, cost=0.01)
    call(watch, tokens=1000, cost=5.0, counted=False)
    watch.refuse_call()


def test_a_stop_stays_what_it_was() -> None:
    watch, clock = watch_with(seconds=60, turns=1)
    call(watch)
    with pytest.raises(LimitReachedError):
        watch.refuse_call()
    first = watch.check()
    clock.time += 1000
    assert watch.check() is first
    assert first is not None
    assert first.limit == "turns"


def test_standing_still_is_the_models_fault_while_a_call_is_open() -> None:
    watch, clock = watch_with()
    watch.call_opened()
    clock.time += 899.9
    assert watch.ended() is None
    clock.time += 0.1
    error = watch.ended()
    assert isinstance(error, ModelStandstillError)
    assert isinstance(error, ModelServiceError)
    assert (error.stop.layer, error.stop.limit) == ("watchdog", "inactivity")


def test_standing_still_is_the_agents_fault_otherwise() -> None:
    watch, clock = watch_with()
    call(watch)
    clock.time += 900
    error = watch.ended()
    assert isinstance(error, LimitReachedError)
    assert error.stop.boundary is Boundary.AGENT


def test_progress_of_a_tool_keeps_a_phase_alive() -> None:
    watch, clock = watch_with()
    for _ in range(10):
        clock.time += 899
        watch.progress()
    assert watch.ended() is None


def test_a_storm_gives_its_time_back() -> None:
    watch, clock = watch_with(seconds=100, inactivity=10_000)
    clock.time += 50
    number = watch.call_opened()
    watch.call_waits(number)
    clock.time += 500
    assert watch.elapsed == pytest.approx(50)
    watch.call_resumed(number)
    clock.time += 10
    watch.call_closed(number)
    assert watch.elapsed == pytest.approx(60)
    assert watch.paused == pytest.approx(500)
    clock.time += 40
    stop = watch.check()
    assert stop is not None
    assert stop.paused == pytest.approx(500)


def test_the_clock_runs_while_any_call_is_being_answered() -> None:
    watch, clock = watch_with(seconds=100, inactivity=10_000)
    held, answered = watch.call_opened(), watch.call_opened()
    watch.call_waits(held)
    clock.time += 30
    assert watch.elapsed == pytest.approx(30)
    watch.call_closed(answered)
    clock.time += 30
    assert watch.elapsed == pytest.approx(30)


def test_a_storm_without_end_is_the_models_fault() -> None:
    watch, clock = watch_with(seconds=100)
    watch.call_waits(watch.call_opened())
    clock.time += 900
    assert isinstance(watch.ended(), ModelStandstillError)


def test_storms_give_back_no_more_than_so_much() -> None:
    watch, clock = watch_with(seconds=100, inactivity=100_000, most_pause=600)
    watch.call_waits(watch.call_opened())
    clock.time += 650
    assert watch.elapsed == pytest.approx(50)
    clock.time += 50
    assert watch.check() is not None


@given(st.lists(st.tuples(st.sampled_from("owrcp"), st.floats(0, 100)), max_size=60))
def test_elapsed_and_paused_always_make_up_the_real_time(steps: list[tuple[str, float]]) -> None:
    watch, clock = watch_with(inactivity=1e9)
    open_calls: list[int] = []
    elapsed = 0.0
    for what, seconds in steps:
        if what == "o":
            open_calls.append(watch.call_opened())
        elif what == "p":
            watch.progress()
        elif open_calls:
            if what == "w":
                watch.call_waits(open_calls[-1])
            elif what == "r":
                watch.call_resumed(open_calls[-1])
            else:
                watch.call_closed(open_calls.pop())
        clock.time += seconds
        assert watch.elapsed >= elapsed - 1e-6
        elapsed = watch.elapsed
        assert watch.elapsed + watch.paused == pytest.approx(clock.time - 1000.0)


def test_whoever_waits_for_the_end_is_told_at_once() -> None:
    async def main() -> None:
        watch = PhaseWatch(Limits(turns=1))
        waiting = asyncio.ensure_future(watch.stopped())
        await asyncio.sleep(0)
        call(watch)
        assert not waiting.done()
        with pytest.raises(LimitReachedError) as caught:
            watch.refuse_call()
        error = await asyncio.wait_for(waiting, 5)
        assert isinstance(error, LimitReachedError)
        assert error.stop == caught.value.stop

    asyncio.run(main())


def test_whoever_waits_for_the_end_is_told_when_time_alone_brings_it() -> None:
    async def main() -> None:
        error = await asyncio.wait_for(PhaseWatch(Limits(seconds=0.1)).stopped(), 10)
        assert isinstance(error, LimitReachedError)

    asyncio.run(main())


def test_a_provider_that_is_down_ends_the_phase() -> None:
    watch, _ = watch_with(turns=1)
    failure = ModelServiceError("down")
    watch.fail(failure)
    watch.fail(ModelServiceError("later"))
    call(watch)
    assert watch.ended() is failure


def test_the_runs_limit_is_nobodys_failure(tmp_path: Path) -> None:
    clock = Clock()
    counter = CostCounter(1.0, tmp_path / "spent")
    watch = PhaseWatch(Limits(), run_cost=counter, now=clock)
    call(watch, cost=0.6)
    watch.refuse_call(counted=False)
    CostCounter(1.0, tmp_path / "spent").add(0.4)
    with pytest.raises(UsageError, match="--max-cost"):
        watch.refuse_call(counted=False)


def test_a_counter_is_shared_by_processes_and_survives_them(tmp_path: Path) -> None:
    path = tmp_path / "spent"
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            counter = CostCounter(None, path)
            for _ in range(100):
                counter.add(0.01)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert CostCounter(5.0, path).spent == pytest.approx(4.0)
    assert not CostCounter(5.0, path).reached
    assert CostCounter(4.0, path).reached


def test_a_damaged_counter_is_named(tmp_path: Path) -> None:
    (tmp_path / "spent").write_text("0.1\nmuch\n")
    with pytest.raises(StoreError) as caught:
        _ = CostCounter(1.0, tmp_path / "spent").spent
    assert str(tmp_path / "spent") in str(caught.value)

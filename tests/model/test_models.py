"""Opened models: what the ledger and the watch see of them, alone and inside an evaluation of Inspect's."""

from __future__ import annotations

import asyncio
import errno
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.model.scripts import opened, priced, script, spec_of
from underspec.artifact.ledger import read_ledger, spending
from underspec.errors import EnvironmentLacksError, HostExhaustedError, ModelServiceError, UsageError
from underspec.model.ledger import Ledger
from underspec.model.limits import LimitReachedError, Limits, PhaseWatch
from underspec.model.models import adopt_model, open_model, service_errors
from underspec.model.roles import Role
from underspec.model.spec import make_spec

pytest.importorskip("inspect_ai")

USAGE = {"input": 100, "output": 10, "cache_read": 1000, "cache_write": 50, "reasoning": 4}
COST = (100 * 1.0 + 10 * 10.0 + 1000 * 0.1 + 50 * 2.0) / 1e6


def test_a_call_is_one_line_with_its_price(tmp_path: Path) -> None:
    path = script(tmp_path, {"text": "hi", "usage": USAGE})

    async def main() -> None:
        ledger = Ledger.in_memory()
        await opened(path, ledger=ledger, prices=priced(path)).generate("hello")
        [call] = ledger.calls
        assert (call.role, call.phase, call.model) == ("builder", "build", f"scripted/{path}")
        assert (call.input, call.output, call.cache_read, call.cache_write, call.reasoning) == (100, 10, 1000, 50, 4)
        assert call.cost == pytest.approx(COST)
        assert call.price_source == "packaged 2026-01-01"

    asyncio.run(main())


def test_an_unknown_price_leaves_the_cost_unknown(tmp_path: Path) -> None:
    path = script(tmp_path, {"text": "hi", "usage": USAGE})

    async def main() -> None:
        ledger = Ledger.in_memory()
        await opened(path, ledger=ledger).generate("hello")
        [call] = ledger.calls
        assert call.cost is None
        assert call.price_source is None

    asyncio.run(main())


@pytest.mark.parametrize(
    ("fault", "waits"),
    [
        ({"status": 429, "times": 3}, True),
        ({"status": 529, "times": 3}, True),
        ({"status": 500, "times": 3}, False),
        ({"kind": "timeout", "times": 3}, False),
        ({"kind": "connection", "times": 3}, False),
    ],
)
def test_retries_stay_one_line_and_storms_give_their_time_back(
    tmp_path: Path, fault: dict[str, Any], waits: bool
) -> None:
    path = script(tmp_path, {"text": "hi", "usage": USAGE, "fault": fault}, retry_wait=0.05)

    async def main() -> None:
        ledger, watch = Ledger.in_memory(), PhaseWatch()
        await opened(path, ledger=ledger, watch=watch, prices=priced(path)).generate("hello")
        [call] = ledger.calls
        assert (call.outcome, call.retries, call.input) == ("ok", 3, 100)
        assert call.cost == pytest.approx(COST)
        assert (call.waited >= 0.15) is waits
        assert watch.paused == pytest.approx(call.waited, abs=0.01)
        assert not watch.model_call_open

    asyncio.run(main())


def test_what_fails_for_good_is_a_line_and_ends_the_phase_as_the_services_failure(tmp_path: Path) -> None:
    path = script(tmp_path, {"fault": {"status": 500}, "always": True})

    async def main() -> None:
        ledger, watch = Ledger.in_memory(), PhaseWatch()
        model = opened(path, ledger=ledger, watch=watch, retries=2)
        with pytest.raises(ModelServiceError, match="server"), service_errors(str(model)):
            await model.generate("hello")
        [call] = ledger.calls
        assert (call.outcome, call.error, call.retries, call.cost) == ("error", "server", 2, 0.0)
        assert isinstance(watch.ended(), ModelServiceError)
        with pytest.raises(ModelServiceError):
            await model.generate("again")
        assert len(ledger.calls) == 1

    asyncio.run(main())


def test_a_prompt_that_is_too_long_is_the_callers_own(tmp_path: Path) -> None:
    path = script(tmp_path, {"fault": {"status": 413}}, {"text": "fine"})

    async def main() -> None:
        watch = PhaseWatch()
        model = opened(path, watch=watch)
        with pytest.raises(Exception, match="413"):
            await model.generate("hello")
        assert watch.ended() is None

    asyncio.run(main())


def test_no_text_of_a_provider_stands_in_an_error_or_in_the_ledger(tmp_path: Path) -> None:
    path = script(tmp_path, {"fault": {"status": 401}, "always": True})

    async def main() -> None:
        ledger = Ledger.in_memory()
        model = opened(path, ledger=ledger)
        with pytest.raises(ModelServiceError) as caught, service_errors(str(model)):
            await model.generate("SECRET-PROMPT")
        assert "SECRET-PROMPT" not in str(caught.value)
        assert "scripted status" not in str(caught.value) + repr(ledger.calls)

    asyncio.run(main())


def test_a_cancelled_call_is_a_line_too(tmp_path: Path) -> None:
    path = script(tmp_path, {"text": "late", "delay": 30})

    async def main() -> None:
        with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
            watch = PhaseWatch()
            model = opened(path, ledger=ledger, watch=watch)
            calling = asyncio.ensure_future(model.generate("hello"))
            await asyncio.sleep(0.05)
            during = watch.model_call_open
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling
            assert (during, watch.model_call_open) == (True, False)
            [call] = read_ledger(tmp_path / "ledger.jsonl")
            assert (call.outcome, call.cost, call.input) == ("cancelled", None, None)

    asyncio.run(main())


def test_a_limit_refuses_the_next_call_and_leaves_no_line(tmp_path: Path) -> None:
    path = script(tmp_path, {"text": "hi", "usage": USAGE, "repeat": True})

    async def main() -> None:
        ledger, watch = Ledger.in_memory(), PhaseWatch(Limits(turns=2))
        model = opened(path, ledger=ledger, watch=watch)
        await model.generate("one")
        await model.generate("two")
        with pytest.raises(LimitReachedError) as caught:
            await model.generate("three")
        assert (caught.value.stop.limit, caught.value.stop.value) == ("turns", 2)
        assert len(ledger.calls) == 2

    asyncio.run(main())


def test_a_hit_of_inspects_cache_is_a_line_that_was_not_billed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    path = script(tmp_path, {"text": "hi", "usage": USAGE})

    async def main() -> None:
        ledger = Ledger.in_memory()
        model = opened(path, ledger=ledger, prices=priced(path))
        assert (await model.generate("hello", cache=True)).completion == "hi"
        assert (await model.generate("hello", cache=True)).completion == "hi"
        first, second = ledger.calls
        assert (first.local_cache, second.local_cache) == (False, True)
        assert first.cost == second.cost == pytest.approx(COST)
        assert spending(ledger.calls).billed == pytest.approx(COST)

    asyncio.run(main())


def test_the_conditions_thinking_stands_whatever_the_caller_asks_for(tmp_path: Path) -> None:
    from inspect_ai.model import GenerateConfig

    path = script(tmp_path, {"text": "hi", "repeat": True})

    async def main() -> None:
        seen: list[tuple[Any, Any]] = []
        for thinking in ("off", "2000", None):
            model = opened(path, thinking=thinking)
            inner = model.api.generate

            async def spy(input: Any, tools: Any, tool_choice: Any, config: Any, inner: Any = inner) -> Any:
                seen.append((config.reasoning_effort, config.reasoning_tokens))
                return await inner(input, tools, tool_choice, config)

            model.api.generate = spy
            await model.generate("hello", config=GenerateConfig(reasoning_effort="high", reasoning_tokens=9))
        assert seen == [("none", None), (None, 2000), ("high", 9)]

    asyncio.run(main())


def _openai(monkeypatch: pytest.MonkeyPatch, answers: dict[str, list[Any]]) -> Any:
    """Two endpoints of one model that answer from lists; returns the model's specification."""
    monkeypatch.setenv("FIRST_KEY", "sk-first")
    monkeypatch.setenv("SECOND_KEY", "sk-second")
    endpoints = [
        {"base_url": "http://127.0.0.1:9/first", "key_env": "FIRST_KEY"},
        {"base_url": "http://127.0.0.1:9/second", "key_env": "SECOND_KEY"},
    ]
    from inspect_ai.model import ModelOutput
    from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI

    async def generate(self: Any, *_: Any) -> ModelOutput:
        said = answers[self.base_url.rsplit("/", 1)[1]].pop(0)
        if isinstance(said, Exception):
            raise said
        return ModelOutput.from_content("m", said)

    monkeypatch.setattr(OpenAICompatibleAPI, "generate", generate)
    return make_spec("openai-api/local/m", endpoints=endpoints, retries=1)


class Status(Exception):
    retry_after: float | None = None

    def __init__(self, status: int) -> None:
        self.status_code = status


def test_a_failing_endpoint_is_skipped_and_left_alone_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: dict[str, list[Any]] = {"first": [Status(500)], "second": ["a", "b", "c"]}
    spec = _openai(monkeypatch, answers)

    async def main() -> None:
        ledger = Ledger.in_memory()
        model = open_model(spec, role=Role.BUILDER, phase="build", ledger=ledger)
        said = [(await model.generate("hello")).completion for _ in range(3)]
        assert said == ["a", "b", "c"]
        assert [(call.endpoint, call.retries) for call in ledger.calls] == [(1, 1), (1, 0), (1, 0)]

    asyncio.run(main())


def test_an_endpoint_that_hangs_is_given_up_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai.model import ModelOutput
    from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI

    spec = _openai(monkeypatch, {}).model_copy(update={"attempt_seconds": 1})
    monkeypatch.setattr("underspec.model.tap.FIRST_WAIT_SECONDS", 0.0)

    async def generate(self: Any, *_: Any) -> ModelOutput:
        if self.base_url.endswith("/first"):
            await asyncio.sleep(60)
        return ModelOutput.from_content("m", "late but here")

    monkeypatch.setattr(OpenAICompatibleAPI, "generate", generate)

    async def main() -> None:
        ledger = Ledger.in_memory()
        model = open_model(spec, role=Role.BUILDER, phase="build", ledger=ledger)
        assert (await model.generate("a")).completion == "late but here"
        assert (await model.generate("b")).completion == "late but here"
        assert [(call.endpoint, call.retries) for call in ledger.calls] == [(1, 1), (1, 0)]

    asyncio.run(main())


def test_an_answer_that_still_flows_is_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai.model import ModelOutput
    from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI
    from inspect_ai.model._stream import report_model_stream_progress

    spec = _openai(monkeypatch, {})
    clock = [0.0]
    watch = PhaseWatch(now=lambda: clock[0])
    seen: list[bool] = []

    async def generate(self: Any, *_: Any) -> ModelOutput:
        for _step in range(3):
            clock[0] += 800
            seen.append(watch.ended() is None)
            report_model_stream_progress(1)
        return ModelOutput.from_content("m", "long")

    monkeypatch.setattr(OpenAICompatibleAPI, "generate", generate)
    asyncio.run(open_model(spec, role=Role.BUILDER, phase="build", watch=watch).generate("a"))
    assert seen == [True] * 3


def test_a_providers_own_compaction_is_a_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai.model import ModelUsage
    from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI

    spec = _openai(monkeypatch, {})

    async def compact(self: Any, input: Any, *_: Any) -> Any:
        return input, ModelUsage(input_tokens=8, output_tokens=2, total_tokens=10)

    monkeypatch.setattr(OpenAICompatibleAPI, "compact", compact)

    async def main() -> None:
        ledger = Ledger.in_memory()
        await open_model(spec, role=Role.BUILDER, phase="build", ledger=ledger).compact([], [])
        [call] = ledger.calls
        assert (call.kind, call.input, call.output, call.local_cache) == ("compact", 8, 2, False)

    asyncio.run(main())


def test_what_was_never_sent_is_no_call_and_nobodys_failure(tmp_path: Path) -> None:
    from inspect_ai.util import LimitExceededError, message_limit

    path = script(tmp_path, {"text": "hi"})

    async def main() -> None:
        ledger, watch = Ledger.in_memory(), PhaseWatch()
        model = opened(path, ledger=ledger, watch=watch)
        with pytest.raises(NotImplementedError):
            await model.compact([], [])
        with message_limit(1), pytest.raises(LimitExceededError):
            await model.generate("hello")
        assert ledger.calls == ()
        assert watch.ended() is None
        assert not watch.model_call_open

    asyncio.run(main())


def test_a_model_that_others_opened_is_metered_once_however_often_it_is_taken(tmp_path: Path) -> None:
    from inspect_ai.model import get_model

    path = script(tmp_path, {"text": "hi", "usage": USAGE, "fault": {"status": 429}}, {"text": "ho"})
    opened(path)  # registers the provider

    async def main() -> None:
        theirs = get_model(f"scripted/{path}", memoize=False)
        ledger = Ledger.in_memory()
        for _ in range(3):
            ours = adopt_model(theirs, role=Role.BUILDER, phase="build", ledger=ledger, prices=priced(path))
        assert (await ours.generate("hello")).completion == "hi"
        [call] = ledger.calls
        assert (call.model, call.retries, call.input) == (f"scripted/{path}", 1, 100)
        assert (await theirs.generate("hello")).completion == "ho"
        assert len(ledger.calls) == 1

    asyncio.run(main())


def test_a_model_outside_a_phase_may_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = script(tmp_path, {"text": "hi", "repeat": True})

    async def main() -> None:
        model = opened(path)
        await model.generate("hello")
        model.meter.watch._now = lambda: 1e12
        assert (await model.generate("hello")).completion == "hi"

    asyncio.run(main())


@pytest.mark.parametrize(("asked", "least", "most"), [(None, 2, 60), (1, 2, 60), (90, 90, 90), (9999, 300, 300)])
def test_waits_grow_to_a_minute_and_keep_what_the_service_asks_for(
    asked: float | None, least: float, most: float
) -> None:
    from tenacity import Future, RetryCallState

    from underspec.model.tap import Backoff

    error = Status(429)
    error.retry_after = asked
    waits = []
    for attempt in range(1, 15):
        state = RetryCallState(None, None, (), {})  # type: ignore[arg-type]
        state.attempt_number = attempt
        state.outcome = Future.construct(attempt, error, True)
        waits.append(Backoff()(state))
    assert all(least <= wait <= most for wait in waits)


def test_a_ledger_that_cannot_be_written_ends_the_phase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = script(tmp_path, {"text": "hi"})

    async def main() -> None:
        with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
            watch = PhaseWatch()
            monkeypatch.setattr("os.pwrite", _full)
            with pytest.raises(HostExhaustedError):
                await opened(path, ledger=ledger, watch=watch).generate("hello")
            assert isinstance(watch.ended(), HostExhaustedError)

    asyncio.run(main())


def _full(*_: Any) -> int:
    raise OSError(errno.ENOSPC, "no space left")


def test_a_bridge_that_speaks_for_the_model_is_metered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that uses a provider's own library, redirected by Inspect's bridge."""
    from inspect_ai import Task, eval_async
    from inspect_ai.agent import AgentState, agent_bridge
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import solver
    from openai import AsyncOpenAI

    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    path = script(tmp_path, {"text": "hi", "usage": USAGE}, {"text": "ho", "usage": USAGE})
    ledger = Ledger.in_memory()

    @solver
    def foreign() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            async with agent_bridge(AgentState(messages=state.messages)):
                for _ in range(2):
                    await AsyncOpenAI().chat.completions.create(
                        model="inspect",
                        messages=[{"role": "user", "content": "hello"}],
                        reasoning_effort="high",
                    )
            return state

        return solve

    async def main() -> Any:
        model = opened(path, ledger=ledger, prices=priced(path), thinking="off")
        task = Task(dataset=[Sample(input="go")], solver=foreign())
        return (await eval_async(task, model=model, log_dir=str(tmp_path / "logs")))[0]

    log = asyncio.run(main())
    assert log.status == "success", log.error
    assert [(call.role, call.input) for call in ledger.calls] == [("builder", 100)] * 2
    assert spending(ledger.calls).cost == pytest.approx(2 * COST)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_an_oversized_or_malformed_request_is_not_sent_round_the_endpoints(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    answers: dict[str, list[Any]] = {"first": [Status(status), "c"], "second": ["b"]}
    spec = _openai(monkeypatch, answers)

    async def main() -> None:
        model = open_model(spec, role=Role.BUILDER, phase="build")
        with pytest.raises(Status):
            await model.generate("a")
        assert (await model.generate("b")).completion == "b"
        assert (await model.generate("c")).completion == "c"

    asyncio.run(main())


def test_one_client_serves_all_models_of_a_name_and_endpoints_in_one_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = _openai(monkeypatch, {})

    async def one() -> Any:
        models = [open_model(spec, role=role, phase="build") for role in (Role.ROUTER, Role.BUILDER)]
        assert models[0].api is models[1].api
        assert models[0].role != models[1].role
        return models[0].api

    assert asyncio.run(one()) is not asyncio.run(one())


def test_keys_stand_in_no_specification_and_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = _openai(monkeypatch, {})
    assert "sk-first" not in spec.model_dump_json()
    monkeypatch.delenv("SECOND_KEY")
    with pytest.raises(EnvironmentLacksError, match="SECOND_KEY"):
        open_model(spec, role=Role.BUILDER, phase="build")
    for url in ("http://me:secret@host/v1", "http://host/v1?key=secret", "ftp://host/", "host"):
        with pytest.raises(UsageError):
            make_spec("openai-api/local/m", endpoints=[{"base_url": url}])
    with pytest.raises(UsageError):
        make_spec("openai-api/local/m", options={"extra_headers": {"authorization": "x"}})


@pytest.mark.parametrize("name", ["api_key", "aws_secret_access_key", "default_headers", "Authorization"])
def test_no_argument_of_a_provider_carries_a_key(name: str) -> None:
    with pytest.raises(UsageError, match="environment") as caught:
        make_spec("openai-api/local/m", args={name: "sk-secret"})
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("noprovider", {}),
        ("nosuchprovider/model", {}),
        ("scripted/nowhere.toml", {}),
        (
            "openai-api/local/m",
            {"options": {"temprature": 0}, "endpoints": [{"key_env": "FIRST_KEY", "base_url": "http://127.0.0.1:9/"}]},
        ),
        ("openai-api/local/m", {"thinking": "a lot"}),
        (
            "openai-api/local/m",
            {"thinking": "max", "endpoints": [{"key_env": "FIRST_KEY", "base_url": "http://127.0.0.1:9/"}]},
        ),
    ],
)
def test_a_model_that_cannot_be_is_wrong_use(
    monkeypatch: pytest.MonkeyPatch, name: str, fields: dict[str, Any]
) -> None:
    monkeypatch.setenv("FIRST_KEY", "sk-first")
    with pytest.raises(UsageError):
        open_model(make_spec(name, **fields), role=Role.BUILDER, phase="build")


def test_nothing_of_inspect_is_loaded_until_a_model_is_opened() -> None:
    code = (
        "import sys, underspec.model.models, underspec.model.limits, underspec.stakeholder.model_router as r;"
        "r.ModelRouter().version; sys.exit('inspect_ai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    path = script(tmp_path, {"text": "x"})
    code = (
        "import sys; sys.modules['inspect_ai'] = None\n"
        "from underspec.model.models import open_model; from underspec.model.roles import Role\n"
        "from underspec.model.spec import make_spec; from underspec.errors import EnvironmentLacksError\n"
        f"try: open_model(make_spec('scripted/{path}'), role=Role.ROUTER, phase='x')\n"
        "except EnvironmentLacksError as error:\n"
        "    assert error.exit_code == 3 and 'install underspec[models]' in str(error)\n"
        "else: raise SystemExit(1)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_sums_of_the_ledger_are_those_of_the_transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An evaluation of Inspect's, samples at once, with retries, storms and hits of its cache."""
    from inspect_ai import Task, eval_async
    from inspect_ai.dataset import Sample
    from inspect_ai.event import ModelEvent
    from inspect_ai.model import get_model
    from inspect_ai.solver import solver

    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    builder = script(
        tmp_path,
        {"text": "one", "usage": USAGE, "fault": {"status": 429, "times": 2}},
        {"text": "two", "usage": {**USAGE, "input": 7}, "delay": 0.01},
        {"text": "three", "usage": {**USAGE, "output": 3}, "fault": {"status": 500}},
        name="builder.toml",
    )
    router = script(tmp_path, {"text": "r", "usage": {"input": 5, "output": 1}, "repeat": True}, name="router.toml")
    ledger = Ledger.open(tmp_path / "ledger.jsonl")

    @solver
    def talk() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            model = get_model(role="builder")
            for number in range(3):
                await model.generate(f"{state.sample_id} {number}", cache=number == 1)
                await get_model(role="router").generate("which?")
            await model.generate(f"{state.sample_id} 1", cache=True)
            return state

        return solve

    async def main() -> Any:
        roles = {
            "builder": opened(builder, ledger=ledger),
            "router": opened(router, ledger=ledger, role=Role.ROUTER),
        }
        task = Task(dataset=[Sample(input="go", id=f"s{number}") for number in range(6)], solver=talk())
        logs = await eval_async(task, model="none/none", model_roles=roles, log_dir=str(tmp_path / "logs"))
        return logs[0]

    log = asyncio.run(main())
    ledger.close()
    assert log.status == "success", log.error
    events = [event for sample in log.samples for event in sample.events if isinstance(event, ModelEvent)]
    answered = [event.output.usage for event in events if event.error is None and event.output.usage is not None]
    calls = read_ledger(tmp_path / "ledger.jsonl")
    sums = spending(calls)
    assert sums.calls == 6 * 7
    assert sum(call.local_cache for call in calls) == sum(event.cache == "read" for event in events) == 6
    assert sums.retries == sum(event.error is not None for event in events) == 6 * 3
    assert sums.input == sum(usage.input_tokens for usage in answered)
    assert sums.output == sum(usage.output_tokens for usage in answered)
    assert sums.cache_read == sum(usage.input_tokens_cache_read or 0 for usage in answered)
    assert sums.cache_write == sum(usage.input_tokens_cache_write or 0 for usage in answered)
    assert sums.reasoning == sum(usage.reasoning_tokens or 0 for usage in answered)


def test_fingerprints_follow_the_script(tmp_path: Path) -> None:
    path = script(tmp_path, {"text": "a"})
    first = spec_of(path).fingerprint()
    script(tmp_path, {"text": "b"})
    assert spec_of(path).fingerprint() != first
    assert make_spec("openai/gpt").fingerprint() == ""
    path.unlink()
    with pytest.raises(UsageError):
        spec_of(path).fingerprint()

"""Builds by agents with a model: in real sandboxes, inside one evaluation, with scripted models."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scripts import shell, turn, write_script
from tests.agent.toy_scripts import ASK_CALL, ASK_COMMAND, QUESTION, builds, write_command
from tests.run.toy_agents import make_context, published
from tests.task_factory import make_task
from underspec.agent.registry import load_agent
from underspec.artifact.condition import Condition
from underspec.artifact.ledger import read_ledger
from underspec.model.cost_counter import CostCounter
from underspec.model.limits import CostLimitError
from underspec.model.prices import load_prices
from underspec.model.spec import make_spec
from underspec.report.collect import Collected, collect
from underspec.run.executor import RunContext, execute
from underspec.run.item import Item
from underspec.run.store import MAX_ATTEMPTS, RunStore

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")

OWN_AGENT = """
import json, os, subprocess, urllib.request as u
URL = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
SHELL = {"type": "function", "function": {"name": "shell", "description": "run", "parameters": PARAMETERS}}
HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer x"}
messages = [{"role": "user", "content": open(os.environ["UNDERSPEC_PROMPT"]).read()}]
while True:
    body = {"model": os.environ["UNDERSPEC_MODEL"], "messages": messages, "tools": [SHELL]}
    answer = json.load(u.urlopen(u.Request(URL, json.dumps(body).encode(), HEADERS)))["choices"][0]["message"]
    messages.append(answer)
    if not answer.get("tool_calls"):
        break
    for call in answer["tool_calls"]:
        command = json.loads(call["function"]["arguments"])["command"]
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        content = done.stdout + done.stderr
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
"""
OWN_COMMAND = f"cat > /tmp/agent.py <<'AGENT'\n{OWN_AGENT}\nAGENT\npython3 /tmp/agent.py"


def context_of(
    folder: Path, scripts: dict[str, list[dict[str, Any]]], **condition: Any
) -> tuple[RunContext, list[Item]]:
    """One item for each script, by the agent ``react`` unless the condition says otherwise."""
    agent = str(condition.pop("agent", "react"))
    task = make_task(folder, toml={"limits": {"disk_mb": 64, "memory_mb": 512, "processes": 128}})
    context, _ = make_context(folder / "run", task, {agent: load_agent(agent)})
    items = []
    for name, turns in scripts.items():
        model = write_script(folder / f"{name}.jsonl", turns)
        context.models[model] = make_spec(model, retries=0)
        fields = {"agent": agent, "model": model, **condition}
        items.append(Item(task="toy-sums", condition=Condition.model_validate(fields), epoch=1))
    context.store.add_items(items)
    return context, items


def by_script(folder: Path) -> dict[str, Collected]:
    return {Path(str(each.item.condition.model)).stem: each for each in collect(RunStore(folder / "run"))}


def run(context: RunContext, items: list[Item], concurrency: int = 3) -> None:
    asyncio.run(execute(context, items, concurrency=concurrency))


def test_the_loop_asks_builds_and_stops_and_its_limits_and_failures_are_its_own(tmp_path: Path) -> None:
    long = [shell("true") for _ in range(8)]
    scripts = {
        "asks": builds(ask=ASK_CALL),
        "hasty": builds(),
        "over-http": [shell(ASK_COMMAND), *builds()],
        "turns": [*builds()[:-1], *long],
        "refused": [*builds()[:-1], turn(text="No.", stop="content_filter")],
        "overflow": [*builds()[:-1], turn(text="", stop="model_length")],
        "cut-off": [turn(text="so on and", stop="max_tokens"), *builds()],
        "always-cut-off": [turn(text="so on and", stop="max_tokens", repeat=True)],
        "confused": [
            turn(calls=[{"name": "teleport", "arguments": {}}]),
            turn(calls=[{"name": "shell", "arguments": {"command": 7}}]),
            turn(calls=[{"name": "shell", "arguments": {"command": "true", "timeout": -1}}]),
            turn(calls=[{"name": "read_file", "arguments": {"path": "/nowhere"}}]),
            turn(calls=[{"name": "write_file", "arguments": {"path": "\0", "content": "x"}}]),
            *builds(),
        ],
    }
    context, items = context_of(tmp_path, scripts, max_turns=6)
    run(context, items)
    found = by_script(tmp_path)
    ends = {name: (each.end.ended, each.end.limit, each.end.layer) for name, each in found.items() if each.end}
    rates = {name: each.outcomes.overall.rate for name, each in found.items() if each.outcomes}
    done, whole, part = ("done", None, None), 1.0, pytest.approx(5 / 7)
    assert ends == {
        "asks": done,
        "hasty": done,
        "over-http": done,
        "turns": ("limit", "turns", "phase"),
        "refused": ("failed", None, None),
        "overflow": ("failed", None, None),
        "cut-off": done,
        "always-cut-off": ("failed", None, None),
        "confused": ("limit", "turns", "phase"),
    }
    # What was handed over is graded, however the build ended.
    assert rates == {
        "asks": whole,
        "hasty": part,
        "over-http": part,
        "turns": part,
        "refused": part,
        "overflow": part,
        "cut-off": part,
        "always-cut-off": 0.0,
        "confused": part,
    }
    sessions = {name: [turn.question for turn in each.session.turns] for name, each in found.items() if each.session}
    assert sessions == {name: [QUESTION] if name in ("asks", "over-http") else [] for name in scripts}
    ledger = read_ledger(
        next((tmp_path / "run" / "items").glob(f"{_folder(items, 'asks')}/build/attempts/1/ledger.jsonl"))
    )
    assert [(call.role, call.phase, call.input, call.output) for call in ledger] == [("builder", "build", 1000, 50)] * 3


def _folder(items: list[Item], script: str) -> str:
    return next(item.folder for item in items if Path(str(item.condition.model)).stem == script)


def test_arguments_that_no_system_takes_are_told_to_the_model_and_unscore_nothing(tmp_path: Path) -> None:
    bad = [
        {"name": "shell", "arguments": {"command": "echo \ud800"}},
        {"name": "shell", "arguments": {"command": "echo \0"}},
        {"name": "shell", "arguments": {"command": f"true {'x' * 200_000}"}},
        {"name": "write_file", "arguments": {"path": "a\udfff", "content": "x"}},
        {"name": "write_file", "arguments": {"path": "a" * 5000, "content": "\ud800"}},
        {"name": "ask", "arguments": {"question": "\ud800 \0"}},
    ]
    context, items = context_of(tmp_path, {"bad": [turn(calls=[call]) for call in bad] + builds()})
    run(context, items)
    found = by_script(tmp_path)["bad"]
    assert found.attempts["build"] == 1
    assert found.outcomes is not None
    assert found.outcomes.overall.rate == pytest.approx(5 / 7)


def test_any_program_is_an_agent_by_the_bridge(tmp_path: Path) -> None:
    scripts = {"asks": [shell(ASK_COMMAND), shell(write_command(knows=True)), turn(text="Done.")], "crash": []}
    scripts["crash"] = [turn(text="Done.")]
    context, items = context_of(tmp_path, scripts, agent="command", command=OWN_COMMAND + "\n! grep -q Done /dev/null")
    run(context, items)
    found = by_script(tmp_path)
    assert {name: each.end.ended for name, each in found.items() if each.end} == {"asks": "done", "crash": "done"}
    assert {name: each.outcomes.overall.rate for name, each in found.items() if each.outcomes} == {
        "asks": 1.0,
        "crash": 0.0,
    }
    assert found["asks"].session is not None
    assert len(found["asks"].session.turns) == 1


def test_a_program_that_fails_is_the_agents_failure(tmp_path: Path) -> None:
    context, items = context_of(tmp_path, {"x": [turn(text="x")]}, agent="command", command="echo broken >&2; exit 7")
    run(context, items)
    end = by_script(tmp_path)["x"].end
    assert end is not None
    assert (end.ended, end.exit_code, end.detail) == ("failed", 7, "its program ended with exit code 7: broken")


def test_a_provider_that_is_down_scores_nobody(tmp_path: Path) -> None:
    down = [turn(text="never", fault={"status": 500}, always=True)]
    context, items = context_of(tmp_path, {"down": down, "up": builds(ask=ASK_CALL)})
    run(context, items)
    found = by_script(tmp_path)
    assert found["up"].outcomes is not None
    assert found["down"].outcomes is None
    assert found["down"].unscored is not None
    assert found["down"].unscored.boundary == "model_service"
    assert found["down"].attempts["build"] == MAX_ATTEMPTS


def test_a_request_that_the_provider_refuses_is_the_agents_failure(tmp_path: Path) -> None:
    context, items = context_of(tmp_path, {"bad": [turn(text="never", fault={"status": 400}, always=True)]})
    run(context, items)
    end = by_script(tmp_path)["bad"].end
    assert end is not None
    assert (end.ended, "bad_request" in end.detail) == ("failed", True)


def test_a_run_stops_at_its_cost_and_goes_on_when_it_is_raised(tmp_path: Path) -> None:
    script = builds(ask=ASK_CALL)
    context, items = context_of(tmp_path, {"a": script})
    model = str(items[0].condition.model)
    prices = tmp_path / "prices.toml"
    prices.write_text(
        f"schema_version = 1\n[models.{json.dumps(model)}]\ninput = 1000\noutput = 0\n"
        'source = "made up"\nread = "2026-01-01"\n'
    )
    context.prices = load_prices(prices)
    context.run_cost = CostCounter(1.5, tmp_path / "spent")
    with pytest.raises(CostLimitError):
        run(context, items)
    assert by_script(tmp_path)["a"].outcomes is None
    context.run_cost = CostCounter(10.0, tmp_path / "spent")
    run(context, items)
    assert by_script(tmp_path)["a"].outcomes is not None
    assert context.run_cost.spent == pytest.approx(2.0 + 3.0)  # what the stopped attempt cost is not forgotten


def test_two_runs_of_a_scripted_model_give_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        context, items = context_of(tmp_path / name, {"asks": builds(ask=ASK_CALL)})
        run(context, items)
        # The folder's name holds the script's path, which differs.
        made.append(
            [content for path, content in sorted(published(tmp_path / name / "run").items()) if "item.json" not in path]
        )
    assert made[0] == made[1]

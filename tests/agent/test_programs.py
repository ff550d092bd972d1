"""The real programs of agents complete a bundled task with a scripted model: they ask, build, hand over, are graded."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scripts import ASK, packed, shell, turn, write_script
from underspec.artifact.ledger import read_ledger
from underspec.report.collect import collect
from underspec.run.executor import execute
from underspec.run.experiment import make_experiment
from underspec.run.prepare import begin, prepare
from underspec.sandbox.backends import load_backend
from underspec.sandbox.images import kept
from underspec.sandbox.images.agents.build import build_layer

pytest.importorskip("inspect_ai")
pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
]

TASK = "data-sizes"
DONE = turn(text="All is done.")
# What each calls its shell and the command in it, and how its model says that all is done.
SPEAKS: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "claude-code": ("Bash", "command", {"description": "work"}, DONE),
    "codex": ("exec_command", "cmd", {}, DONE),
    "pi": ("bash", "command", {}, DONE),
    "mini-swe-agent": (
        "bash",
        "command",
        {},
        shell("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", tool="bash", when={"tool": "bash"}),
    ),
    "openhands": ("terminal", "command", {}, turn(calls=[{"name": "finish", "arguments": {"message": "done"}}])),
}

# How those that speak MCP call the stakeholder, beside asking by HTTP.
ASK_TOOLS = {"claude-code": "mcp__stakeholder__ask", "codex": "ask"}


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Layers of agents are made once. ``UNDERSPEC_AGENTS_HOME`` names a folder to keep them in."""
    named = os.environ.get("UNDERSPEC_AGENTS_HOME")
    folder = Path(named) if named else tmp_path_factory.mktemp("agents")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNDERSPEC_HOME", str(folder))
        patch.setattr(kept, "_in_use", {})
        yield folder
    if not named:
        shutil.rmtree(folder)


def script(folder: Path, agent: str) -> str:
    tool, argument, more, end = SPEAKS[agent]
    commands = [f"bash <<'ASK'\n{ASK}\nASK", packed(TASK, "eager")]
    turns = [shell(each, tool=tool, argument=argument, arguments=more, when={"tool": tool}) for each in commands]
    if name := ASK_TOOLS.get(agent):
        call = {"name": name, "arguments": {"question": "How are numbers rounded?"}}
        turns.append(turn(text="I ask.", calls=[call], when={"tool": name}))
    # Some have a model give the conversation a title, or the like.
    aside = turn(text="A title", when={"no_tools": True}, repeat=True)
    return write_script(folder / f"{agent}.jsonl", [*turns, end, aside])


def complete(folder: Path, agents: tuple[str, ...], backend: str = "bubblewrap") -> None:
    """Make the layers, run all the agents, and look at what each came to."""
    for agent in agents:
        asyncio.run(build_layer(agent, load_backend("bubblewrap"), on_progress=lambda step: None))
    for agent in agents:
        condition = {"agent": agent, "model": script(folder, agent), "build_seconds": 300}
        plan = make_experiment({"tasks": [TASK], "condition": condition, "name": agent})
        prepared = prepare(plan, backend=load_backend(backend), runs=folder / "runs", run=agent)
        begin(prepared, concurrency=1)
        asyncio.run(execute(prepared.context, prepared.items, concurrency=1))
        [found] = collect(prepared.context.store)
        assert found.end is not None
        assert found.end.ended == "done", found.end.detail
        assert found.outcomes is not None
        assert found.outcomes.overall.passed == 112
        assert found.session is not None
        assert [each.remaining for each in found.session.turns] == ([15, 14] if agent in ASK_TOOLS else [15])
        [ledger] = (prepared.context.store.path / "items").glob("*/build/attempts/1/ledger.jsonl")
        calls = read_ledger(ledger)
        assert len(calls) >= 3
        assert {(call.role, call.outcome) for call in calls} == {("builder", "ok")}


def test_those_that_install_in_half_a_minute(tmp_path: Path) -> None:
    complete(tmp_path, ("claude-code", "codex", "pi"))


@pytest.mark.agents
@pytest.mark.skipif(os.geteuid() != 0, reason="the image that interpreters come from is built by root")
@pytest.mark.skipif(shutil.which("debootstrap") is None, reason="debootstrap is not installed")
@pytest.mark.parametrize("agent", ["mini-swe-agent", "openhands"])
def test_those_that_bring_a_python_of_their_own(tmp_path: Path, agent: str) -> None:
    complete(tmp_path, (agent,))


@pytest.mark.agents
@pytest.mark.parametrize("agent", ["claude-code", "codex", "pi"])
def test_in_docker_sandboxes_too(tmp_path: Path, agent: str, container_engine: None) -> None:
    complete(tmp_path, (agent,), "docker")

"""The real programs of agents clarify and build: asking by MCP where they speak it, else over the loopback channel."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scripts import shell, turn, write_script
from tests.agent.test_programs import SPEAKS
from tests.clarify.runs import clarified, run, toy_context
from tests.clarify.scripts import ANSWERER, ANSWERS, APPROVAL, CLIENT, JUDGE, QUESTION, REPLY, SUPERVISOR, write_tally
from tests.clarify.test_programs import ASK, POST
from underspec.agent.registry import load_agent
from underspec.sandbox.backends import load_backend
from underspec.sandbox.images import kept
from underspec.sandbox.images.agents.build import build_layer

pytest.importorskip("inspect_ai")
pytestmark = [
    pytest.mark.agents,
    pytest.mark.sandbox,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
]

TOOLS = {"claude-code": "mcp__stakeholder__{}", "codex": "{}"}
"""How those that speak MCP call the tools; the others use the channel."""


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


def turns_of(agent: str) -> list[dict[str, Any]]:
    tool, argument, more, _ = SPEAKS[agent]

    def command(text: str) -> dict[str, Any]:
        return shell(text, tool=tool, argument=argument, arguments=more)

    def own(name: str, by_channel: str, **arguments: str) -> dict[str, Any]:
        if agent not in TOOLS:
            return command(by_channel)
        return turn(text="So be it.", calls=[{"name": TOOLS[agent].format(name), "arguments": arguments, "like": True}])

    def when(condition: dict[str, Any], *turns: dict[str, Any]) -> list[dict[str, Any]]:
        return [{**each, "when": condition} for each in turns]

    clarifying = [
        command("cat README.md; touch new"),
        own("ask", ASK, question=QUESTION),
        own("finish_clarification", POST.format("finish_clarification")),
    ]
    implementing = [command(write_tally()), own("submit_delivery", POST.format("submit_delivery"))]
    return [
        *when(CLIENT, turn(text=REPLY, repeat=True)),
        *when(SUPERVISOR, turn(text=APPROVAL, repeat=True)),
        *when(JUDGE, turn(text='{"label": "correct"}', repeat=True)),
        *when(ANSWERER, turn(text=ANSWERS)),
        # Some have a model give the conversation a title, or the like.
        turn(text="A title", when={"no_tools": True}, repeat=True),
        *when({"anywhere": "You do not build anything yet"}, *clarifying),
        *when({"anywhere": "# What is known"}, *implementing),
    ]


@pytest.mark.parametrize("agent", ["claude-code", "codex", "pi"])
def test_a_real_program_clarifies_first_and_then_builds(tmp_path: Path, agent: str) -> None:
    asyncio.run(build_layer(agent, load_backend("bubblewrap"), on_progress=lambda step: None))
    context, items = toy_context(tmp_path, {"x": {}}, agent=load_agent(agent), build_seconds=300)
    write_script(tmp_path / "x.jsonl", turns_of(agent))
    found = clarified(run(context, items)["x"])
    assert found.transcript is not None
    assert found.transcript.finished, found.transcript.end
    assert [(one.question, one.reply) for one in found.transcript.rounds] == [(QUESTION, REPLY)]
    assert found.end is not None
    assert (found.end.ended, found.end.detail) == ("done", "submit_delivery")
    assert found.acceptance is not None
    assert found.acceptance.passed
    seen = (context.store.path / "items" / items["x"].folder / "clarify").glob("*/seen.json")
    text = next(seen).read_text()
    assert "Nothing is here yet." in text
    assert "Read-only file system" in text

"""Runs of the toy commission, with scripted models in every role."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.clarify.scripts import script_of
from tests.commission_factory import make_commission
from tests.run.toy_agents import make_context
from underspec.agent.protocol import Agent
from underspec.agent.registry import load_agent
from underspec.artifact.condition import Condition
from underspec.model.spec import make_spec
from underspec.report.clarified import Clarified
from underspec.report.collect import Collected, collect
from underspec.run.executor import RunContext, execute
from underspec.run.item import Item
from underspec.run.store import RunStore

TASK = "toy-tally"


def toy_context(
    folder: Path,
    scripts: dict[str, dict[str, list[dict[str, Any]]]],
    *,
    agent: Agent | None = None,
    run: str = "run",
    files: dict[str, Any] | None = None,
    **condition: Any,
) -> tuple[RunContext, dict[str, Item]]:
    """One item for each script, by its name; a script names what roles say that do not do the usual."""
    agent = agent or load_agent("react")
    task = folder / TASK if (folder / TASK).exists() else make_commission(folder, files=files)
    context, _ = make_context(folder / run, task, {agent.name: agent}, epochs=0)
    items = {}
    for name, roles in scripts.items():
        model = script_of(folder, name, **roles)
        context.models[model] = make_spec(model, retries=0)
        fields = {
            "protocol": "clarify-first",
            "agent": agent.name,
            "model": model,
            "stakeholder_model": model,
            "judge_model": model,
            **condition,
        }
        items[name] = Item(task=TASK, condition=Condition.model_validate(fields), epoch=1)
    context.store.add_items(list(items.values()))
    return context, items


def run(context: RunContext, items: dict[str, Item]) -> dict[str, Collected]:
    """Execute, and read what came of each item by the script's name."""
    asyncio.run(execute(context, list(items.values()), concurrency=2))
    return read(context, items)


def read(context: RunContext, items: dict[str, Item]) -> dict[str, Collected]:
    """What there is of each item, by the script's name."""
    by_id = {each.item.id: each for each in collect(RunStore(context.store.path))}
    return {name: by_id[item.id] for name, item in items.items()}


def clarified(collected: Collected) -> Clarified:
    """What an item that clarifies has."""
    assert collected.clarified is not None
    return collected.clarified


def artifact(context: RunContext, item: Item, phase: str) -> Path:
    """The one artifact of a phase."""
    (found,) = context.store.phase(item, phase).artifacts()
    return found


def events(context: RunContext, item: Item, phase: str) -> list[dict[str, Any]]:
    """The log of the last attempt at a phase."""
    log = context.store.phase(item, phase).attempts()[-1] / "log.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()]

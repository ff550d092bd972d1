"""Agents for the toy task, of known worth, and a context to run them in."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from underspec.agent.asking import ask_inside
from underspec.agent.nop import NopAgent
from underspec.agent.protocol import Agent, Assignment
from underspec.artifact.build import BuildEnd
from underspec.artifact.condition import Condition
from underspec.run.executor import RunContext
from underspec.run.item import Item
from underspec.run.manifest import make_manifest, write_manifest
from underspec.run.plan import Tasks, plan_items
from underspec.run.store import RunStore
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import WORKSPACE, Mount
from underspec.stakeholder.router import load_router
from underspec.task.load import load_task
from underspec.task.model import Task

# ${WHOLE} is right only when the agent asked how a whole mean is printed.
_PROGRAM = """
import json, pathlib, sys
here, suite = pathlib.Path(sys.argv[1]), sys.argv[2]
out = here / "stdout" / suite
out.mkdir(parents=True, exist_ok=True)
for file in sorted((here / suite).glob("*.json")):
    for index, case in enumerate(json.loads(file.read_text())["cases"]):
        numbers = case["input"]["numbers"]
        if case["input"]["action"] == "sum":
            text = f"{sum(numbers)}\\n"
        elif not numbers:
            text = "error: empty\\n" if KNOWS else ""
        else:
            mean = sum(numbers) / len(numbers)
            text = f"{int(mean) if KNOWS and mean == int(mean) else mean}\\n"
        (out / f"{file.stem}@{index:03}.txt").write_text(text)
"""
_TEST_SH = 'here="$(cd "$(dirname "$0")" && pwd)"\nexec /usr/bin/python3 "$here/program.py" "$here" "$2"\n'


class ToyAgent:
    """``knows`` with asking: all 7 overall cases right. Without: the whole mean and the empty mean are wrong."""

    version = "1"

    def __init__(self, name: str, *, asks: bool):
        self.name = name
        self.asks = asks

    def fingerprint(self, task: Task) -> str:
        return str(self.asks)

    def mounts(self, task: Task) -> tuple[Mount, ...]:
        return ()

    async def build(self, assignment: Assignment) -> BuildEnd:
        knows = False
        if self.asks and assignment.ask_url:
            for question in ("How is a whole mean printed, with a decimal point?", "What if there are no numbers?"):
                reply = await ask_inside(assignment.sandbox, assignment.ask_url, question)
                knows = knows or (reply.text is not None and "without a decimal point" in reply.text)
        program = f"KNOWS = {knows}\n{_PROGRAM}"
        await assignment.sandbox.put(f"{WORKSPACE}/rcb_tests/program.py", program.encode())
        await assignment.sandbox.put(f"{WORKSPACE}/rcb_tests/test.sh", _TEST_SH.encode(), executable=True)
        return BuildEnd(agent=self.name, agent_version=self.version, ended="done")


@dataclass
class FunctionAgent:
    """An agent that is one function."""

    name: str
    work: Callable[[Assignment], object]
    version: str = "1"

    def fingerprint(self, task: Task) -> str:
        return ""

    def mounts(self, task: Task) -> tuple[Mount, ...]:
        return ()

    async def build(self, assignment: Assignment) -> BuildEnd:
        await self.work(assignment)  # type: ignore[misc]
        return BuildEnd(agent=self.name, agent_version=self.version, ended="done")


def toy_agents() -> dict[str, Agent]:
    """``thorough`` asks, ``hasty`` does not, ``nop`` does nothing."""
    agents: list[Agent] = [ToyAgent("thorough", asks=True), ToyAgent("hasty", asks=False), NopAgent()]
    return {agent.name: agent for agent in agents}


def make_context(
    run: Path,
    task: Path,
    agents: dict[str, Agent],
    *,
    epochs: int = 1,
    sandboxes: str = "bubblewrap",
    **condition: object,
) -> tuple[RunContext, list[Item]]:
    """A run of all the agents on one task, planned and written."""
    backend = load_backend(sandboxes)
    task_id = load_task(task).id
    conditions = [Condition.model_validate({"agent": name, **condition}) for name in agents]
    items = plan_items([task_id], conditions, epochs)
    context = RunContext(
        store=RunStore(run),
        tasks=Tasks({task_id: task}, load_task),
        backend=backend,
        agents=agents,
        routers={name: load_router(name) for name in {each.router for each in conditions}},
        image_digests={"host": backend.image_digest("host")},
    )
    manifest = make_manifest(
        name=run.name,
        backend=backend,
        images=context.image_digests,
        tasks={task_id: context.tasks[task_id].digest},
        concurrency=2,
    )
    write_manifest(run, manifest)
    context.store.add_items(items)
    return context, items


def published(run: Path) -> dict[str, bytes]:
    """Every published artifact but the tars, whose time stamps differ, by its path in the run."""
    found = {}
    for path in sorted((run / "items").rglob("*")):
        parts = path.relative_to(run).parts
        if path.is_file() and "attempts" not in parts and path.suffix == ".json":
            found[str(path.relative_to(run))] = path.read_bytes()
    return found


def attempts_that_published(run: Path) -> dict[str, int]:
    """How many attempts published something, by phase folder."""
    counts: dict[str, int] = {}
    for log in (run / "items").glob("*/*/attempts/*/log.jsonl"):
        phase = str(log.parents[2].relative_to(run))
        events = [json.loads(line)["event"] for line in log.read_text().splitlines() if line.endswith("}")]
        counts[phase] = counts.get(phase, 0) + events.count("published")
    return counts

"""Thousands of items of a scripted agent in one process: does it grow, does it slow down, does it leak?

``python -m bench.soak [ITEMS]`` prints one JSON document; progress goes to stderr. The deliverable is one shell script,
so what is measured is the harness and its sandboxes.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from bench.figures import figure
from bench.tasks import ECHO, echo_task
from underspec.agent.protocol import Agent, Assignment
from underspec.artifact.build import BuildEnd
from underspec.artifact.condition import Condition
from underspec.report.collect import collect_item
from underspec.run.context import RunContext
from underspec.run.executor import execute
from underspec.run.item import Item
from underspec.run.manifest import make_manifest, write_manifest
from underspec.run.plan import Tasks, plan_items
from underspec.run.store import RunStore
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import WORKSPACE, Mount, Sandbox, SandboxBackend, SandboxSpec
from underspec.stakeholder.router import load_router
from underspec.task.load import load_task
from underspec.task.model import Task

ITEMS = 5000
WARM = 500
"""Items after which nothing may grow any more."""
ALONE = 100
"""Items one at a time, by which the time beside the sandboxes' own is measured."""
CONCURRENCY = 2
_WINDOW = 100


class _EchoAgent:
    name = "echo"
    version = "1"

    def fingerprint(self, task: Task) -> str:
        return ""

    def mounts(self, task: Task) -> tuple[Mount, ...]:
        return ()

    async def build(self, assignment: Assignment) -> BuildEnd:
        await assignment.sandbox.put(f"{WORKSPACE}/rcb_tests/test.sh", ECHO.encode(), executable=True)
        return BuildEnd(agent=self.name, agent_version=self.version, ended="done")


class _TimedSandbox:
    """A sandbox that adds up how long its calls were awaited."""

    def __init__(self, sandbox: Sandbox, spent: list[float]) -> None:
        self._sandbox = sandbox
        self._spent = spent

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._sandbox, name)
        if not asyncio.iscoroutinefunction(found):
            return found

        async def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return await found(*args, **kwargs)
            finally:
                self._spent.append(time.perf_counter() - started)

        return timed


class _TimedBackend:
    """A backend that makes such sandboxes."""

    def __init__(self, backend: SandboxBackend) -> None:
        self._backend = backend
        self.spent: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def create(self, spec: SandboxSpec) -> _TimedSandbox:
        return _TimedSandbox(self._backend.create(spec), self.spent)


class _Watch:
    """What the process held and how long items took, as they ended."""

    def __init__(self, planned: int) -> None:
        self.planned = planned
        self.began: dict[str, float] = {}
        self.seconds: list[float] = []
        self.memory: list[float] = []
        self.descriptors: list[int] = []

    def __call__(self, item: Item, what: str) -> None:
        if what not in ("done", "unscored"):
            self.began.setdefault(item.folder, time.perf_counter())
            return
        self.seconds.append(time.perf_counter() - self.began.pop(item.folder))
        self.memory.append(_resident_mb())
        self.descriptors.append(len(list(Path("/proc/self/fd").iterdir())))
        if len(self.seconds) % _WINDOW == 0:
            said = f"[{len(self.seconds)}/{self.planned}] {self.memory[-1]:.1f} MB, {self.descriptors[-1]} descriptors"
            print(said, file=sys.stderr, flush=True)


def _resident_mb() -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))


def _context(run: Path, task: Task, backend: SandboxBackend, epochs: int) -> tuple[RunContext, list[Item]]:
    agent: Agent = _EchoAgent()
    condition = Condition(agent=agent.name)
    items = plan_items([task.id], [condition], epochs)
    images = {"host": backend.image_digest("host")}
    context = RunContext(
        store=RunStore(run),
        tasks=Tasks({task.id: task.path}, load_task),
        backend=backend,
        agents={agent.name: agent},
        routers={condition.router: load_router(condition.router)},
        image_digests=images,
    )
    tasks = {task.id: task.digest}
    write_manifest(run, make_manifest(name=run.name, backend=backend, images=images, tasks=tasks, concurrency=1))
    context.store.add_items(items)
    return context, items


def _all_right(context: RunContext, items: list[Item]) -> None:
    for item in items:
        outcomes = collect_item(context.store, item).outcomes
        if outcomes is None or not outcomes.clean:
            raise RuntimeError(f"{item.folder} is not as it should be")


def beside_sandboxes(task: Task, folder: Path, items: int = ALONE) -> dict[str, Any]:
    """Seconds an item takes beside what its sandboxes take, one item at a time."""
    backend = _TimedBackend(load_backend("bubblewrap"))
    context, planned = _context(folder / "alone", task, cast(SandboxBackend, backend), items)
    started = time.perf_counter()
    asyncio.run(execute(context, planned, concurrency=1))
    wall, own = time.perf_counter() - started, sum(backend.spent)
    _all_right(context, planned)
    return {"overhead_per_item": figure((wall - own) / items, "s", ratio=wall / own, items=items)}


def soak(task: Task, folder: Path, items: int = ITEMS) -> dict[str, Any]:
    """Memory, time and descriptors over ``items``: what they were when warm, and at the end."""
    context, planned = _context(folder / "soak", task, load_backend("bubblewrap"), items)
    watch = _Watch(items)
    context.progress = watch
    started = time.perf_counter()
    asyncio.run(execute(context, planned, concurrency=CONCURRENCY))
    wall = time.perf_counter() - started
    _all_right(context, planned)
    warm = slice(min(WARM, items // 2), min(WARM, items // 2) + _WINDOW)
    last = slice(-_WINDOW, None)

    def grown(values: list[float], unit: str, of: Callable[[list[float]], float] = statistics.median) -> dict[str, Any]:
        before, after = of(values[warm]), of(values[last])
        return figure(after, unit, ratio=after / before, baseline=before)

    return {
        "soak_memory": grown(watch.memory, "MB"),
        "soak_item": grown(watch.seconds, "s"),
        "soak_descriptors": grown([float(each) for each in watch.descriptors], "descriptors"),
        "soak_rate": figure(items / wall, "items/s", items=items, concurrency=CONCURRENCY),
    }


def main() -> None:
    """Both, one after another."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    with tempfile.TemporaryDirectory(prefix="underspec-soak-") as name:
        folder = Path(name)
        task = echo_task(folder)
        document = {**beside_sandboxes(task, folder), **soak(task, folder, items)}
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()

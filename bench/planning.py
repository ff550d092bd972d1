"""Planning a full benchmark: 480 tasks under 6 conditions, with nothing run."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from bench.figures import figure, median_seconds
from underspec.run.experiment import make_experiment
from underspec.run.plan import plan_items
from underspec.run.store import RunStore

TASKS, CONDITIONS = 480, 6


def planning(rounds: int = 5) -> dict[str, Any]:
    """Seconds to plan, and to write the plan and read it back."""
    experiment = make_experiment(
        {
            "tasks": [f"task-{number:03}" for number in range(TASKS)],
            "condition": {"agent": "asker"},
            "grid": {"exposure": ["L1", "L3"], "budget": [8, 16, 24]},
        }
    )

    def plan() -> None:
        items = plan_items(experiment.tasks, experiment.conditions(), 1)
        if len({item.folder for item in items}) != TASKS * CONDITIONS:
            raise RuntimeError("two items share a folder")

    planned = median_seconds(plan, rounds)
    items = plan_items(experiment.tasks, experiment.conditions(), 1)
    with tempfile.TemporaryDirectory(prefix="underspec-bench-") as name:
        store = RunStore(Path(name) / "run")
        start = time.perf_counter()
        store.add_items(items)
        written = time.perf_counter() - start
        start = time.perf_counter()
        if len(store.items()) != len(items):
            raise RuntimeError("items were lost")
        read = time.perf_counter() - start
    return {"planning_480x6": figure(planned, "s", write=written, read=read, items=len(items))}

"""What the report of a great run costs, beside reading its outcomes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.figures import figure
from bench.synthetic import make_run, make_tasks

TASKS = 480
MODELS = 6
CASES = 35
"""Native and enhanced ones of each task: 100,800 in all."""


def report(tasks: int = TASKS, models: int = MODELS) -> dict[str, Any]:
    """Seconds, processor seconds and memory of ``underspec report``, and the bytes of the site's first page.

    ``ratio`` is processor time over that of reading all outcomes once, which no report can do without.
    """
    name = f"report_{tasks}_tasks_x_{models}_models"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        paths = make_tasks(root / "tasks", tasks)
        run = make_run(root / "runs" / "made", paths, models)
        command = [sys.executable, "-c", "from underspec.cli import main; main()", "report", str(run), "--json"]
        command += ["--task", str(root / "tasks"), "--out", str(root / "site")]
        baseline = _used(lambda: _read(run))
        start, before = time.perf_counter(), _children()
        subprocess.run(command, check=True, capture_output=True)
        wall, used = time.perf_counter() - start, _children() - before
        pages = sum(1 for _ in (root / "site").rglob("*.html"))
        return {
            name: figure(wall, "s", processor_seconds=used, ratio=used / baseline, baseline=baseline, pages=pages),
            f"{name}_memory": figure(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, "MiB"),
            f"{name}_first_page": figure((root / "site" / "index.html").stat().st_size / 1000, "kB"),
        }


def _children() -> float:
    """Processor seconds of all processes that have been waited for, their children included."""
    times = os.times()
    return times.children_user + times.children_system


def _used(work: Any) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _read(run: Path) -> None:
    """Read every outcome, as any report must."""
    from underspec.artifact.outcomes import Outcomes

    for path in run.glob("items/*/grade/*/outcomes.json"):
        Outcomes.read(path)


if __name__ == "__main__":
    print(report())

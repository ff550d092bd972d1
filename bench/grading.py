"""How much grading costs beyond the deliverable's own programs, and with how much memory."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.engine import plain_run
from bench.figures import figure
from bench.tasks import add_files, echo_deliverable, echo_task, loud_deliverable, program_deliverable
from underspec.grade.grader import Grade, grade_in_full
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import Owner
from underspec.task.model import Task

SUITES = 3
FILES, BYTES = 20_000, 160_000_000


def _grade(task: Task, deliverable: Path, backend_name: str) -> Grade:
    backend = load_backend(backend_name)
    graded = asyncio.run(
        grade_in_full(task, deliverable, backend, image="host", owner=Owner(run="bench", purpose=deliverable.name))
    )
    if not graded.outcomes.clean:
        raise RuntimeError(f"the deliverable {deliverable.name} should be clean: {graded.outcomes.overall}")
    return graded


def _wall(grade: Grade) -> float:
    return sum(timings.total for timings in grade.timings.values())


def grading(backend_name: str, rounds: int = 5) -> dict[str, Any]:
    """Overhead of 3 suites × 20 cases, and wall time with 20,000 files (160 MB) over the time without them.

    With docker, the overhead's ``ratio`` is that of one suite over ``docker run --rm IMAGE true``.
    """
    with tempfile.TemporaryDirectory(prefix="underspec-bench-") as name:
        folder = Path(name)
        task = echo_task(folder)
        small = program_deliverable(folder / "small")
        large = program_deliverable(folder / "large")
        bare = echo_deliverable(folder / "bare")
        add_files(large, files=FILES, total_bytes=BYTES)
        without, with_files, overhead, alone, ratios = [], [], [], [], []
        plain: list[float] = []
        for _ in range(rounds):
            # Turn about, so that a slow moment of the machine meets both.
            one, other = _grade(task, small, backend_name), _grade(task, large, backend_name)
            without.append(_wall(one))
            with_files.append(_wall(other))
            ratios.append(_wall(other) / _wall(one))
            overhead.append(one.overhead)
            alone.append(_wall(_grade(task, bare, backend_name)))
            if backend_name == "docker" and (seconds := plain_run()) is not None:
                plain.append(seconds)
    more = {}
    if plain:
        # A suite has a sandbox of its own; its measure is a container that does nothing.
        run = statistics.median(plain)
        more = {"ratio": statistics.median(overhead) / SUITES / run, "baseline": run}
    return {
        f"grading_overhead_{backend_name}": figure(statistics.median(overhead), "s", **more),
        f"grading_3x20_{backend_name}": figure(statistics.median(without), "s"),
        f"grading_3x20_one_shell_{backend_name}": figure(statistics.median(alone), "s"),
        f"grading_20000_files_{backend_name}": figure(
            statistics.median(with_files),
            "s",
            ratio=statistics.median(ratios),
            baseline=statistics.median(without),
        ),
    }


_PEAK = """
import asyncio, json, re, resource, sys
from pathlib import Path
from bench.tasks import echo_task
from underspec.grade.grader import grade_in_full
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import Owner
from underspec.task.load import load_task
task, deliverable, backend = load_task(Path(sys.argv[1])), Path(sys.argv[2]), load_backend(sys.argv[3])
grade = asyncio.run(grade_in_full(task, deliverable, backend, image="host", owner=Owner(run="bench", purpose="loud")))
seconds = sum(each.total for each in grade.timings.values())
own = re.search(r"^VmHWM:\\s*([0-9]+) kB$", Path("/proc/self/status").read_text(), re.M)[1]
print(json.dumps([int(own) * 1024,  # not ru_maxrss, which begins with what the starting process held
                  resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, seconds]))
"""


def peak_memory(backend_name: str) -> dict[str, Any]:
    """Peak memory of the harness (and of its largest helper process) while a deliverable prints 1 GB a suite."""
    with tempfile.TemporaryDirectory(prefix="underspec-bench-") as name:
        folder = Path(name)
        task = echo_task(folder)
        loud = loud_deliverable(folder / "loud")
        done = subprocess.run(
            [sys.executable, "-c", _PEAK, str(task.path), str(loud), backend_name],
            check=True,
            capture_output=True,
            text=True,
        )
    own, helpers, seconds = json.loads(done.stdout)
    mebibyte = 1024**2
    return {
        f"peak_memory_1gb_stdout_{backend_name}": figure(
            max(own, helpers) / mebibyte, "MiB", harness=own / mebibyte, helper=helpers / mebibyte, seconds=seconds
        )
    }

"""Ten builds at once by an agent with a scripted model: what the harness holds, and how long it takes beside them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.figures import figure
from bench.tasks import echo_task

BUILDS = 10
STEPS, STEP_SECONDS = 5, 2.0
_WRITE = (
    'mkdir -p rcb_tests; printf \'here="${BASH_SOURCE[0]%%/*}"; mkdir -p "$here/stdout/$2"\\n\' > rcb_tests/test.sh; '
    f"sleep {STEP_SECONDS}"
)

_RUN = """
import asyncio, json, re, sys
from pathlib import Path
from underspec.run.executor import execute
from underspec.run.experiment import make_experiment
from underspec.run.prepare import begin, prepare
from underspec.sandbox.backends import load_backend
task, model, runs, backend, builds = sys.argv[1:6]
plan = make_experiment({"tasks": [task], "epochs": int(builds), "condition": {"agent": "react", "model": model}})
prepared = prepare(plan, backend=load_backend(backend), runs=Path(runs))
begin(prepared, concurrency=int(builds))
asyncio.run(execute(prepared.context, prepared.items, concurrency=int(builds)))
own = re.search(r"^VmHWM:\\s*([0-9]+) kB$", Path("/proc/self/status").read_text(), re.M)[1]
from underspec.report.collect import collect
logs = (prepared.context.store.path / "items").glob("*/build/attempts/*/log.jsonl")
events = [json.loads(line) for log in logs for line in log.read_text().splitlines()]
began = min(each["time"] for each in events if each["event"] == "sandbox started")
ended = max(each["time"] for each in events if each["event"] == "built")
done = sum(each.outcomes is not None for each in collect(prepared.context.store))
print(json.dumps([int(own) / 1024, ended - began, done]))
"""


def agents(backend_name: str) -> dict[str, Any]:
    """``ten_builds``: seconds from the first sandbox to the last sealed deliverable, against what their own commands
    take; memory of the harness (its highest, in MiB) and how many of the ten were brought to their end."""
    with tempfile.TemporaryDirectory(prefix="underspec-bench-") as name:
        folder = Path(name)
        task = echo_task(folder)
        call = {"name": "shell", "arguments": {"command": _WRITE}}
        usage = {"input": 1000, "output": 50}
        turns: list[dict[str, Any]] = [{"text": "Working.", "calls": [call], "usage": usage} for _ in range(STEPS)]
        turns.append({"text": "Done.", "usage": usage})
        script = folder / "script.jsonl"
        script.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
        began = time.monotonic()
        arguments = [str(task.path), f"scripted/{script}", str(folder / "runs"), backend_name, str(BUILDS)]
        done = subprocess.run(
            [sys.executable, "-c", _RUN, *arguments],
            check=True,
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[1],
        )
        seconds = time.monotonic() - began
    memory, wall, finished = json.loads(done.stdout.splitlines()[-1])
    alone = STEPS * STEP_SECONDS
    return {
        f"ten_builds_{backend_name}": figure(
            wall, "s", ratio=wall / alone, baseline=alone, memory=memory, finished=finished, whole=seconds
        )
    }

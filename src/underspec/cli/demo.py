"""``underspec demo``: the main job, end to end, without account, model or Docker."""

from __future__ import annotations

from pathlib import Path

import typer

from underspec.cli.common import JSON_OPTION, RUNS_OPTION, command, run_async

AGENTS = ("golden", "asker", "eager", "nop")


@command
def demo(runs: Path = RUNS_OPTION, as_json: bool = JSON_OPTION) -> None:
    """Four scripted agents build one real small library from a fuzzy request, and are graded.

    They ask the stakeholder over HTTP from inside real sandboxes; black-box cases are run in fresh ones. The table at
    the end should show golden at 100, nop at 0, and asker above eager.
    """
    from underspec.cli.common import ready_backend
    from underspec.cli.run import execute_with_progress, report_on
    from underspec.run.experiment import make_experiment
    from underspec.run.prepare import prepare

    backend = ready_backend("bubblewrap")
    experiment = make_experiment({"name": "demo", "tasks": ["data-sizes"], "grid": {"agent": list(AGENTS)}})
    prepared = prepare(experiment, backend=backend, runs=runs)
    typer.echo(f"{len(prepared.items)} items: agents {', '.join(AGENTS)} on task data-sizes, exposure L1", err=True)
    run_async(execute_with_progress(prepared, concurrency=2))
    report_on(prepared, as_json)

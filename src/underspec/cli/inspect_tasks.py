"""Tasks for people who live in Inspect: ``inspect eval underspec/build -T task=data-sizes --model provider/name``.

Each sample is one item of a run of ours: the same phases, the same store, the same verdict, which is the sample's
score. Limits of the evaluation (tokens, time, cost) hold beside our own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

import underspec.model.scripted_provider  # noqa: F401  # registers it, for `--model scripted/FILE`
from underspec.agent.protocol import needs_model
from underspec.report.collect import collect_item
from underspec.run.executor import run_item
from underspec.run.experiment import make_experiment
from underspec.run.prepare import Prepared, begin, prepare
from underspec.run.presets import with_preset
from underspec.sandbox.backends import load_backend


@task
def build(
    task: str = "data-sizes",
    exposure: str = "L1",
    agent: str = "react",
    budget: int = 16,
    router: str | None = None,
    preset: str | None = None,
    sandbox: str = "bubblewrap",
    runs: str = "runs",
    run: str | None = None,
    structure: bool = True,
    critic_model: str | None = None,
    critic_repeats: int = 1,
    **condition: Any,
) -> Task:
    """Ask while building (ICAE III-E): one sample for each task, scored by the share of cases that pass.

    Args:
        task: ids or folders of tasks, separated by commas.
        exposure: how much the request shows: L1, L2, L3, ground or recovered.
        agent: who builds, with the evaluation's model.
        budget: questions allowed.
        router: who finds the records.
        preset: settings of a paper; see ``underspec run --preset``.
        sandbox: bubblewrap or docker.
        runs: the folder of runs.
        run: the run's name; made from the plan when left out.
        structure: compare deliverables with golden sources, beside the score.
        critic_model: who reviews them beside these; nobody when left out.
        critic_repeats: verdicts of the critic for each of its scores.
        condition: further fields of a condition.
    """
    model = get_model()
    fields = {"agent": agent, "exposure": exposure, "budget": budget, "model": str(model), **condition}
    if router is not None:
        fields["router"] = router
    beside = {"structure": structure, "critic_model": critic_model, "critic_repeats": critic_repeats}
    plan = make_experiment({"name": "inspect", "tasks": task.split(","), "condition": fields, **beside})
    prepared = prepare(with_preset(plan, preset), backend=load_backend(sandbox), runs=Path(runs), run=run)
    if needs_model(prepared.context.agents[agent]):
        # As the evaluation opened it, with its base URL, arguments and settings.
        prepared.context.adopted[str(model)] = model
        prepared.context.models.pop(str(model))
    begin(prepared, concurrency=1)
    samples = [
        Sample(id=item.folder, input=f"{item.task} at {item.condition.exposure}", metadata={"item": item.id})
        for item in prepared.items
    ]
    return Task(dataset=samples, solver=item_solver(prepared), scorer=cases(prepared), name="underspec/build")


@solver(name="underspec/item")
def item_solver(prepared: Prepared) -> Solver:
    """Runs the phases of the sample's item."""
    items = {item.folder: item for item in prepared.items}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await run_item(prepared.context, items[str(state.sample_id)])
        return state

    return solve


@scorer(metrics=[mean(), stderr()], name="underspec/cases")
def cases(prepared: Prepared) -> Scorer:
    """The share of all cases that pass, and what else the report has of the item. No score where there is none."""
    items = {item.folder: item for item in prepared.items}

    async def score(state: TaskState, target: Target) -> Score | None:
        found = collect_item(prepared.context.store, items[str(state.sample_id)])
        if found.outcomes is None:
            reason = found.unscored.reason if found.unscored else "not finished"
            raise RuntimeError(f"unscored: {found.boundary}: {reason}")
        overall = found.outcomes.overall
        turns = found.session.turns if found.session else ()
        return Score(
            value=overall.rate or 0.0,
            explanation=f"{overall.passed} of {overall.total} cases pass",
            metadata={"clean": found.outcomes.clean, "questions": len(turns), "ended": found.end and found.end.ended},
        )

    return score

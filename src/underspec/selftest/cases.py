"""Deliverables of the toy task, graded as any other."""

from __future__ import annotations

from pathlib import Path

from underspec.artifact.outcomes import Outcomes
from underspec.grade.grader import grade_deliverable
from underspec.sandbox.protocol import SandboxBackend
from underspec.selftest.deliverables import forged, havoc, outputs, scripts, trees
from underspec.selftest.deliverables.pairs import MEMORY, Deliverable, Pair
from underspec.selftest.deliverables.toy import INPUTS, TOTALS, toy_task
from underspec.selftest.trial import OWNER, Role, Trial

PAIRS: tuple[Pair, ...] = (*outputs.PAIRS, *forged.PAIRS, *trees.PAIRS, *scripts.PAIRS, *havoc.PAIRS)


async def graded(pair: Pair, deliverable: Deliverable, backend: SandboxBackend, folder: Path) -> Outcomes:
    """Build a deliverable in the empty ``folder``, and grade it."""
    deliverable.build(folder)
    task = toy_task({name: INPUTS[name] for name in pair.suites}, **pair.limits)
    return await grade_deliverable(task, folder, backend, image="host", owner=OWNER)


def wrong_with(pair: Pair, deliverable: Deliverable, outcomes: Outcomes, *, memory_is_told: bool = True) -> str | None:
    """What is wrong with a verdict. Without ``memory_is_told`` this machine cannot tell who met a memory limit."""
    passed = {name: outcomes.rate_of(outcomes.suite(name)).passed for name in pair.suites}
    deserved = {name: deliverable.deserves[name] for name in pair.suites}
    if passed != deserved:
        return f"passes {passed}, deserves {deserved}"
    total = sum(TOTALS[name] for name in pair.suites)
    if len(outcomes.cases) != total:
        return f"{len(outcomes.cases)} cases of {total} were counted"
    if deliverable.states is not None and (MEMORY not in deliverable.states or memory_is_told):
        seen = {str(state) for end in outcomes.suites for state in end.states}
        if seen != deliverable.states:
            return f"shows {sorted(seen)}, and what happened was {sorted(deliverable.states)}"
    return None


def memory_is_told(backend: SandboxBackend) -> bool:
    """Whether control groups say who met a memory limit; an ordinary user may lack the right to make any."""
    return any(check.name == "memory limit" and check.ok for check in backend.checks())


def _trial(pair: Pair, deliverable: Deliverable, role: Role) -> Trial:
    async def run(backend: SandboxBackend, folder: Path) -> str | None:
        outcomes = await graded(pair, deliverable, backend, folder)
        return wrong_with(pair, deliverable, outcomes, memory_is_told=memory_is_told(backend))

    return Trial("cases", pair.name, role, run)


def trials() -> list[Trial]:
    """Every pair. The plain honest deliverable stands beside many, and is graded once."""
    hostile = [_trial(pair, pair.hostile, "hostile") for pair in PAIRS]
    beside = list({pair.honest.build: pair for pair in PAIRS}.values())
    return hostile + [_trial(pair, pair.honest, "honest") for pair in beside]

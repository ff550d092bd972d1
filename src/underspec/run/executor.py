"""The local executor: every planned item through its phases, a bounded number at a time, resumable at any point.

First all items are brought to their scores. What stands beside the scores is found out after that, so that neither a
registry that does not answer nor a critic that has spent the run's money keeps an item from being graded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from underspec.agent.protocol import needs_model
from underspec.artifact.files import host_exhaustion
from underspec.artifact.threads import in_thread
from underspec.errors import (
    ClaimLostError,
    EnvironmentLacksError,
    HarnessError,
    HostExhaustedError,
    TaskError,
    UnderspecError,
    UsageError,
)
from underspec.model.limits import CostLimitError
from underspec.phase.work import Work
from underspec.run.claim import Claim
from underspec.run.context import BY_LANGUAGE, RunContext, builder_model, image_of
from underspec.run.item import Item
from underspec.run.protocols import BESIDE, Made, Step, all_steps, build_inputs, grade_inputs, steps_beside, steps_of
from underspec.run.standing import ItemStatus, choose, chosen, status
from underspec.run.store import Attempt
from underspec.sandbox.protocol import Owner
from underspec.stakeholder.router import RouterWithModel

__all__ = [
    "BY_LANGUAGE",
    "ItemStatus",
    "RunContext",
    "build_inputs",
    "builder_model",
    "calls_models",
    "choose",
    "ensure_step",
    "execute",
    "grade_inputs",
    "image_of",
    "run_item",
    "run_steps",
    "scoring_calls_models",
    "status",
]

EVIDENCE = "evidence"
REVIEWS = "reviews"
"""Where, in the folder of evidence, the logs of critics are: an item's own conversation is in none of them."""
CLAIM_POLL = 0.5
RETRY_PAUSE = 0.5
# These end the whole run: every other item would meet them too, and none of them is an attempt that was used up.
_FATAL = (HostExhaustedError, EnvironmentLacksError, TaskError, UsageError)
_FATAL_BESIDE = (HostExhaustedError, CostLimitError)


async def execute(context: RunContext, items: Sequence[Item], *, concurrency: int) -> None:
    """Bring every item to its end: scored, or unscored after failures that were not its own; then what stands beside.

    Raises:
        HostExhaustedError, EnvironmentLacksError, TaskError, UsageError: the run cannot go on; what is finished stays.
    """
    await asyncio.to_thread(context.backend.reap)
    # Before anything runs, so that an interrupted run with changed inputs shows no verdict of the earlier ones.
    for item in items:
        await asyncio.to_thread(choose, context, item)
    await _round(context, items, _score, _score_talks, concurrency)
    if context.structure:
        await _round(context, items, _compare, _never_talks, concurrency)
    if context.critic is not None:
        await _round(context, items, _review, _review_talks, concurrency, REVIEWS)


async def _round(
    context: RunContext,
    items: Sequence[Item],
    work: Callable[[RunContext, Item], Awaitable[None]],
    talks: Callable[[RunContext, Item], bool],
    concurrency: int,
    logs: str = ".",
) -> None:
    """Await ``work`` for every item, in the model engine where it ``talks`` to models."""

    async def one(item: Item) -> None:
        try:
            await work(context, item)
        except OSError as error:
            raise HarnessError(
                f"the run's folder cannot be used: {error.strerror}",
                file=str(error.filename or context.store.path),
                mend="see what is in its place and who may write there, and run the same command again",
            ) from error

    # What is finished is tidied up without the engine, which takes seconds to start and keeps a log.
    with_models: list[Item] = []
    others: list[Item] = []
    for item in items:
        (with_models if await asyncio.to_thread(talks, context, item) else others).append(item)
    try:
        async with asyncio.TaskGroup() as group:
            gate = asyncio.Semaphore(concurrency)
            for item in others:
                group.create_task(_behind(gate, one, item))
    except* UnderspecError as failures:
        raise _first(failures) from failures
    if with_models:
        from underspec.run.engine import evaluate

        await evaluate(with_models, one, concurrency=concurrency, logs=context.store.path / EVIDENCE / logs)


async def _score(context: RunContext, item: Item) -> None:
    await run_steps(context, item, steps_of(item.condition))


async def _compare(context: RunContext, item: Item) -> None:
    await _run_beside(context, item, "structure")


async def _review(context: RunContext, item: Item) -> None:
    await _run_beside(context, item, "review")


def _score_talks(context: RunContext, item: Item) -> bool:
    return scoring_calls_models(context, item) and bool(status(context, item).to_score)


def _never_talks(context: RunContext, item: Item) -> bool:
    return False


def _review_talks(context: RunContext, item: Item) -> bool:
    return "review" in status(context, item).waiting


async def _behind(gate: asyncio.Semaphore, work: Callable[[Item], Awaitable[None]], item: Item) -> None:
    async with gate:
        await work(item)


def scoring_calls_models(context: RunContext, item: Item) -> bool:
    """Whether the item's score needs the model engine: its agent's model, or its stakeholder's."""
    condition = item.condition
    if condition.protocol != "build":
        return True
    asks_model = condition.asks and isinstance(context.routers[condition.router], RouterWithModel)
    return asks_model or needs_model(context.agents[condition.agent])


def calls_models(context: RunContext, item: Item) -> bool:
    """Whether work on the item needs the model engine, a critic's among it."""
    return scoring_calls_models(context, item) or any(step.paid for step in steps_beside(context, item))


def _first(group: BaseExceptionGroup[UnderspecError]) -> UnderspecError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, UnderspecError)
    return error


async def run_item(context: RunContext, item: Item) -> None:
    """Bring one item to its end, and find out what stands beside its score; see :func:`execute`. A phase that comes to
    nothing keeps those that need it from being run, and no others."""
    await _score(context, item)
    for step in steps_beside(context, item):
        await _run_beside(context, item, step.phase)


async def run_steps(context: RunContext, item: Item, steps: Sequence[Step]) -> Made:
    """Run phases in order; returns the artifacts that there are."""
    made: dict[str, Path] = {}
    for step in steps:
        if all(need in made for need in step.needs):
            await ensure_step(context, item, step, made)
    context.progress(item, "done" if len(made) == len(steps) else "unscored")
    return made


async def _run_beside(context: RunContext, item: Item, phase: str) -> None:
    """One phase beside the score, where the item has it and has come to what it needs."""
    state = status(context, item)
    made = dict(state.made)
    for step in all_steps(context, item):
        if step.phase == phase and all(need in made for need in step.needs):
            await ensure_step(context, item, step, made)
    # A comparison takes a second; what a critic takes longer for is worth a word.
    context.progress(item, "reviewed" if phase == "review" and phase in state.waiting and phase in made else "")


async def ensure_step(context: RunContext, item: Item, step: Step, made: dict[str, Path]) -> Path | None:
    """The artifact of one phase, made if need be and then added to ``made``; None when its attempts are used up."""
    found = chosen(context, item, step, made)
    if found.artifact is not None:
        await in_thread(context.store.phase(item, step.phase).tidy)
        return found.artifact
    job = _Job(context, item, step.phase, found.key, partial(step.run, found.inputs))
    artifact = await _ensure(job)
    if artifact is not None:
        made[step.phase] = artifact
    return artifact


@dataclass(frozen=True)
class _Job:
    """One phase to be run under one key."""

    context: RunContext
    item: Item
    phase: str
    key: str
    run: Callable[[Work], Awaitable[None]]

    def ends_the_run(self, error: UnderspecError) -> bool:
        """Whether every other item would meet it too. What stands beside the scores ends nothing but itself, unless the
        machine or the run's money is at its end."""
        return isinstance(error, _FATAL_BESIDE if self.phase in BESIDE else _FATAL)


async def _ensure(job: _Job) -> Path | None:
    """The phase's artifact under its key, made if need be; None when its attempts are used up."""
    folder = job.context.store.phase(job.item, job.phase)
    while True:
        found = folder.artifact(job.key)
        if found is not None or folder.given_up(job.key):
            await in_thread(folder.tidy)
            return found
        await asyncio.sleep(await _attempt(job))


async def _attempt(job: _Job) -> float:
    """One attempt. Returns the seconds to wait before one looks again."""
    folder = job.context.store.phase(job.item, job.phase)
    claim = folder.claim()
    if not claim.acquire():
        job.context.progress(job.item, f"{job.phase}: waiting for another worker")
        return CLAIM_POLL
    try:
        async with claim.kept_alive():
            if folder.artifact(job.key) is not None:
                return 0.0
            return 0.0 if await _work(job, claim) else RETRY_PAUSE
    except ClaimLostError:
        # Whoever has it now does the same work, from the start; ours is in the log of its attempt.
        job.context.progress(job.item, f"{job.phase}: taken over by another worker")
        return CLAIM_POLL


async def _work(job: _Job, claim: Claim) -> bool:
    """The work of one attempt, with the claim held. Returns whether it succeeded; a failure is recorded."""
    context, item, phase = job.context, job.item, job.phase
    folder = context.store.phase(item, phase)
    attempt = await in_thread(folder.new_attempt, job.key)
    context.progress(item, phase)
    work = Work(
        backend=context.backend,
        owner=Owner(run=context.store.path.name, purpose=f"{phase} {item.folder}"),
        attempt=attempt.path,
        artifact=attempt.artifact,
        scratch=folder.scratch,
        log=attempt.log,
        progress=lambda words: context.progress(item, f"{phase}: {words}"),
        run_cost=context.run_cost,
        prices=context.prices,
    )
    try:
        with host_exhaustion(attempt.path):
            await job.run(work)
            await in_thread(folder.publish, attempt, job.key, claim)
        return True
    except ClaimLostError as error:
        attempt.log("stopped", reason=str(error))
        raise
    except UnderspecError as error:
        if job.ends_the_run(error):
            attempt.log("stopped", reason=str(error))
            raise
        _record(attempt, error)
    except OSError as error:
        _record(attempt, HarnessError(f"{type(error).__name__}: {error}", file=str(error.filename or "")))
    return False


def _record(attempt: Attempt, failure: UnderspecError) -> None:
    attempt.log("failed", boundary=str(failure.boundary), reason=str(failure))
    # A task that is wrong, or a machine that lacks something, is the same the next time; whoever mends it says
    # --retry-unscored.
    attempt.fail(failure, final=isinstance(failure, TaskError | UsageError | EnvironmentLacksError))

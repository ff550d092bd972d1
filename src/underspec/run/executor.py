"""The local executor: every planned item through its phases, a bounded number at a time, resumable at any point."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
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
from underspec.phase.work import Work
from underspec.run.claim import Claim
from underspec.run.context import BY_LANGUAGE, RunContext, builder_model, image_of
from underspec.run.item import Item
from underspec.run.protocols import Inputs, Made, Step, build_inputs, grade_inputs, steps_of
from underspec.run.store import MAX_ATTEMPTS, Attempt, Choice, PhaseFolder
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
    "status",
]

EVIDENCE = "evidence"
NOTHING_YET = "0" * 64
"""No phase's key: what a phase goes by as long as it is not known what it reads."""
CLAIM_POLL = 0.5
RETRY_PAUSE = 0.5
# These end the whole run: every other item would meet them too, and none of them is an attempt that was used up.
_FATAL = (HostExhaustedError, EnvironmentLacksError, TaskError, UsageError)


@dataclass(frozen=True)
class ItemStatus:
    """Where an item stands. ``made`` are its artifacts by phase; ``stale`` names phases whose artifact was made from
    other inputs than today's; ``exhausted``: attempts at a phase are used up, and nothing else is left to do."""

    made: Mapping[str, Path]
    stale: tuple[str, ...]
    exhausted: bool
    complete: bool

    @property
    def built(self) -> Path | None:
        """The artifact that holds the deliverable."""
        return self.made.get("build") or self.made.get("implement")

    @property
    def graded(self) -> Path | None:
        """The artifact that says what the deliverable is worth."""
        return self.made.get("grade") or self.made.get("accept")

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return self.exhausted or self.complete


@dataclass(frozen=True)
class _Found:
    """Where one step of an item stands: the artifact to go on with, if there is one, and whether it is stale."""

    inputs: Inputs
    key: str
    artifact: Path | None
    stale: bool


def _find(context: RunContext, item: Item, step: Step, made: Made) -> _Found:
    """An artifact under today's key is used. One under another key is stale where models worked on it: it was paid for
    and stays, unless it is to be redone, or was made from other artifacts than those that the item goes by."""
    folder = context.store.phase(item, step.phase)
    inputs = step.inputs(context, item, made)
    key = inputs.key()
    current = folder.artifact(key)
    if current is not None or not step.paid or step.phase in context.redo:
        return _Found(inputs, key, current, stale=False)
    for earlier in reversed(folder.artifacts()):
        if step.follows(inputs, earlier):
            return _Found(inputs, key, earlier, stale=True)
    return _Found(inputs, key, None, stale=False)


def status(context: RunContext, item: Item) -> ItemStatus:
    """Where an item stands, without running anything."""
    made: dict[str, Path] = {}
    stale: list[str] = []
    dead: set[str] = set()
    steps = steps_of(item.condition)
    for step in steps:
        if dead & set(step.needs):
            dead.add(step.phase)
        elif all(need in made for need in step.needs):
            found = _find(context, item, step, made)
            if found.artifact is not None:
                made[step.phase] = found.artifact
                stale += [step.phase] if found.stale else []
            elif _used_up(context.store.phase(item, step.phase), found.key):
                dead.add(step.phase)
    nothing_left = len(made) + len(dead) == len(steps)
    return ItemStatus(made, tuple(stale), exhausted=bool(dead) and nothing_left, complete=len(made) == len(steps))


def _used_up(folder: PhaseFolder, key: str) -> bool:
    return len(folder.failures(key)) >= MAX_ATTEMPTS


async def execute(context: RunContext, items: Sequence[Item], *, concurrency: int) -> None:
    """Bring every item to its end: scored, or unscored after :data:`MAX_ATTEMPTS` failures that were not its own.

    Raises:
        HostExhaustedError, EnvironmentLacksError, TaskError, UsageError: the run cannot go on; what is finished stays.
    """
    await asyncio.to_thread(context.backend.reap)
    # Before anything runs, so that an interrupted run with changed inputs shows no verdict of the earlier ones.
    for item in items:
        await asyncio.to_thread(choose, context, item)

    async def one(item: Item) -> None:
        try:
            await run_item(context, item)
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
        talks = calls_models(context, item) and not await asyncio.to_thread(_is_done, context, item)
        (with_models if talks else others).append(item)
    try:
        async with asyncio.TaskGroup() as group:
            gate = asyncio.Semaphore(concurrency)
            for item in others:
                group.create_task(_behind(gate, one, item))
    except* UnderspecError as failures:
        raise _first(failures) from failures
    if with_models:
        from underspec.run.engine import evaluate

        await evaluate(with_models, one, concurrency=concurrency, logs=context.store.path / EVIDENCE)


def _is_done(context: RunContext, item: Item) -> bool:
    return status(context, item).done


async def _behind(gate: asyncio.Semaphore, work: Callable[[Item], Awaitable[None]], item: Item) -> None:
    async with gate:
        await work(item)


def calls_models(context: RunContext, item: Item) -> bool:
    """Whether work on the item needs the model engine: its agent's model, or its stakeholder's."""
    condition = item.condition
    if condition.protocol != "build":
        return True
    asks_model = condition.asks and isinstance(context.routers[condition.router], RouterWithModel)
    return asks_model or needs_model(context.agents[condition.agent])


def _first(group: BaseExceptionGroup[UnderspecError]) -> UnderspecError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, UnderspecError)
    return error


def choose(context: RunContext, item: Item) -> None:
    """Record by which artifacts the item goes. A phase of which that is not known yet goes by none."""
    made: dict[str, Path] = {}
    for step in steps_of(item.condition):
        if all(need in made for need in step.needs):
            _chosen(context, item, step, made)
        else:
            context.store.phase(item, step.phase).choose(Choice(NOTHING_YET, stale=False))


def _chosen(context: RunContext, item: Item, step: Step, made: dict[str, Path]) -> _Found:
    """The same for one step; what is there is added to ``made``."""
    found = _find(context, item, step, made)
    key = found.artifact.name if found.artifact is not None else found.key
    context.store.phase(item, step.phase).choose(Choice(key, found.stale))
    if found.artifact is not None:
        made[step.phase] = found.artifact
    return found


async def run_item(context: RunContext, item: Item) -> None:
    """Bring one item to its end; see :func:`execute`. A phase that comes to nothing keeps those that need it from being
    run, and no others."""
    steps = steps_of(item.condition)
    await run_steps(context, item, steps)


async def run_steps(context: RunContext, item: Item, steps: Sequence[Step]) -> Made:
    """Run phases in order; returns the artifacts that there are."""
    made: dict[str, Path] = {}
    for step in steps:
        if all(need in made for need in step.needs):
            await ensure_step(context, item, step, made)
    context.progress(item, "done" if len(made) == len(steps) else "unscored")
    return made


async def ensure_step(context: RunContext, item: Item, step: Step, made: dict[str, Path]) -> Path | None:
    """The artifact of one phase, made if need be and then added to ``made``; None when its attempts are used up."""
    found = _chosen(context, item, step, made)
    if found.artifact is not None:
        await in_thread(context.store.phase(item, step.phase).tidy)
        return found.artifact
    artifact = await _ensure(context, item, step.phase, found.key, partial(step.run, found.inputs))
    if artifact is not None:
        made[step.phase] = artifact
    return artifact


async def _ensure(
    context: RunContext, item: Item, phase: str, key: str, run: Callable[[Work], Awaitable[None]]
) -> Path | None:
    """The phase's artifact under ``key``, made if need be; None when its attempts are used up."""
    folder = context.store.phase(item, phase)
    while True:
        found = folder.artifact(key)
        if found is not None or _used_up(folder, key):
            await in_thread(folder.tidy)
            return found
        await asyncio.sleep(await _attempt(context, item, phase, key, run))


async def _attempt(
    context: RunContext, item: Item, phase: str, key: str, run: Callable[[Work], Awaitable[None]]
) -> float:
    """One attempt. Returns the seconds to wait before one looks again."""
    folder = context.store.phase(item, phase)
    claim = folder.claim()
    if not claim.acquire():
        context.progress(item, f"{phase}: waiting for another worker")
        return CLAIM_POLL
    try:
        async with claim.kept_alive():
            if folder.artifact(key) is not None:
                return 0.0
            return 0.0 if await _work(context, item, phase, key, run, claim) else RETRY_PAUSE
    except ClaimLostError:
        # Whoever has it now does the same work, from the start; ours is in the log of its attempt.
        context.progress(item, f"{phase}: taken over by another worker")
        return CLAIM_POLL


async def _work(
    context: RunContext, item: Item, phase: str, key: str, run: Callable[[Work], Awaitable[None]], claim: Claim
) -> bool:
    """The work of one attempt, with the claim held. Returns whether it succeeded; a failure is recorded."""
    folder = context.store.phase(item, phase)
    attempt = await in_thread(folder.new_attempt, key)
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
            await run(work)
            await in_thread(folder.publish, attempt, key, claim)
        return True
    except (*_FATAL, ClaimLostError) as error:
        attempt.log("stopped", reason=str(error))
        raise
    except UnderspecError as error:
        _record(attempt, error)
    except OSError as error:
        _record(attempt, HarnessError(f"{type(error).__name__}: {error}", file=str(error.filename or "")))
    return False


def _record(attempt: Attempt, failure: UnderspecError) -> None:
    attempt.log("failed", boundary=str(failure.boundary), reason=str(failure))
    attempt.fail(failure)

"""The local executor: every planned item through its phases, a bounded number at a time, resumable at any point."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from underspec.agent.protocol import Agent, needs_model
from underspec.artifact.condition import Condition
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
from underspec.model.cost_counter import CostCounter
from underspec.model.prices import Prices
from underspec.model.spec import ModelSpec
from underspec.phase.build import BuildInputs, build
from underspec.phase.grade import GradeInputs, grade
from underspec.phase.work import Work
from underspec.run.claim import Claim
from underspec.run.item import Item
from underspec.run.plan import Tasks
from underspec.run.store import MAX_ATTEMPTS, Attempt, Choice, PhaseFolder, RunStore
from underspec.sandbox.egress.lists import Lists
from underspec.sandbox.images.recipe import recipe_for
from underspec.sandbox.protocol import Owner, SandboxBackend
from underspec.stakeholder.router import Router, RouterWithModel

if TYPE_CHECKING:
    from inspect_ai.model import Model

BY_LANGUAGE = "language"
EVIDENCE = "evidence"
CLAIM_POLL = 0.5
RETRY_PAUSE = 0.5
# These end the whole run: every other item would meet them too, and none of them is an attempt that was used up.
_FATAL = (HostExhaustedError, EnvironmentLacksError, TaskError, UsageError)


class Inputs(Protocol):
    """What a phase is run on."""

    def key(self) -> str:
        """The phase's key."""


@dataclass
class RunContext:
    """All that an executor works with.

    ``use_image`` stands in for every task's base image: a name, or ``language`` for the catalogue's of each language.
    ``models`` are specifications by the names that conditions use, ``adopted`` models that somebody else
    opened. ``run_cost`` counts what all models cost together. ``lists`` say what networks reach, the packaged ones when
    None.
    """

    store: RunStore
    tasks: Tasks
    backend: SandboxBackend
    agents: dict[str, Agent]
    routers: dict[str, Router]
    image_digests: dict[str, str]
    redo: frozenset[str] = frozenset()
    use_image: str | None = None
    models: dict[str, ModelSpec] = field(default_factory=dict)
    adopted: dict[str, Model] = field(default_factory=dict)
    run_cost: CostCounter = field(default_factory=CostCounter)
    prices: Prices | None = None
    lists: Lists | None = None
    progress: Callable[[Item, str], None] = field(default=lambda item, what: None)


@dataclass(frozen=True)
class ItemStatus:
    """Where an item stands. ``stale`` names phases whose artifact was made from other inputs than today's."""

    built: Path | None
    graded: Path | None
    stale: tuple[str, ...]
    exhausted: bool

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return self.exhausted or self.graded is not None


def image_of(context: RunContext, item: Item) -> str:
    """The image that the item's condition picks from its task, unless the run uses another for all base images.

    Raises:
        UsageError: the task has no provisioned image, or the catalogue has none of its language.
    """
    task = context.tasks[item.task]
    if item.condition.image == "base":
        if context.use_image == BY_LANGUAGE:
            return recipe_for(item.condition.language or task.toml.language).name
        return context.use_image or task.toml.image.base
    if task.toml.image.provisioned is None:
        raise UsageError(f"task {task.id} has no provisioned image", mend="use --image base for this task")
    return task.toml.image.provisioned


def build_inputs(context: RunContext, item: Item) -> BuildInputs:
    """What the item's build reads."""
    image = image_of(context, item)
    return BuildInputs(
        task=context.tasks[item.task],
        condition=item.condition,
        agent=context.agents[item.condition.agent],
        router=context.routers[item.condition.router],
        image=image,
        image_digest=context.image_digests[image],
        model=builder_model(context, item.condition),
        adopted=context.adopted.get(item.condition.model or ""),
        stakeholder_model=context.models.get(item.condition.stakeholder_model or ""),
        lists=context.lists,
    )


def builder_model(context: RunContext, condition: Condition) -> ModelSpec | None:
    """The model that the condition's agent works with, thinking as the condition says."""
    if condition.model is None or condition.model in context.adopted:
        return None
    spec = context.models[condition.model]
    return spec if condition.thinking is None else spec.model_copy(update={"thinking": condition.thinking})


def grade_inputs(context: RunContext, item: Item, built: Path) -> GradeInputs:
    """What the item's grade reads."""
    image = image_of(context, item)
    return GradeInputs(
        task=context.tasks[item.task],
        condition=item.condition,
        built=built,
        image=image,
        image_digest=context.image_digests[image],
        lists=context.lists,
    )


def find_built(folder: PhaseFolder, key: str, *, redo: bool) -> tuple[Path | None, bool]:
    """The build to go on with, and whether it is stale.

    A build under today's key is used. One under another key is stale: it was paid for and stays, unless it is to be
    redone.
    """
    current = folder.artifact(key)
    if current is not None:
        return current, False
    earlier = folder.artifacts()
    if earlier and not redo:
        return earlier[-1], True
    return None, False


def status(context: RunContext, item: Item) -> ItemStatus:
    """Where an item stands, without running anything."""
    builds, grades = context.store.phase(item, "build"), context.store.phase(item, "grade")
    key = build_inputs(context, item).key()
    built, stale = find_built(builds, key, redo="build" in context.redo)
    if built is None:
        return ItemStatus(built=None, graded=None, stale=(), exhausted=_used_up(builds, key))
    key = grade_inputs(context, item, built).key()
    graded = grades.artifact(key)
    exhausted = graded is None and _used_up(grades, key)
    return ItemStatus(built=built, graded=graded, stale=("build",) if stale else (), exhausted=exhausted)


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
        await asyncio.to_thread(_choose_build, context, item)

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
    asks_model = condition.asks and isinstance(context.routers[condition.router], RouterWithModel)
    return asks_model or needs_model(context.agents[condition.agent])


def _first(group: BaseExceptionGroup[UnderspecError]) -> UnderspecError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, UnderspecError)
    return error


def _choose_build(context: RunContext, item: Item) -> tuple[BuildInputs, str, Path | None]:
    """Record by which build, and by which grade of it, the item goes; returns the build if there is one."""
    inputs = build_inputs(context, item)
    key = inputs.key()
    folder = context.store.phase(item, "build")
    built, stale = find_built(folder, key, redo="build" in context.redo)
    folder.choose(Choice(built.name if built else key, stale))
    if built is not None:
        grading = grade_inputs(context, item, built).key()
        context.store.phase(item, "grade").choose(Choice(grading, stale=False))
    return inputs, key, built


async def run_item(context: RunContext, item: Item) -> None:
    """Bring one item to its end; see :func:`execute`."""
    inputs, key, built = _choose_build(context, item)
    folder = context.store.phase(item, "build")
    if built is None:
        built = await _ensure(context, item, "build", key, lambda work: build(inputs, work))
    else:
        await in_thread(folder.tidy)
    if built is None:
        context.progress(item, "unscored")
        return
    grading = grade_inputs(context, item, built)
    key = grading.key()
    context.store.phase(item, "grade").choose(Choice(key, stale=False))
    graded = await _ensure(context, item, "grade", key, lambda work: grade(grading, work))
    context.progress(item, "done" if graded else "unscored")


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

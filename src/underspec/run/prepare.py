"""From an experiment to a context ready to execute: everything that can be wrong is said here, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.agent.protocol import Agent, needs_model
from underspec.agent.registry import load_agent
from underspec.artifact.condition import Condition
from underspec.errors import TaskError, UsageError
from underspec.model.cost_counter import CostCounter
from underspec.model.models import open_model
from underspec.model.prices import load_prices
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec, make_spec
from underspec.phase.compared import has_golden
from underspec.prompts import prompt_hashes
from underspec.run.beside import Critic
from underspec.run.context import RunContext, image_of
from underspec.run.experiment import Experiment
from underspec.run.item import Item
from underspec.run.manifest import FILE, make_manifest, read_manifest, write_manifest
from underspec.run.needs import check_protocol, check_roles, without_idle_roles
from underspec.run.plan import Tasks, plan_digest, plan_items
from underspec.run.prompts import own_prompts
from underspec.run.store import RunStore
from underspec.sandbox.egress.lists import load_lists, packaged_lists
from underspec.sandbox.egress.policy import VERSION as POLICY_VERSION
from underspec.sandbox.images.scan import refuse_spoiled
from underspec.sandbox.images.store import built_images
from underspec.sandbox.protocol import SandboxBackend
from underspec.stakeholder.router import Router, RouterWithModel, RouterWithPrompts, load_router
from underspec.task import release
from underspec.task.catalog import find_tasks
from underspec.task.load import load_task, read_toml
from underspec.task.runtimes import require_runtime

SPENT = "spent"
"""In a run's folder: what its models have cost so far."""


@dataclass(frozen=True)
class Prepared:
    """A plan, checked, and what executes it. Nothing has been written yet."""

    experiment: Experiment
    items: list[Item]
    context: RunContext


def load_tasks(selectors: Sequence[str]) -> Tasks:
    """Tasks by id for ids, folders and folders of tasks.

    Raises:
        UsageError: two folders hold a task of the same id.
    """
    paths: dict[str, Path] = {}
    for path in find_tasks(selectors):
        task_id = read_toml(path).id
        if paths.setdefault(task_id, path) != path:
            raise UsageError(f"two tasks have the id {task_id!r}", file=str(path), mend="rename one in its task.toml")
    return Tasks(paths, load_task)


def prepare(
    experiment: Experiment,
    *,
    backend: SandboxBackend,
    runs: Path,
    run: str | None = None,
    redo: Sequence[str] = (),
    use_image: str | None = None,
    max_cost: float | None = None,
    prices: Path | None = None,
    registries: Path | None = None,
) -> Prepared:
    """Plan an experiment.

    The run's folder is ``runs/<run>``; without a name it is made of the experiment's name and a digest of the plan, so
    that the same command finds its own run again. ``use_image`` stands in for the base image of every task: an image's
    name, or ``language`` for the catalogue's image of each task's language. ``max_cost`` bounds what the run's models
    may cost together, in dollars, over all its commands; ``prices`` is a file that replaces the packaged prices,
    ``registries`` one that extends or replaces the packaged lists of what networks reach.

    Raises:
        UsageError: a task, agent, router, image, model or field is not to be had.
        TaskError: a task cannot be loaded, or an image holds what it asks for.
        EnvironmentLacksError: an image is not on this machine; says how to make it.
    """
    items, context = open_context(
        experiment,
        backend=backend,
        runs=runs,
        run=run,
        redo=redo,
        use_image=use_image,
        max_cost=max_cost,
        prices=prices,
        registries=registries,
    )
    conditions = list({item.condition.id: item.condition for item in items}.values())
    _check(context, conditions, items)
    _check_prices(context, conditions, bounded=max_cost is not None)
    return Prepared(experiment, items, context)


def open_context(
    experiment: Experiment,
    *,
    backend: SandboxBackend,
    runs: Path,
    run: str | None = None,
    redo: Sequence[str] = (),
    use_image: str | None = None,
    max_cost: float | None = None,
    prices: Path | None = None,
    registries: Path | None = None,
) -> tuple[list[Item], RunContext]:
    """The plan and what executes it, as :func:`prepare` makes them, but with nothing checked and no image looked for.

    Raises:
        UsageError: a task, agent, router, model or field is not to be had.
    """
    tasks = load_tasks(experiment.tasks)
    conditions = experiment.conditions()
    agents: dict[str, Agent] = {each.agent: load_agent(each.agent) for each in conditions}
    prompts = own_prompts(Path(experiment.prompts)) if experiment.prompts else None
    routers = {each.router: _router(each.router, prompts) for each in conditions}
    conditions = without_idle_roles(
        _fitting(conditions, agents), lambda router: isinstance(routers[router], RouterWithModel)
    )
    items = plan_items(list(tasks.paths), conditions, experiment.epochs)
    name = run or default_name(experiment, items, backend, use_image)
    context = RunContext(
        store=RunStore(runs / name),
        tasks=tasks,
        backend=backend,
        agents=agents,
        routers=routers,
        image_digests={},
        redo=frozenset(redo),
        use_image=use_image,
        models=_models(experiment, conditions),
        run_cost=CostCounter(max_cost, runs / name / SPENT),
        prices=load_prices(prices) if prices else None,
        lists=load_lists(registries) if registries else None,
        prompts=prompts,
        structure=experiment.structure,
        critic=_critic(experiment),
    )
    return items, context


def _fitting(conditions: Sequence[Condition], agents: dict[str, Agent]) -> list[Condition]:
    """The conditions, where agents with and without a model are compared: the latter once, and without one."""
    if not any(needs_model(agent) for agent in agents.values()):
        return list(conditions)
    without = {"model": None, "thinking": None, "max_tokens": None, "max_turns": None, "max_cost": None}
    fitting = [each if needs_model(agents[each.agent]) else each.model_copy(update=without) for each in conditions]
    return list({each.id: each for each in fitting}.values())


def _models(experiment: Experiment, conditions: Sequence[Condition]) -> dict[str, ModelSpec]:
    """Every model that a condition names: one of the experiment's own, or ``provider/name``."""
    roles = [(each.model, each.stakeholder_model, each.judge_model) for each in conditions]
    names = {name for each in roles for name in each if name is not None}
    return {name: experiment.models.get(name) or make_spec(name) for name in sorted(names)}


def _router(name: str, prompts: Path | None) -> Router:
    router = load_router(name)
    return router.with_prompts(prompts) if prompts and isinstance(router, RouterWithPrompts) else router


def _critic(experiment: Experiment) -> Critic | None:
    name = experiment.critic_model
    if name is None:
        return None
    return Critic(experiment.models.get(name) or make_spec(name), experiment.critic_repeats)


def default_name(
    experiment: Experiment, items: Sequence[Item], backend: SandboxBackend, use_image: str | None = None
) -> str:
    """A name that the same command finds again. Sandboxes of another kind or with another image make another run, and
    so do prompts of one's own, whatever they say: one that is edited makes items of the same run stale."""
    kind = "" if backend.name == "bubblewrap" else f"-{backend.name}"
    kind += f"-{use_image}" if use_image else ""
    kind += "-prompts" if experiment.prompts else ""
    return f"{experiment.name}{kind}-{plan_digest(items)[:8]}"


def _check(context: RunContext, conditions: Sequence[Condition], items: Sequence[Item]) -> None:
    for task_id, path in context.tasks.paths.items():
        try:
            _check_task(context, conditions, task_id)
        except TaskError as error:
            error.file = str(path / (error.file or ""))  # relative to the task's folder until here: which of them?
            raise
    if context.critic is not None and not any(has_golden(context.tasks[task_id]) for task_id in context.tasks.paths):
        mend = "leave --critic-model out, or give a task that names a golden implementation"
        raise UsageError("no task has golden sources to review a deliverable beside", where="$.critic_model", mend=mend)
    for condition in conditions:
        _check_models(context, condition)
    looked_at: set[tuple[str, str]] = set()
    kept_here = built_images()
    for item in items:
        image = image_of(context, item)
        task = context.tasks[item.task].toml
        require_runtime(item.condition.language or task.language, image)
        tests = task.acceptance.image
        for name in (image, tests):
            if name is not None and name not in context.image_digests:
                context.image_digests[name] = context.backend.image_digest(name)
        if image in kept_here and (image, item.task) not in looked_at:
            refuse_spoiled(image, context.tasks[item.task])
            looked_at.add((image, item.task))


def _check_prices(context: RunContext, conditions: Sequence[Condition], *, bounded: bool) -> None:
    """A bound on what is spent holds only where every price is known."""
    prices = context.prices or load_prices()
    names = {each.model for each in conditions if each.max_cost is not None}
    names |= set(context.models) if bounded else set()
    specs = [context.models[name] for name in sorted(name for name in names if name is not None)]
    for spec in [*specs, *([context.critic.model] if context.critic and bounded else [])]:
        prices.require(spec.name)


def _check_models(context: RunContext, condition: Condition) -> None:
    agent = context.agents[condition.agent]
    if needs_model(agent) and condition.model is None:
        mend = "give --model provider/name"
        raise UsageError(f"agent {agent.name!r} works with a model", where="$.model", mend=mend)
    if condition.model is not None and not needs_model(agent):
        raise UsageError(f"agent {agent.name!r} takes no model", where="$.model", mend="leave --model out")
    if condition.command is not None and not getattr(agent, "takes_command", False):
        mend = "leave --agent-command out, or give --agent command"
        raise UsageError(f"agent {agent.name!r} takes no command", where="$.command", mend=mend)
    if condition.protocol != "build":
        check_roles(condition, agent)
        return
    asks_model = isinstance(context.routers[condition.router], RouterWithModel)
    if condition.asks and asks_model and condition.stakeholder_model is None:
        mend = "give --stakeholder-model provider/name"
        raise UsageError(f"router {condition.router!r} works with a model", where="$.stakeholder_model", mend=mend)
    if condition.stakeholder_model is not None and not asks_model:
        mend = "leave --stakeholder-model out, or give --router model"
        raise UsageError(f"router {condition.router!r} takes no model", where="$.stakeholder_model", mend=mend)


def _check_task(context: RunContext, conditions: Sequence[Condition], task_id: str) -> None:
    task = context.tasks[task_id]
    for protocol in dict.fromkeys(condition.protocol for condition in conditions):
        check_protocol(task, protocol)
    for agent in context.agents.values():
        agent.fingerprint(task)
    # Imported tasks may lack levels. Said now, not when the run has come to them.
    for exposure in dict.fromkeys(condition.exposure for condition in conditions):
        release.request_text(task, exposure)
    building = [condition for condition in conditions if condition.protocol == "build"]
    for exposure in dict.fromkeys(condition.exposure for condition in building if condition.asks):
        release.session_records(task, exposure)


def begin(prepared: Prepared, *, concurrency: int) -> RunStore:
    """Write the manifest and the plan; items of earlier plans of the same run stay."""
    context, store = prepared.context, prepared.context.store
    _same_sandboxes(context)
    # Fetched now, with the whole command still in sight, and not when the first item that needs it comes up.
    for task_id in context.tasks.paths:
        for agent in context.agents.values():
            agent.mounts(context.tasks[task_id])
    # Likewise keys, packages and names of models.
    for spec in context.models.values():
        open_model(spec, role=Role.BUILDER, phase="check")
    if context.critic is not None:
        open_model(context.critic.model, role=Role.CRITIC, phase="check")
    manifest = make_manifest(
        name=store.path.name,
        backend=context.backend,
        images=context.image_digests,
        tasks={task_id: context.tasks[task_id].digest for task_id in context.tasks.paths},
        limits={task_id: context.tasks[task_id].toml.limits.model_dump(mode="json") for task_id in context.tasks.paths},
        concurrency=concurrency,
        network=_network(prepared),
        critic=_named_critic(prepared.experiment),
        prompts=prompt_hashes(override=context.prompts),
    )
    write_manifest(store.path, manifest)
    store.add_items(prepared.items)
    return store


def _named_critic(experiment: Experiment) -> dict[str, Any] | None:
    name = experiment.critic_model
    return {"model": name, "repeats": experiment.critic_repeats} if name is not None else None


def _network(prepared: Prepared) -> dict[str, Any] | None:
    """What decides what networks reach, beside a condition's kind and a task's source; None where none is granted."""
    conditions = [item.condition for item in prepared.items]
    if all(each.network == "none" and each.grade_network == "none" for each in conditions):
        return None
    lists = prepared.context.lists or packaged_lists()
    return {"version": POLICY_VERSION, "lists": lists.digest, "packaged": lists == packaged_lists()}


def _same_sandboxes(context: RunContext) -> None:
    path = context.store.path
    if not (path / FILE).exists():
        return
    made_with = read_manifest(path)["sandbox"]["backend"]
    if made_with != context.backend.name:
        raise UsageError(
            f"this run was made in {made_with} sandboxes, and one run has sandboxes of one kind",
            file=str(path),
            mend=f"give --sandbox {made_with}, or another name with --run",
        )

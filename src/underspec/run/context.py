"""What a run works with, and what each of its items picks from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from underspec.agent.protocol import Agent
from underspec.artifact.condition import Condition
from underspec.errors import UsageError
from underspec.model.cost_counter import CostCounter
from underspec.model.prices import Prices
from underspec.model.spec import ModelSpec
from underspec.run.beside import Critic, Goldens
from underspec.run.item import Item
from underspec.run.plan import Tasks
from underspec.run.store import RunStore
from underspec.sandbox.egress.lists import Lists
from underspec.sandbox.images.recipe import recipe_for
from underspec.sandbox.protocol import SandboxBackend
from underspec.stakeholder.router import Router

if TYPE_CHECKING:
    from inspect_ai.model import Model

BY_LANGUAGE = "language"


@dataclass
class RunContext:
    """All that an executor works with.

    ``use_image`` stands in for every task's base image: a name, or ``language`` for the catalogue's of each language.
    ``models`` are specifications by the names that conditions use, ``adopted`` models that somebody else
    opened. ``run_cost`` counts what all models cost together. ``lists`` say what networks reach, the packaged ones when
    None. ``prompts`` is a user's folder of prompts, copied so that it stays as it is.

    ``structure``: deliverables are compared with golden sources, where a task has any; ``critic`` reviews them.
    Neither is part of a condition: a run may be given them later, and its builds stay what they are.
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
    prompts: Path | None = None
    structure: bool = False
    critic: Critic | None = None
    goldens: Goldens = field(default_factory=Goldens)
    progress: Callable[[Item, str], None] = field(default=lambda item, what: None)


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


def builder_model(context: RunContext, condition: Condition) -> ModelSpec | None:
    """The model that the condition's agent works with, thinking as the condition says."""
    if condition.model is None or condition.model in context.adopted:
        return None
    spec = context.models[condition.model]
    return spec if condition.thinking is None else spec.model_copy(update={"thinking": condition.thinking})

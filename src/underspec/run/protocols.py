"""The protocols as sequences of phases: which phase reads which, and what each is run on (design section 2).

A phase gets the published artifacts that its step names in ``needs`` and no others, so what a branch cannot see is
decided here, in one place.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from underspec.agent.golden import GoldenAgent
from underspec.artifact.answers import Answers
from underspec.artifact.condition import Condition
from underspec.artifact.context import Basis
from underspec.artifact.judgements import Judgements
from underspec.artifact.review import Review
from underspec.errors import UsageError
from underspec.model.spec import ModelSpec
from underspec.phase.accept import AcceptInputs, accept
from underspec.phase.answer import ANSWERS_FILE, AnswerInputs, answer
from underspec.phase.build import BuildInputs, build
from underspec.phase.clarify import ClarifyInputs, clarify
from underspec.phase.compared import has_golden
from underspec.phase.freeze import FreezeInputs, freeze
from underspec.phase.grade import GradeInputs, grade
from underspec.phase.implement import BASIS_FILE, ImplementInputs, implement
from underspec.phase.judge import JUDGEMENTS_FILE, JudgeInputs, judge
from underspec.phase.review import REVIEW_FILE, ReviewInputs, review
from underspec.phase.structure import StructureInputs, structure
from underspec.phase.work import Work
from underspec.run.context import RunContext, builder_model, image_of
from underspec.run.item import Item

Made = Mapping[str, Path]
"""Published artifacts by phase."""


class Inputs(Protocol):
    """What a phase is run on."""

    def key(self) -> str:
        """The phase's key."""


@dataclass(frozen=True)
class Step:
    """One phase of a protocol.

    ``needs`` are the phases whose artifacts it reads. ``paid``: models work in it, so that what was made from other
    inputs than today's stays in use, shown as stale, until it is redone. ``follows`` says of such an artifact whether
    it was made from the same earlier artifacts at all; where it was not, it is no artifact of this item any more.
    """

    phase: str
    inputs: Callable[[RunContext, Item, Made], Inputs]
    run: Callable[[Any, Work], Awaitable[None]]
    needs: tuple[str, ...] = ()
    paid: bool = False
    follows: Callable[[Any, Path], bool] = lambda inputs, artifact: True


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
        prompts=context.prompts,
    )


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


def _builder(context: RunContext, item: Item) -> dict[str, Any]:
    """What phases in which an agent works are given alike."""
    image = image_of(context, item)
    return {
        "task": context.tasks[item.task],
        "condition": item.condition,
        "agent": context.agents[item.condition.agent],
        "image": image,
        "image_digest": context.image_digests[image],
        "model": builder_model(context, item.condition),
        "adopted": context.adopted.get(item.condition.model or ""),
        "lists": context.lists,
        "prompts": context.prompts,
    }


def _client(context: RunContext, item: Item) -> ModelSpec:
    name = item.condition.stakeholder_model
    if name is None:
        raise UsageError("nobody plays the client", where="$.stakeholder_model", mend="give --stakeholder-model")
    return context.models[name]


def clarify_inputs(context: RunContext, item: Item, made: Made) -> ClarifyInputs:
    """What the item's clarification reads."""
    return ClarifyInputs(**_builder(context, item), stakeholder_model=_client(context, item))


def freeze_inputs(context: RunContext, item: Item, made: Made) -> FreezeInputs:
    """What the item's context is made of: the phase in which the agent asked, if it asked in one."""
    asked = made.get("clarify") or made.get("implement") if item.condition.asks else None
    return FreezeInputs(context.tasks[item.task], item.condition, asked)


def implement_inputs(context: RunContext, item: Item, made: Made) -> ImplementInputs:
    """What the item's implementation reads: the frozen context; the agent's own history where the condition says so."""
    continued = item.condition.protocol == "continued"
    return ImplementInputs(
        **_builder(context, item),
        frozen=None if continued else made["freeze"],
        clarified=made.get("clarify") if item.condition.native_history else None,
        stakeholder_model=_client(context, item) if continued else None,
    )


def accept_inputs(context: RunContext, item: Item, made: Made) -> AcceptInputs:
    """What the item's acceptance reads: the deliverable."""
    image, task = image_of(context, item), context.tasks[item.task]
    tests = task.toml.acceptance.image
    return AcceptInputs(
        task=task,
        condition=item.condition,
        delivered=made["implement"],
        image=image,
        image_digest=context.image_digests[image],
        tests_image_digest=context.image_digests[tests] if tests else None,
        lists=context.lists,
    )


def answer_inputs(context: RunContext, item: Item, made: Made) -> AnswerInputs:
    """What the item's answers are given from: the frozen context."""
    return AnswerInputs(
        task=context.tasks[item.task],
        condition=item.condition,
        frozen=made["freeze"],
        model=builder_model(context, item.condition),
        adopted=context.adopted.get(item.condition.model or ""),
        prompts=context.prompts,
    )


def judge_inputs(context: RunContext, item: Item, made: Made) -> JudgeInputs:
    """What the item's judgement reads: the answers."""
    model = context.models.get(item.condition.judge_model or "")
    return JudgeInputs(context.tasks[item.task], item.condition, made["answer"], model, context.prompts)


def structure_inputs(context: RunContext, item: Item, made: Made) -> StructureInputs:
    """What the item's comparison reads: the deliverable."""
    task = context.tasks[item.task]
    return StructureInputs(task, item.condition, made[_delivering(item.condition)], context.goldens)


def review_inputs(context: RunContext, item: Item, made: Made) -> ReviewInputs:
    """What the item's review reads: the deliverable.

    Raises:
        UsageError: nobody reviews.
    """
    critic = context.critic
    if critic is None:
        raise UsageError("nobody reviews", where="$.critic_model", mend="give --critic-model provider/name")
    task, built = context.tasks[item.task], made[_delivering(item.condition)]
    return ReviewInputs(
        task,
        item.condition,
        built,
        critic.model,
        critic.repeats,
        prompts=context.prompts,
        sources=context.goldens,
    )


def _delivering(condition: Condition) -> str:
    """The phase whose artifact holds the deliverable."""
    return "build" if condition.protocol == "build" else "implement"


def _same_context(inputs: ImplementInputs | AnswerInputs, artifact: Path) -> bool:
    if isinstance(inputs, AnswerInputs):
        return Answers.read(artifact / ANSWERS_FILE).context == inputs.context().sha256
    return Basis.read(artifact / BASIS_FILE) == inputs.basis()


def _same_answers(inputs: JudgeInputs, artifact: Path) -> bool:
    return Judgements.read(artifact / JUDGEMENTS_FILE).answers == inputs.digest()


def _same_question(inputs: ReviewInputs, artifact: Path) -> bool:
    return inputs.asks_the_same(Review.read(artifact / REVIEW_FILE))


BUILD = Step("build", lambda context, item, made: build_inputs(context, item), build, paid=True)
GRADE = Step("grade", lambda context, item, made: grade_inputs(context, item, made["build"]), grade, ("build",))
CLARIFY = Step("clarify", clarify_inputs, clarify, paid=True)
ACCEPT = Step("accept", accept_inputs, accept, ("implement",))
ANSWER = Step("answer", answer_inputs, answer, ("freeze",), paid=True, follows=_same_context)
JUDGE = Step("judge", judge_inputs, judge, ("answer",), paid=True, follows=_same_answers)


def _freeze(*needs: str) -> Step:
    return Step("freeze", freeze_inputs, freeze, needs)


def _implement(*needs: str) -> Step:
    return Step("implement", implement_inputs, implement, needs, paid=True, follows=_same_context)


def steps_of(condition: Condition) -> tuple[Step, ...]:
    """The phases of an item in the order in which they are run; each comes after those that it needs."""
    match condition.protocol, condition.asks:
        case "build", _:
            return BUILD, GRADE
        case "continued", _:
            return _implement(), ACCEPT, _freeze("implement"), ANSWER, JUDGE
        case _, False:
            return _freeze(), _implement("freeze"), ACCEPT, ANSWER, JUDGE
        case _:
            # A native history comes from the clarification itself.
            history = ("clarify",) if condition.native_history else ()
            return CLARIFY, _freeze("clarify"), _implement("freeze", *history), ACCEPT, ANSWER, JUDGE


def steps_beside(context: RunContext, item: Item) -> tuple[Step, ...]:
    """What is found out about the item's deliverable beside its score, after it and without any part in it.

    Both need golden sources. The reference variant of a commission is none: it is one overlay on the files that the
    agent starts with, and what is alike in those says nothing. Nor has the golden agent anything to compare: what it
    hands over is the golden implementation itself.
    """
    if not has_golden(context.tasks[item.task]) or isinstance(context.agents[item.condition.agent], GoldenAgent):
        return ()
    needs = (_delivering(item.condition),)
    compared = Step("structure", structure_inputs, structure, needs)
    reviewed = Step("review", review_inputs, review, needs, paid=True, follows=_same_question)
    return (*([compared] if context.structure else []), *([reviewed] if context.critic else []))


def all_steps(context: RunContext, item: Item) -> tuple[Step, ...]:
    """All phases of an item in the order in which they are run."""
    return (*steps_of(item.condition), *steps_beside(context, item))


BESIDE = frozenset({"structure", "review"})
"""Phases that no score needs: what goes wrong in them is said beside it."""
PHASES = ("build", "grade", "clarify", "freeze", "implement", "accept", "answer", "judge", "structure", "review")
PAID = ("build", "clarify", "implement", "answer", "judge", "review")
"""Phases in which models work, and which are redone only when that is asked for."""

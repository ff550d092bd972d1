"""What a protocol needs of a task, an agent and a condition; what lacks is said before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from underspec.agent.protocol import Agent, keeps_history, needs_model
from underspec.artifact.condition import Condition, Protocol
from underspec.errors import UsageError
from underspec.task import release
from underspec.task.model import Task

BOUNDS = ("most_rounds", "most_revisions", "native_history")
_ASKING = ("stakeholder_model", *BOUNDS)
_CLARIFYING = ("information", "judge_model", "judge_reviews", *BOUNDS)
_BUILDING = ("stakeholder", "router", "budget", "scaffold")
_DEFAULTS = {name: field.default for name, field in Condition.model_fields.items()}


def check_protocol(task: Task, protocol: Protocol) -> None:
    """Whether the task has what the protocol works with, of whatever family it is.

    Raises:
        UsageError: it lacks cases, or units and tests; says which.
        TaskError: a part of it is missing, or damaged.
    """
    if protocol == "build":
        if not any(suite.total for suite in task.suites.values()):
            raise UsageError(
                f"task {task.id} has no cases, by which the protocol 'build' is graded",
                mend="give --protocol clarify-first, or a task with cases",
            )
        return
    if task.units is None:
        raise UsageError(
            f"task {task.id} has no requirement units, which the protocol {protocol!r} asks about",
            mend="give --protocol build, or a task with hidden/units.json",
        )
    release.complete_requirement(task)
    release.acceptance_files(task)


def without_idle_roles(conditions: Sequence[Condition], takes_model: Callable[[str], bool]) -> list[Condition]:
    """The conditions without settings of roles that nobody plays in them, so that equal work has one identity.

    ``takes_model`` says of a router's name whether that router works with a model.

    Raises:
        UsageError: a bound on clarification, where no condition clarifies; names the field.
    """
    clarifies = any(each.protocol != "build" for each in conditions)
    for name in BOUNDS:
        if not clarifies and any(getattr(each, name) != _DEFAULTS[name] for each in conditions):
            mend = f"leave {name} out, or give --protocol clarify-first"
            raise UsageError(f"{name} is about clarifying, and nobody clarifies", where=f"$.{name}", mend=mend)
    fitting = []
    for each in conditions:
        idle: tuple[str, ...]
        if each.protocol != "build":
            idle = _BUILDING if each.asks else (*_BUILDING, *_ASKING)
        else:
            idle = _CLARIFYING if takes_model(each.router) or not clarifies else (*_CLARIFYING, "stakeholder_model")
        fitting.append(each.model_copy(update={name: _DEFAULTS[name] for name in idle}))
    return list({each.id: each for each in fitting}.values())


def check_roles(condition: Condition, agent: Agent) -> None:
    """Whether somebody plays each role of a protocol that clarifies.

    Raises:
        UsageError: names the field and the mend.
    """
    if condition.exposure not in ("L1", "L2", "L3"):
        mend = "leave --exposure out; --information complete tells everything at once"
        raise UsageError(f"exposure {condition.exposure} leaves nothing to ask", where="$.exposure", mend=mend)
    if condition.protocol == "continued" and not condition.asks:
        mend = "give --protocol clarify-first, where there is nobody to ask"
        raise UsageError("a continued session needs somebody to ask", where="$.information", mend=mend)
    if condition.asks and condition.stakeholder_model is None:
        mend = "give --stakeholder-model provider/name"
        raise UsageError("nobody plays client and supervisor", where="$.stakeholder_model", mend=mend)
    if needs_model(agent) and condition.judge_model is None:
        raise UsageError("nobody judges", where="$.judge_model", mend="give --judge-model provider/name")
    if condition.native_history and (condition.protocol != "clarify-first" or not keeps_history(agent)):
        mend = "leave native_history out, or give --protocol clarify-first and --agent react"
        raise UsageError(f"agent {agent.name!r} has no history to go on from", where="$.native_history", mend=mend)

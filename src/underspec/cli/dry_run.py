"""``underspec run --dry-run``: what would be done, and what is known of its price."""

from __future__ import annotations

from typing import Any

from underspec.run.executor import scoring_calls_models, status
from underspec.run.item import Item
from underspec.run.prepare import Prepared
from underspec.run.standing import ItemStatus

_COUNTED = {
    "builds": "build",
    "grades": "grade",
    "clarifications": "clarify",
    "implementations": "implement",
    "acceptances": "accept",
    "answers": "answer",
    "judgements": "judge",
    "structures": "structure",
    "reviews": "review",
}
"""Phases by what they are called here. Freezing a context costs nothing and takes no time."""


def plan_document(prepared: Prepared) -> dict[str, Any]:
    """What ``--dry-run --json`` prints: items planned and done, and how many of each kind of work are to be done.

    ``stale`` counts items that have something made from other inputs than today's, ``redo`` names the phases.
    ``cost_bound`` is in dollars, None where nothing sets one.
    """
    context = prepared.context
    states = [status(context, item) for item in prepared.items]
    to_do = [(item, state) for item, state in zip(prepared.items, states, strict=True) if not state.done]
    return {
        "run": context.store.path.name,
        "planned": len(states),
        "done": sum(state.done for state in states),
        **{name: sum(phase in state.waiting for state in states) for name, phase in _COUNTED.items()},
        "stale": sum(bool(state.stale) for state in states),
        "redo": list(dict.fromkeys(phase for state in states for phase in state.stale)),
        **_price(prepared, to_do),
    }


def plan_lines(document: dict[str, Any]) -> list[str]:
    """The same for a terminal."""
    to_do = ", ".join(f"{name} {document[name]}" for name in _COUNTED if document[name])
    lines = [
        f"run {document['run']}: items planned {document['planned']}, done {document['done']}",
        f"to do: {to_do or 'nothing'}",
    ]
    if document["stale"]:
        anew = " ".join(f"--redo {phase}" for phase in document["redo"])
        lines.append(f"items made from other inputs than today's: {document['stale']}; used as they are without {anew}")
    if document["cost"] is not None:
        lines.append("cost: $0.00 (nothing that is to do calls a model)")
    elif document["cost_bound"] is not None:
        lines.append(f"cost: at most ${document['cost_bound']:.2f} for models, by the limits that are set")
    else:
        lines.append("cost: unknown, and without a bound; --max-cost and --max-build-cost set one")
    return lines


def _price(prepared: Prepared, to_do: list[tuple[Item, ItemStatus]]) -> dict[str, Any]:
    """What is known of the cost beforehand: nothing where no model is called, else a bound where limits set one."""
    context = prepared.context
    each: list[float | None] = []
    for item, state in to_do:
        if "review" in state.waiting:
            each.append(None)  # a critic has no limit of its own
        elif state.to_score and scoring_calls_models(context, item):
            # Where others than the builder are paid, such as who answers it, its own limit bounds nothing.
            alone = item.condition.protocol == "build" and item.condition.stakeholder_model is None
            each.append(item.condition.max_cost if alone else None)
    bounds = []
    if None not in each:
        bounds.append(sum(bound for bound in each if bound is not None))
    if context.run_cost.limit is not None:
        bounds.append(max(0.0, context.run_cost.limit - context.run_cost.spent))
    return {"cost": None if each else 0.0, "cost_bound": min(bounds) if each and bounds else None}

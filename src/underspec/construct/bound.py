"""What models may cost at most in a construction, said before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from underspec.construct.project import Project
from underspec.construct.stage import Stage
from underspec.model.prices import Prices, Tokens
from underspec.model.structured import ATTEMPTS

# What one call may read and write, in tokens: more than any prompt of a stage holds, for materials are cut to size.
INPUT, OUTPUT = 60_000, 16_000


def cost_bound(stages: Sequence[Stage], project: Project, prices: Prices) -> dict[str, Any]:
    """Calls and dollars by stage, and in all; dollars are None where a model's price is not known.

    A stage's calls are those of one proposal and gate, times its turns, times the attempts at one document.
    """
    rows: list[dict[str, Any]] = []
    for stage in stages:
        model = project.model_of(stage.name) if stage.calls else None
        calls = stage.calls * (1 + project.repairs) * ATTEMPTS if model else 0
        price = prices.find(model) if model else None
        each = price.cost(Tokens(INPUT, OUTPUT)) if price else None
        free = not calls or (model or "").startswith("scripted/")
        dollars = 0.0 if free else (None if each is None else each * calls)
        rows.append({"stage": stage.name, "model": model, "calls": calls, "dollars": dollars})
    known = [row["dollars"] for row in rows]
    total = None if any(one is None for one in known) else sum(known)
    limits = [each for each in (total, project.max_cost) if each is not None]
    most = min(limits, default=None)
    return {"stages": rows, "calls": sum(row["calls"] for row in rows), "dollars": total, "at_most": most}

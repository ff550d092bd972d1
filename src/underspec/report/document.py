"""The report as one document: counts, and a row for each agent, model and condition."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from underspec.artifact.condition import Condition
from underspec.artifact.ledger import total
from underspec.artifact.outcomes import SUITES, CaseOutcome, Outcomes
from underspec.measure.functional import VIEWS, bounds, macro, mean, pooled
from underspec.measure.interaction import summarise
from underspec.measure.interval import DEFAULT, LEVEL
from underspec.report.beside import beside_figures
from underspec.report.clarify_figures import clarified_figures
from underspec.report.collect import Collected
from underspec.report.scores import MEASURES, interval, primary

SCHEMA = 1


def report_document(run: str, collected: Sequence[Collected], *, comparable: bool) -> dict[str, Any]:
    """The document of ``underspec report --json`` (design section 10). Rates are 0 to 1 or null.

    Every planned item is counted: ``planned`` = ``scored`` + the sum of ``unscored``. ``stale`` counts items whose
    build was made from other inputs than those of the last run.
    """
    rows: dict[str, list[Collected]] = {}
    for each in collected:
        rows.setdefault(each.item.condition.id, []).append(each)
    return {
        "schema": SCHEMA,
        "run": run,
        "comparable": comparable,
        "intervals": {"method": DEFAULT, "level": LEVEL, "clusters": "task"},
        **_counts(collected),
        "rows": [_row(members) for members in rows.values()],
    }


def _counts(collected: Sequence[Collected]) -> dict[str, Any]:
    unscored = Counter(each.boundary for each in collected if each.boundary is not None)
    return {
        "planned": len(collected),
        "scored": sum(each.scored for each in collected),
        "unscored": dict(sorted((str(boundary), number) for boundary, number in unscored.items())),
        "stale": sum(each.stale for each in collected),
    }


def _row(members: Sequence[Collected]) -> dict[str, Any]:
    condition: Condition = members[0].item.condition
    by_task: dict[str, list[Collected]] = {}
    for each in members:
        by_task.setdefault(each.item.task, []).append(each)
    return {
        "agent": condition.agent,
        "model": condition.model,
        "condition": {"id": condition.id, **condition.model_dump(mode="json")},
        **_counts(members),
        **_figures(members, condition),
        "tasks": [{"task": task, **_counts(each), **_figures(each, condition)} for task, each in by_task.items()],
    }


def _figures(members: Sequence[Collected], condition: Condition) -> dict[str, Any]:
    if condition.protocol != "build":
        figures = {**_cases_figures((), members), **clarified_figures(members)}
    else:
        figures = _cases_figures([each.outcomes for each in members if each.outcomes is not None], members)
    return {**figures, **beside_figures(members)}


def _cases_figures(graded: Sequence[Outcomes], members: Sequence[Collected]) -> dict[str, Any]:
    overall = [rate for each in graded if (rate := each.overall.rate) is not None]
    span = bounds(overall, len(members) - len(graded))
    asked = summarise([each.session for each in members if each.session is not None])
    return {
        "overall_pooled": pooled(graded, "overall").rate,
        "overall_macro": macro(graded, "overall"),
        **_intervals(members),
        "bounds": [span.low, span.high],
        **{view: pooled(graded, view).rate for view in VIEWS if view != "overall"},
        "cases": {view: pooled(graded, view).model_dump(mode="json") for view in VIEWS},
        "outcomes": _outcomes(graded),
        "states": _states(graded),
        "task_pass": mean(float(each.clean) for each in graded),
        "clarification": None,
        "clarification_strict": None,
        "unit_pass": None,
        "questions": asked.questions,
        "coverage": asked.coverage,
        "fallback_rate": asked.fallback_rate,
        "budget_use": asked.budget_use,
        "interaction": asked.document(),
        "cost": _mean_cost(members),
        "spending": _spending(members),
    }


def _intervals(members: Sequence[Collected]) -> dict[str, Any]:
    """``interval`` is of the measure that ``interval_of`` names; None with fewer than two tasks."""
    spans = {measure: interval(members, measure) for measure in MEASURES}
    pairs = {measure: span.pair() if span else None for measure, span in spans.items()}
    ranked_by = primary(members[0].item.condition)
    return {"interval": pairs[ranked_by], "interval_of": ranked_by, "intervals": pairs}


def _mean_cost(members: Sequence[Collected]) -> float | None:
    """Mean dollars an item for the builder's model (SWE-Clar, Table 5); None where any of it is unknown. An agent that
    made no call cost nothing, and that is known."""
    costs = [each.task_cost.cost for each in members]
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(costs) else None


def _spending(members: Sequence[Collected]) -> dict[str, dict[str, Any]]:
    """What each role's model was used, over all items and attempts; ``cost`` is None where a part is unknown."""
    roles = sorted({role for each in members for role in each.spending})
    sums = {role: total(each.spending[role] for each in members if role in each.spending) for role in roles}
    return {role: {**asdict(spent), "tokens": spent.tokens, "cost": spent.cost} for role, spent in sums.items()}


def _outcomes(graded: Sequence[Outcomes]) -> dict[str, int]:
    found = Counter(case.outcome for each in graded for case in each.suite("overall"))
    return {str(outcome): found[outcome] for outcome in CaseOutcome}


def _states(graded: Sequence[Outcomes]) -> dict[str, list[str]]:
    seen: dict[str, set[str]] = {suite: set() for suite in SUITES}
    for each in graded:
        for suite in each.suites:
            seen[suite.suite].update(str(state) for state in suite.states)
    return {suite: sorted(states) for suite, states in seen.items()}


def document_bytes(document: dict[str, Any]) -> bytes:
    """The document as ``report.json`` holds it."""
    return json.dumps(document, indent=2, ensure_ascii=True).encode() + b"\n"

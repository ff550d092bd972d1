"""Outcomes as the JSON document of ``underspec grade --json`` (design section 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from underspec.artifact.outcomes import SUITES, CaseOutcome, GradedCase, Outcomes, Rate, SuiteState, Unscored
from underspec.grade.cases import all_missing, graded_cases
from underspec.task.cases import hidden_flags
from underspec.task.model import Task

_VIEWS = (*SUITES, "hidden")


def grade_document(outcomes: Outcomes) -> dict[str, Any]:
    """``{"task", "suites", "overall", "clean", "unscored": null, "cases", ...}``; JSON types only.

    ``hidden`` is a view over the native and enhanced suites, so its states are theirs, both together.
    """
    states: dict[str, tuple[SuiteState, ...]] = {end.suite: end.states for end in outcomes.suites}
    seen = {*states.get("native", ()), *states.get("enhanced", ())}
    hidden = tuple(state for state in SuiteState if state in seen)
    return {
        "task": outcomes.task,
        "task_digest": outcomes.task_digest,
        "deliverable": outcomes.deliverable,
        "image": outcomes.image,
        "comparison": outcomes.comparison,
        "suites": {
            name: {
                **_rate(outcomes.rate_of(outcomes.suite(name))),
                "outcomes": _counts(outcomes.suite(name)),
                "states": [str(state) for state in (hidden if name == "hidden" else states.get(name, ()))],
            }
            for name in _VIEWS
        },
        "ends": {
            end.suite: {"exit_code": end.exit_code, "signal": end.signal, "limit": end.limit, "layer": end.layer}
            for end in outcomes.suites
        },
        "overall": _rate(outcomes.overall),
        "clean": outcomes.clean,
        "unscored": None,
        "notes": list(outcomes.notes),
        "cases": [
            {"suite": case.suite, "file": case.file, "index": case.index, "outcome": str(case.outcome)}
            for case in outcomes.cases
        ],
    }


def unscored_document(task: Task, unscored: Unscored) -> dict[str, Any]:
    """The same shape when there is no score: totals are known, ``passed``, ``rate`` and the counts are null."""
    cases = [
        case
        for name in SUITES
        if name in task.suites
        for case in graded_cases(task.suites[name], all_missing(task.suites[name]), hidden_flags(task, name))
    ]
    totals: dict[str, int] = {
        **{name: sum(case.suite == name for case in cases) for name in SUITES},
        "hidden": sum(case.hidden for case in cases),
    }
    unknown: dict[str, None] = {str(outcome): None for outcome in CaseOutcome}
    return {
        "task": task.id,
        "task_digest": task.digest,
        "suites": {
            name: {"passed": None, "total": totals[name], "rate": None, "outcomes": unknown, "states": []}
            for name in _VIEWS
        },
        "overall": {"passed": None, "total": totals["native"] + totals["enhanced"], "rate": None},
        "clean": False,
        "unscored": {"boundary": str(unscored.boundary), "reason": unscored.reason},
        "notes": [],
        "cases": [],
    }


def _rate(rate: Rate) -> dict[str, Any]:
    return {"passed": rate.passed, "total": rate.total, "rate": rate.rate}


def _counts(cases: Sequence[GradedCase]) -> dict[str, int]:
    counts = Counter(case.outcome for case in cases)
    return {str(outcome): counts[outcome] for outcome in CaseOutcome}

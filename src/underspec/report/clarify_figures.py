"""The figures of items that clarify (SWE-Clar 2.3, B.3): each is a mean within a task, then over tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from underspec.measure.functional import bounds, mean
from underspec.report.clarified import Clarified
from underspec.report.collect import Collected


def clarified_figures(members: Sequence[Collected]) -> dict[str, Any]:
    """The fields of a row that differ from those of items graded by cases.

    ``task_pass`` is the implementation score, ``unit_pass`` the RU pass rate, ``clarification`` the clarification
    score and ``clarification_strict`` the share of fully correct answers. ``questions`` counts approved rounds;
    ``bounds`` are those of ``task_pass``, with what was not accepted counted as 0 and as 1.
    """
    passed = [one.acceptance.passed for one in _clarified(members) if one.acceptance is not None]
    span = bounds([float(each) for each in passed], len(members) - len(passed))
    return {
        "task_pass": _macro(members, lambda one: float(one.acceptance.passed) if one.acceptance else None),
        "unit_pass": _macro(members, lambda one: one.acceptance.unit_rate.rate if one.acceptance else None),
        "clarification": _macro(members, lambda one: one.judgements.score if one.judgements else None),
        "clarification_strict": _macro(members, lambda one: one.judgements.strict if one.judgements else None),
        "questions": sum(len(one.transcript.rounds) for one in _clarified(members) if one.transcript),
        "bounds": [span.low, span.high],
    }


def _clarified(members: Sequence[Collected]) -> list[Clarified]:
    return [each.clarified for each in members if each.clarified is not None]


def _macro(members: Sequence[Collected], figure: Callable[[Clarified], float | None]) -> float | None:
    by_task: dict[str, list[float | None]] = {}
    for each in members:
        if each.clarified is not None:
            by_task.setdefault(each.item.task, []).append(figure(each.clarified))
    return mean(mean(figures) for figures in by_task.values())

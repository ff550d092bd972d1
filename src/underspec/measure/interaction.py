"""Interaction quality from session logs (ICAE III-F): what was uncovered, by how many questions, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from underspec.artifact.session import HiddenPoint, SessionLog
from underspec.measure.functional import mean

Rates = Mapping[str, float]


@dataclass(frozen=True)
class Interaction:
    """Figures of one session. Rates are 0 to 1, or None where a rate has no denominator.

    ``coverage`` is |H|/|C|: hidden ids matched at least once over all hidden ids. C holds every record, case files,
    architecture and harness included, and neither pointers nor the signature; ``coverage_by_kind`` and
    ``coverage_by_category`` (of ambiguity) show its parts, and are empty for logs that do not say what their ids are. A
    session in which nothing was asked has coverage 0.

    ``disclosure`` is coverage after the first question, the second, and so on. ``fallback_rate`` is the share of
    questions that got the fixed fallback; an acknowledged default is none. ``budget_use`` is questions asked over
    questions allowed. ``alignments`` counts replies that brought the signature, ``forced_alignments`` those of them in
    which the router had missed it.
    """

    questions: int
    coverage: float | None
    fallback_rate: float | None
    budget_use: float | None
    uncovered: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    coverage_by_kind: Rates = field(default_factory=dict)
    coverage_by_category: Rates = field(default_factory=dict)
    disclosure: tuple[float, ...] = ()
    fallbacks: int = 0
    acknowledged_defaults: int = 0
    more_asked: int = 0
    alignments: int = 0
    forced_alignments: int = 0

    def document(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def interaction(session: SessionLog) -> Interaction:
    """Measure one session."""
    hidden = set(session.hidden_ids)
    seen: set[str] = set()
    disclosure = []
    for turn in session.turns:
        seen |= hidden.intersection(turn.matched)
        disclosure.append(len(seen) / len(hidden) if hidden else 0.0)
    asked = len(session.turns)
    fallbacks = sum(turn.fallback for turn in session.turns)
    return Interaction(
        questions=asked,
        coverage=len(seen) / len(hidden) if hidden else None,
        fallback_rate=fallbacks / asked if asked else None,
        budget_use=asked / session.budget if session.budget else None,
        uncovered=tuple(name for name in session.hidden_ids if name in seen),
        missed=tuple(name for name in session.hidden_ids if name not in seen),
        coverage_by_kind=_coverage_by(session.points, seen, lambda point: point.kind),
        coverage_by_category=_coverage_by(session.points, seen, lambda point: point.category),
        disclosure=tuple(disclosure) if hidden else (),
        fallbacks=fallbacks,
        acknowledged_defaults=sum(turn.acknowledged_default for turn in session.turns),
        more_asked=sum(turn.more_asked for turn in session.turns),
        alignments=sum(turn.alignment is not None for turn in session.turns),
        forced_alignments=sum(turn.alignment == "forced" for turn in session.turns),
    )


def _coverage_by(points: Iterable[HiddenPoint], seen: set[str], group: Callable[[HiddenPoint], str]) -> Rates:
    members: dict[str, list[bool]] = {}
    for point in points:
        members.setdefault(group(point), []).append(point.id in seen)
    return {name: sum(found) / len(found) for name, found in sorted(members.items())}


@dataclass(frozen=True)
class InteractionSummary:
    """Many sessions, macro-averaged as in ICAE III-F: the mean over tasks of each task's mean over its sessions.

    Tasks in which nothing was asked count, with coverage 0 and budget use 0; ``silent`` says how many sessions those
    are. They have no fallback rate, and do not enter its mean. ``disclosure`` is mean coverage after each round; a
    session that has ended keeps what it had.
    """

    sessions: int
    tasks: int
    silent: int
    questions: int
    coverage: float | None
    fallback_rate: float | None
    budget_use: float | None
    coverage_by_kind: Rates
    coverage_by_category: Rates
    disclosure: tuple[float, ...]
    fallbacks: int
    acknowledged_defaults: int
    more_asked: int
    alignments: int
    forced_alignments: int

    def document(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def summarise(sessions: Sequence[SessionLog]) -> InteractionSummary:
    """Measure many sessions together."""
    by_task: dict[str, list[Interaction]] = {}
    for session in sessions:
        by_task.setdefault(session.task, []).append(interaction(session))
    everything = [each for members in by_task.values() for each in members]

    def macro(rate: Callable[[Interaction], float | None]) -> float | None:
        return mean(mean(rate(each) for each in members) for members in by_task.values())

    def macro_of_parts(parts: Callable[[Interaction], Rates]) -> dict[str, float]:
        names = sorted({name for each in everything for name in parts(each)})
        rates = {name: macro(lambda each, name=name: parts(each).get(name)) for name in names}  # type: ignore[misc]
        return {name: rate for name, rate in rates.items() if rate is not None}

    rounds = max((each.questions for each in everything), default=0)
    disclosure = [macro(lambda each, place=place: _after(each, place)) for place in range(rounds)]  # type: ignore[misc]
    return InteractionSummary(
        sessions=len(everything),
        tasks=len(by_task),
        silent=sum(each.questions == 0 for each in everything),
        questions=sum(each.questions for each in everything),
        coverage=macro(lambda each: each.coverage),
        fallback_rate=macro(lambda each: each.fallback_rate),
        budget_use=macro(lambda each: each.budget_use),
        coverage_by_kind=macro_of_parts(lambda each: each.coverage_by_kind),
        coverage_by_category=macro_of_parts(lambda each: each.coverage_by_category),
        disclosure=tuple(rate for rate in disclosure if rate is not None),
        fallbacks=sum(each.fallbacks for each in everything),
        acknowledged_defaults=sum(each.acknowledged_defaults for each in everything),
        more_asked=sum(each.more_asked for each in everything),
        alignments=sum(each.alignments for each in everything),
        forced_alignments=sum(each.forced_alignments for each in everything),
    )


def _after(one: Interaction, place: int) -> float | None:
    """Coverage once ``place + 1`` questions could have been asked; None where nothing is hidden."""
    if one.coverage is None:
        return None
    return one.disclosure[min(place, one.questions - 1)] if one.questions else 0.0

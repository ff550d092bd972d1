"""Interaction quality from a session log (ICAE III-F)."""

from __future__ import annotations

from dataclasses import dataclass

from underspec.artifact.session import SessionLog


@dataclass(frozen=True)
class Interaction:
    """Rates of one session, 0 to 1; None where a rate has no denominator.

    ``coverage`` is |H|/|C|: hidden ids matched at least once over all hidden ids; a session in which nothing was
    asked has coverage 0. ``fallback_rate`` is the share of questions that matched nothing, ``budget_use`` is
    questions asked over questions allowed.
    """

    questions: int
    coverage: float | None
    fallback_rate: float | None
    budget_use: float | None


def interaction(session: SessionLog) -> Interaction:
    """Measure one session."""
    hidden = set(session.hidden_ids)
    matched = {identifier for turn in session.turns for identifier in turn.matched} & hidden
    asked = len(session.turns)
    return Interaction(
        questions=asked,
        coverage=len(matched) / len(hidden) if hidden else None,
        fallback_rate=sum(not turn.matched for turn in session.turns) / asked if asked else None,
        budget_use=asked / session.budget if session.budget else None,
    )

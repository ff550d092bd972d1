"""One item as a line of a table."""

from __future__ import annotations

from dataclasses import dataclass

from underspec.measure.interaction import interaction
from underspec.report.collect import NOT_RUN, Collected
from underspec.report.html.bars import Bar, bar
from underspec.report.scores import MEASURES, primary
from underspec.report.site.plan import ItemPlace, TaskPlace


@dataclass(frozen=True)
class ItemLine:
    """What tables say of an item. ``why`` is the boundary that has it unscored; ``clean``: everything passes."""

    place: ItemPlace
    language: str
    category: str
    score: float | None
    why: str | None
    clean: bool
    stale: bool
    bar: Bar | None
    understood: float | None
    asked: int | None
    coverage: float | None
    ended: str | None
    states: tuple[str, ...]
    cost: float | None
    tokens: int
    seconds: float | None


def item_line(task: TaskPlace, place: ItemPlace, collected: Collected, seconds: float | None) -> ItemLine:
    """The line of one item; ``seconds`` is how long its builder worked."""
    outcomes, clarified = collected.outcomes, collected.clarified
    score = MEASURES[primary(collected.item.condition)](collected)
    rates = interaction(collected.session) if collected.session else None
    asked = rates.questions if rates else None
    if clarified is not None and clarified.transcript is not None:
        asked = len(clarified.transcript.rounds)
    states = {str(state) for suite in outcomes.suites for state in suite.states} if outcomes else set()
    return ItemLine(
        place=place,
        language=task.language,
        category=task.category,
        score=score if collected.scored else None,
        why=_why(collected),
        clean=bool(score == 1.0 and (outcomes is None or outcomes.clean)),
        stale=collected.stale,
        bar=bar("overall", outcomes.suite("overall")) if outcomes else None,
        understood=clarified.judgements.score if clarified and clarified.judgements else None,
        asked=asked,
        coverage=rates.coverage if rates else None,
        ended=collected.end.ended if collected.end else None,
        states=tuple(sorted(states)),
        cost=collected.task_cost.cost if collected.spending else None,
        tokens=collected.task_cost.tokens,
        seconds=seconds,
    )


def _why(collected: Collected) -> str | None:
    boundary = collected.boundary
    return "not finished" if boundary == NOT_RUN else boundary

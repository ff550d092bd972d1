"""One item as a section of the page: how the build ended, the conversation, what fails. Bounded in size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from underspec.artifact.failures import Failures
from underspec.artifact.outcomes import SuiteEnd
from underspec.artifact.session import SessionLog, Turn
from underspec.measure.interaction import interaction
from underspec.report.collect import Collected
from underspec.report.html.bars import Bar, bars
from underspec.report.html.cases import ShownCases, SuiteFailures, TaskCases, failing_by_file, shown_cases
from underspec.report.html.table import anchor_of
from underspec.report.html.visible import name, prose
from underspec.report.terminal import percent

_MOST_QUESTION = 6_000
_MOST_REPLY = 12_000
_MOST_CONVERSATION = 150_000
_MOST_DROPPED = 20
_MOST_NOTES = 20


@dataclass(frozen=True)
class Round:
    """One question with its reply."""

    number: int
    question: Markup
    reply: Markup
    matched: tuple[str, ...]
    flags: tuple[str, ...]
    remaining: int


@dataclass(frozen=True)
class Conversation:
    """All rounds that fit; ``left_out`` counts those that do not."""

    asked: int
    budget: int
    coverage: str
    fallback: str
    parts: str
    hidden_points: int
    rounds: tuple[Round, ...]
    left_out: int


@dataclass(frozen=True)
class ItemView:
    """What the section of one item shows."""

    anchor: str
    task: str
    agent: str
    epoch: int
    score: str
    width: str
    unscored: str | None
    reason: Markup | None
    clean: bool
    stale: bool
    facts: tuple[tuple[str, Markup], ...]
    bars: tuple[Bar, ...]
    ends: tuple[tuple[str, str, str], ...]
    notes: tuple[Markup, ...]
    conversation: Conversation | None
    failing: tuple[SuiteFailures, ...]
    shown: ShownCases
    not_at_hand: str | None
    kept: bool


def item_view(collected: Collected, failures: Failures | None, known: TaskCases) -> ItemView:
    """Everything about an item that the page shows."""
    outcomes = collected.outcomes
    rate = outcomes.overall.rate if outcomes else None
    return ItemView(
        anchor=anchor_of(collected),
        task=collected.item.task,
        agent=collected.item.condition.agent,
        epoch=collected.item.epoch,
        score=percent(rate),
        width=f"{100 * (rate or 0):.3f}",
        unscored=collected.boundary,
        reason=prose(collected.unscored.reason, 2000) if collected.unscored else None,
        clean=bool(outcomes and outcomes.clean),
        stale=collected.stale,
        facts=tuple(_facts(collected)),
        bars=bars([outcomes]) if outcomes else (),
        ends=tuple(_end(end) for end in outcomes.suites) if outcomes else (),
        notes=tuple(prose(note, 1000) for note in outcomes.notes[:_MOST_NOTES]) if outcomes else (),
        conversation=_conversation(collected.session) if collected.session else None,
        failing=failing_by_file(outcomes) if outcomes else (),
        shown=shown_cases(outcomes, failures, known) if outcomes and failures else ShownCases(),
        not_at_hand=known.why_not(outcomes) if outcomes and failures and failures.cases else None,
        kept=failures is not None,
    )


def _facts(collected: Collected) -> Iterator[tuple[str, Markup]]:
    end, deliverable = collected.end, collected.deliverable
    if end is None:
        yield "Build", Markup("not finished")
    else:
        how = {"done": "the agent said that it was done", "failed": "the agent failed", "limit": "a limit ended it"}
        why = f": {end.limit} limit" if end.limit else ""
        layer = f", enforced by {end.layer}" if end.layer else ""
        code = "" if end.exit_code is None else f", exit code {end.exit_code}"
        yield "Build", name(f"{how[end.ended]}{why}{layer}{code}")
        if end.detail:
            yield "In its words", prose(end.detail, 2000)
        yield "Agent", name(f"{end.agent} {end.agent_version}")
    if deliverable is not None:
        yield "Handed over", name(f"{deliverable.files:,} files, {deliverable.bytes:,} bytes")
        yield "Deliverable", name(deliverable.sha256)
        if deliverable.dropped:
            left_out = [f"{entry.path} ({entry.reason})" for entry in deliverable.dropped[:_MOST_DROPPED]]
            more = len(deliverable.dropped) - len(left_out)
            yield "Left out of it", prose("\n".join(left_out) + (f"\nand {more} more" if more > 0 else ""), 3000)
    attempts = collected.attempts
    if max(attempts.values(), default=0) > 1:
        yield "Attempts", name(", ".join(f"{phase} {number}" for phase, number in attempts.items()))
    yield "Condition", name(_condition(collected))


def _condition(collected: Collected) -> str:
    condition = collected.item.condition
    usual: dict[str, str] = {"exposure": condition.exposure}
    if condition.asks and condition.protocol == "build":
        usual |= {"budget": str(condition.budget), "router": condition.router}
    others = {key: str(value) for key, value in condition.identity().items() if key not in (*usual, "agent")}
    return ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in {**usual, **others}.items())


def _end(end: SuiteEnd) -> tuple[str, str, str]:
    """Suite, its states, and how its ``test.sh`` ended."""
    states = ", ".join(str(state) for state in end.states) or "clean"
    if end.limit:
        how = f"ended by the {end.limit} limit" + (f" ({end.layer})" if end.layer else "")
    elif end.signal is not None:
        how = f"ended by signal {end.signal}"
    elif end.exit_code is not None:
        how = f"exit code {end.exit_code}"
    else:
        how = "not run"
    return end.suite, states, how


def _conversation(session: SessionLog) -> Conversation:
    rates = interaction(session)
    rounds: list[Round] = []
    room = _MOST_CONVERSATION
    for turn in session.turns:
        shown = _round(turn)
        room -= len(shown.question) + len(shown.reply) + 500
        if room < 0:
            break
        rounds.append(shown)
    return Conversation(
        asked=rates.questions,
        budget=session.budget,
        coverage=percent(rates.coverage),
        fallback=percent(rates.fallback_rate),
        parts=", ".join(f"{kind.replace('_', ' ')} {percent(rate)} %" for kind, rate in rates.coverage_by_kind.items()),
        hidden_points=len(session.hidden_ids),
        rounds=tuple(rounds),
        left_out=len(session.turns) - len(rounds),
    )


def _round(turn: Turn) -> Round:
    flags = (
        (turn.fallback, "fallback"),
        (turn.acknowledged_default, "default acknowledged"),
        (turn.more_asked, "more was asked than one reply takes"),
        (turn.alignment is not None, "interface aligned"),
    )
    return Round(
        number=turn.number,
        question=prose(turn.question, _MOST_QUESTION),
        reply=prose(turn.reply, _MOST_REPLY),
        matched=turn.matched[:20],
        flags=tuple(words for flag, words in flags if flag),
        remaining=turn.remaining,
    )

"""A conversation round by round: what was asked and replied, what that brought out, and, for the operator, how each
reply came about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from underspec.artifact.clarification import Draft, Round, Transcript
from underspec.artifact.session import SessionLog, Turn
from underspec.measure.interaction import interaction
from underspec.report.html.visible import prose
from underspec.report.site.telling import Telling
from underspec.report.terminal import percent
from underspec.run.labels import ItemLabels

_MOST_QUESTION = 6_000
_MOST_REPLY = 12_000
_MOST_DRAFTS = 10
_MOST_ROUNDS_BYTES = 400_000


@dataclass(frozen=True)
class DraftView:
    """A reply that was not sent, what was found wanting in it, and the supervisor's reasons."""

    text: Markup
    objections: tuple[str, ...]
    reasons: Markup


@dataclass(frozen=True)
class RoundView:
    """One question. ``reply`` is None where it is left out. ``hits`` are the records that it brought out, ``hit_count``
    their number; ``remaining`` questions were left afterwards, where there is a budget."""

    number: int
    question: Markup
    reply: Markup | None
    hits: tuple[str, ...] = ()
    hit_count: int | None = None
    new: int | None = None
    flags: tuple[str, ...] = ()
    remaining: int | None = None
    drafts: tuple[DraftView, ...] = ()
    revisions: int = 0
    audit: tuple[tuple[str, Markup], ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class TalkView:
    """A whole conversation. ``summary`` are sentences about it; ``left_out`` counts rounds for which there is no room,
    ``failed`` lists rounds that came to no reply."""

    summary: tuple[str, ...]
    rounds: tuple[RoundView, ...]
    left_out: int = 0
    failed: tuple[tuple[int, Markup, Markup], ...] = ()
    missed: tuple[str, ...] = ()


def session_view(session: SessionLog, telling: Telling, *, public: bool) -> TalkView:
    """The session of a User Agent."""
    rates = interaction(session)
    if rates.questions:
        summary = [
            f"{rates.questions} of {session.budget} questions asked. They brought out {percent(rates.coverage)} % of "
            f"{len(session.hidden_ids)} hidden points, and {percent(rates.fallback_rate)} % of them found nothing."
        ]
    else:
        summary = [
            f"Nothing was asked, though {session.budget} questions were allowed and {len(session.hidden_ids)} points "
            "were hidden."
        ]
    if rates.coverage_by_kind:
        kinds = rates.coverage_by_kind.items()
        parts = ", ".join(f"{kind.replace('_', ' ')} {percent(rate)} %" for kind, rate in kinds)
        summary.append(f"By kind: {parts}.")
    summary.append(f"Router: {session.router}.")
    rounds, left_out = _fitting(_turns(session, telling, public=public), len(session.turns))
    return TalkView(tuple(summary), rounds, left_out, missed=() if public else rates.missed)


def _turns(session: SessionLog, telling: Telling, *, public: bool) -> Iterator[RoundView]:
    hidden, seen = set(session.hidden_ids), set[str]()
    for turn in session.turns:
        found = hidden.intersection(turn.matched)
        fresh, seen = len(found - seen), seen | found
        yield RoundView(
            number=turn.number,
            question=telling.prose(turn.question, _MOST_QUESTION),
            reply=None if public else prose(turn.reply, _MOST_REPLY),
            hits=() if public else turn.matched[:40],
            hit_count=len(turn.matched),
            new=fresh,
            flags=tuple(_flags(turn)),
            remaining=turn.remaining,
        )


def _flags(turn: Turn) -> Iterator[str]:
    if turn.fallback:
        yield "fallback"
    if turn.acknowledged_default:
        yield "default acknowledged"
    if turn.more_asked:
        yield "more was asked than one reply takes"
    if turn.alignment is not None:
        yield "interface aligned" + (" by rule" if turn.alignment == "forced" else "")


def transcript_view(transcript: Transcript, telling: Telling, labels: ItemLabels | None, *, public: bool) -> TalkView:
    """The rounds of client and supervisor."""
    rounds = transcript.rounds
    revised = sum(one.revised for one in rounds)
    ended = "the agent ended it" if transcript.finished else f"it ended as {transcript.end.ended}"
    limit = "" if transcript.most_rounds is None else f" of at most {transcript.most_rounds}"
    number = f"{len(rounds)}{limit} {'round' if len(rounds) == 1 else 'rounds'}"
    summary = [f"{number}, {revised} with revised replies; {ended}."]
    if transcript.failed:
        number = "one round" if len(transcript.failed) == 1 else f"{len(transcript.failed)} rounds"
        summary.append(f"Tried again, since it came to no approved reply: {number}.")
    shown, left_out = _fitting((_round(one, telling, labels, public=public) for one in rounds), len(rounds))
    failed = tuple(
        (each.number, telling.prose(each.question, _MOST_QUESTION), prose(each.reason, 2000))
        for each in transcript.failed[:20]
        if not public
    )
    return TalkView(tuple(summary), shown, left_out, failed)


def _round(one: Round, telling: Telling, labels: ItemLabels | None, *, public: bool) -> RoundView:
    returned = one.drafts[:-1]
    return RoundView(
        number=one.number,
        question=telling.prose(one.question, _MOST_QUESTION),
        reply=None if public else prose(one.reply, _MOST_REPLY),
        drafts=() if public else tuple(_draft(each) for each in returned[:_MOST_DRAFTS]),
        revisions=len(returned),
        audit=() if public else tuple((each.kind, prose(each.text, 400)) for each in one.ungrounded[:40]),
        labels=() if public or labels is None else tuple(_labels(one.number, labels)),
    )


def _draft(draft: Draft) -> DraftView:
    verdict = draft.verdict
    return DraftView(prose(draft.text, _MOST_REPLY), verdict.objections, prose(verdict.reasons, 4000))


def _labels(number: int, labels: ItemLabels) -> Iterator[str]:
    words = {True: "correct", False: "wrong", None: "nobody could say"}
    for reply in labels.replies.labels if labels.replies else ():
        if reply.round == number:
            yield f"first draft {words[reply.first]}, sent reply {words[reply.final]}"
    for label in labels.disclosures.labels if labels.disclosures else ():
        if label.round == number and label.disclosure not in ("none", None):
            yield f"{label.unit}: {label.disclosure} disclosure"


def _fitting(rounds: Iterator[RoundView], total: int) -> tuple[tuple[RoundView, ...], int]:
    """The first rounds, as many as there is room for, and how many are left out."""
    kept: list[RoundView] = []
    room = _MOST_ROUNDS_BYTES
    for one in rounds:
        drafts: Sequence[DraftView] = one.drafts
        room -= len(one.question) + len(one.reply or "") + sum(len(each.text) + len(each.reasons) for each in drafts)
        if room < 0 and kept:
            break
        kept.append(one)
    return tuple(kept), total - len(kept)

"""SWE-Clar Table 11 and Figures 4 and 8: what review does to replies, and when what was hidden becomes known."""

from __future__ import annotations

from dataclasses import dataclass

from underspec.measure.conversation import supervisor_transitions
from underspec.measure.disclosure import Disclosure, SourceConversation, disclosure_by_round, disclosure_by_time
from underspec.measure.interval import wilson
from underspec.report.exhibits.arms import HIDING, Arm, builds, clarified, grouped, labels, leading
from underspec.report.exhibits.cells import count, span_of, text
from underspec.report.exhibits.charts import lines
from underspec.report.exhibits.evidence import Entry, Evidence
from underspec.report.exhibits.exhibit import Cell, Column, Figure, Span, Table
from underspec.report.exhibits.icae_main import WHO_BUILDS
from underspec.report.exhibits.marks import end_labels
from underspec.report.exhibits.notes import run_notes
from underspec.report.exhibits.rows import IDENTITY, identity
from underspec.report.terminal import percent

_TRANSITIONS = (
    ("corrected", "Incorrect → correct"),
    ("harmed", "Correct → incorrect"),
    ("kept_correct", "Correct → correct"),
    ("kept_incorrect", "Incorrect → incorrect"),
)


def table_11(evidence: Evidence) -> Table | None:
    """First draft to final reply of revised questions, by who wrote and reviewed them."""
    revised: dict[str, list[tuple[bool | None, bool | None]]] = {}
    questions: dict[str, int] = {}
    asked: dict[str, int] = {}
    for arm in clarified(evidence):
        for entry in arm.entries:
            transcript = entry.one.clarified.transcript if entry.one.clarified else None
            if transcript is None:
                continue
            questions[arm.router] = questions.get(arm.router, 0) + len(transcript.rounds)
            asked[arm.router] = asked.get(arm.router, 0) + sum(one.revised for one in transcript.rounds)
            found = evidence.labels(entry)
            if found is not None and found.replies is not None:
                revised.setdefault(arm.router, []).extend(found.replies.revised(found.transcript))
    rows = []
    notes = []
    for router, pairs in revised.items():
        counted = supervisor_transitions(pairs)
        if not counted.assessed:
            continue
        for key, title in _TRANSITIONS:
            number = getattr(counted, key)
            rows.append(
                {
                    "router": text(router),
                    "transition": text(title),
                    "questions": count(number),
                    "share": Cell(number / counted.assessed, span_of(wilson(number, counted.assessed))),
                }
            )
        notes.append(
            f"{router}: {questions[router]} questions, of which {asked[router]} were revised and {counted.assessed} "
            f"of those assessed; {asked[router] - counted.assessed} have no label on both sides. Exact p-value that "
            f"review corrects as often as it harms: {counted.p_value:.3g}."
        )
    if not rows:
        return None
    columns = (
        Column("router", "Answered by"),
        Column("transition", "Transition"),
        Column("questions", "Questions", "count"),
        Column("share", "Share", "percent"),
    )
    return Table(
        "SWE-Clar Table 11",
        "swe-clar-table-11",
        "What review did to replies",
        columns,
        rows,
        [*run_notes(evidence), *notes, "Brackets are Wilson's 95 % intervals, with questions as the sample."],
    )


@dataclass(frozen=True)
class _Talk:
    """The conversations of one arm, and how many more there are of which nothing is known."""

    arm: Arm
    known: list[Disclosure]
    unlabelled: int


def _of_clarification(evidence: Evidence, entry: Entry) -> Disclosure | None:
    found = evidence.labels(entry)
    if found is None or found.disclosures is None:
        return None
    when = tuple(found.disclosures.first_complete().values())
    return Disclosure(len(found.transcript.rounds), when, found.transcript.finished)


def _of_session(entry: Entry) -> Disclosure | None:
    session = entry.one.session
    if session is None:
        return None
    first: dict[str, int] = {}
    for number, turn in enumerate(session.turns, 1):
        for name in turn.matched:
            first.setdefault(name, number)
    return Disclosure(len(session.turns), tuple(first.get(name) for name in session.hidden_ids))


def _talks(evidence: Evidence) -> tuple[list[_Talk], bool]:
    """Clarifications whose replies are labelled; or else sessions with a User Agent, whose matched records need
    none."""
    kept = [arm for arm in clarified(evidence) if arm.condition.asks]
    found = [
        _talk(arm, [_of_clarification(evidence, entry) for entry in arm.entries])
        for arm in leading(grouped(kept, WHO_BUILDS))
    ]
    if any(talk.known for talk in found):
        return [talk for talk in found if talk.known], True
    asked = [arm for arm in builds(evidence) if arm.condition.asks and arm.condition.exposure in HIDING]
    sessions = [
        _talk(arm, [_of_session(entry) for entry in arm.entries]) for arm in leading(grouped(asked, WHO_BUILDS))
    ]
    return [talk for talk in sessions if talk.known], False


def _talk(arm: Arm, found: list[Disclosure | None]) -> _Talk:
    known = [each for each in found if each is not None]
    return _Talk(arm, known, len(found) - len(known))


_RECORDS = (
    "No clarification is labelled, so these are sessions with a User Agent: what is disclosed are records, which its "
    "log tells."
)
_UNITS = "What is disclosed are requirement units that were hidden at first, fully disclosed for the first time."


def figure_8(evidence: Evidence) -> Figure | None:
    """Mean disclosure over rounds, a line an arm."""
    talks, units = _talks(evidence)
    curves = {id(talk): disclosure_by_round(talk.known) for talk in talks}
    talks = sorted((talk for talk in talks if curves[id(talk)].shares), key=lambda talk: -(curves[id(talk)].final or 0))
    if not talks:
        return None
    names = labels([talk.arm for talk in talks])
    rows = [
        {
            "label": text(name),
            "round": count(number),
            "value": Cell(share),
            "conversations": count(curves[id(talk)].retained),
            **identity(talk.arm, [each.arm for each in talks]),
        }
        for talk, name in zip(talks, names, strict=True)
        for number, share in enumerate(curves[id(talk)].shares)
    ]
    name, slug, title = "SWE-Clar Figure 8", "swe-clar-figure-8", "Disclosure over rounds"
    number, value = (
        Column("round", "Questions answered", "count"),
        Column("value", "Disclosed, mean over conversations", "percent"),
    )
    said, notes = [], []
    for talk, label in zip(talks, names, strict=True):
        curve = curves[id(talk)]
        said.append(f"{label}: {percent(curve.final)} % after {len(curve.shares) - 1} questions")
        notes.append(
            f"{label}: {curve.retained} of {curve.conversations} conversations; {curve.outliers} left out for "
            f"outlying lengths, {curve.nothing_hidden} with nothing hidden, {talk.unlabelled} items without labels or "
            "conversation."
        )
    columns = (Column("label", "Row"), number, value, Column("conversations", "Conversations", "count"), *IDENTITY)
    return Figure(
        name,
        slug,
        title,
        lines(number, value, end_labels(rows, "round"), whole=True),
        Table(name, slug, title, columns, rows),
        f"Mean share disclosed, at the end of each line: {'; '.join(said)}.",
        [
            *run_notes(evidence),
            _UNITS if units else _RECORDS,
            *notes,
            "A conversation that ended keeps its share; lines end with the longest one kept (C.3).",
        ],
    )


def figure_4(evidence: Evidence) -> Figure | None:
    """Disclosure over the time of conversations."""
    recorded = evidence.conversations
    if recorded is None:
        talks, units = _talks(evidence)
        conversations = [_timed(each) for talk in talks for each in talk.known if each.rounds]
        source = f"The clock is the number of questions. {_UNITS if units else _RECORDS}"
    else:
        conversations, source = list(recorded), "Recorded conversations, from their first to their last message."
    curve = disclosure_by_time(conversations)
    if curve is None:
        return None
    name, slug, title = "SWE-Clar Figure 4", "swe-clar-figure-4", "What becomes known as conversations go on"
    curves = [("Disclosed later", curve)]
    whole = disclosure_by_time(conversations, with_initial=True)
    if whole is not None and any(each.initial for each in conversations):
        curves.append(("With the first request", whole))
    rows = [
        {
            "label": text(label),
            "time": Cell(float(found.time[place])),
            "value": Cell(
                float(found.share[place]),
                Span(float(found.low[place]), float(found.high[place]))
                if found.low is not None and found.high is not None
                else None,
            ),
        }
        for label, found in curves
        for place in range(len(found.time))
    ]
    time, value = (
        Column("time", "Part of the conversation", "percent"),
        Column("value", "Became known, mean", "percent"),
    )
    said = "; ".join(
        f"{label}: {percent(found.at(0.25))} % within the first quarter, {percent(found.at(0.5))} % within the first "
        "half"
        for label, found in curves
    )
    return Figure(
        name,
        slug,
        title,
        lines(time, value, end_labels(rows, "time"), band=True),
        Table(name, slug, title, (Column("label", "Curve"), time, value), rows),
        f"Share of what became known in a conversation, by how much of it had passed. {said}.",
        [
            *run_notes(evidence),
            source,
            f"{curve.conversations} of {len(conversations)} conversations have anything that became known; each "
            "weighs the same. The band is pointwise, 95 %, from 2,000 resamples of conversations (A.2).",
        ],
    )


def _timed(talk: Disclosure) -> SourceConversation:
    return SourceConversation(
        0.0, float(talk.rounds), 0, tuple(float(when) for when in talk.disclosed if when is not None)
    )

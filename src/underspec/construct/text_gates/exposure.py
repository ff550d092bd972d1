"""What the requests show: nothing that is hidden at their level, and at L2 all that L1 shows and some points more."""

from __future__ import annotations

import re
from collections.abc import Iterator

from underspec.construct.findings import GateFinding
from underspec.construct.text_gates.edits import apply_edits, check_edits
from underspec.construct.text_gates.omissions import Omissions
from underspec.construct.text_gates.vocabulary import Files
from underspec.construct.text_gates.wording import Text
from underspec.task.embedded import ShownCases, Sought
from underspec.task.model import LevelRecords, RecordKind

_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n|\n(?=\s*(?:[-*#|]|\d+\.))")


def check_hidden(file: str, request: str, hidden: dict[str, tuple[str, ...]]) -> Iterator[GateFinding]:
    """No phrase of an omitted point stands in the request. ``hidden``: phrases by record id."""
    prepared = Text(request)
    for record, phrases in hidden.items():
        for phrase in phrases:
            places = prepared.find(phrase)
            if places:
                yield GateFinding(
                    kind="hidden_phrase_shown",
                    message=f"shows {phrase[:80]!a}, which {record} hides",
                    file=file,
                    where=prepared.line(places[0]),
                    evidence=prepared.quote(places[0]),
                    mend="say it in a layman's words, or hide another phrase",
                )


def check_no_cases(file: str, request: str, suites: dict[str, Files]) -> Iterator[GateFinding]:
    """No case stands in the request. ``suites``: files by suite."""
    shown = ShownCases(request)
    for suite, files in suites.items():
        for stem, cases in sorted(files.items()):
            for index, case in enumerate(cases.cases):
                if shown.shows(Sought(case)):
                    message = f"shows the case {suite}/{stem}.json $.cases[{index}]"
                    mend = "take it out; it is asked for, or hidden"
                    yield GateFinding(kind="case_shown", message=message, file=file, mend=mend)


def check_restored(omissions: Omissions, one: LevelRecords, two: LevelRecords) -> Iterator[GateFinding]:
    """What L2 hides is a proper part of what L1 hides, the same records answer it, and the rest is restored."""
    ours, theirs = {record.id: record for record in one.records}, {record.id: record for record in two.records}
    restored = set(omissions.L2.restored)

    def said(kind: str, message: str, mend: str) -> GateFinding:
        return GateFinding(kind=kind, message=message, file="records.json", where="$.levels.L2", mend=mend)

    for name in sorted(set(theirs) - set(ours)):
        yield said("l2_hides_more", f"L2 hides {name}, which L1 shows", "hide it in L1 too, or show it in L2")
    for name in sorted(set(ours) & set(theirs)):
        if ours[name] != theirs[name]:
            yield said("levels_differ", f"{name} is another record at L1 and at L2", "make both the same")
    for name in sorted(restored - set(ours)):
        yield said("restores_unknown", f"L2 restores {name}, which L1 does not hide", "name a record of L1")
    for name in sorted(restored & set(theirs)):
        yield said("restored_still_hidden", f"L2 restores {name} and still has its record", "remove it from L2")
    for name in sorted(set(ours) - set(theirs) - restored):
        yield said("omission_without_record", f"L2 neither restores {name} nor has its record", "do one of both")
    for name in sorted(name for name in restored & set(ours) if ours[name].kind is RecordKind.CASE_FILE):
        yield said("restores_cases", f"L2 restores the public cases of {name}", "leave them to be asked for")
    authored = {record.id for record in one.records if record.kind is not RecordKind.CASE_FILE}
    if not restored:
        yield said("restores_nothing", "L2 restores no point of L1", "restore some")
    elif authored <= restored:
        yield said("restores_everything", "L2 restores every point of L1", "leave some hidden")


def check_shown_more(omissions: Omissions, one: str, two: str) -> Iterator[GateFinding]:
    """L2's text shows all that L1's shows, and the phrases of each point that it restores."""
    prepared, flat = Text(two), _flat(two)
    for point in omissions.L1.points:
        for phrase in point.hidden if point.record in omissions.L2.restored else ():
            if not prepared.holds(phrase):
                message = f"restores {point.record} and does not state {phrase[:80]!a}"
                mend = "state it, or do not restore the point"
                yield GateFinding(kind="restored_not_shown", message=message, file="L2.md", mend=mend)
    for sentence in filter(None, map(_flat, _SENTENCE.split(apply_edits(one, omissions.L2.edits)))):
        if sentence not in flat:
            yield GateFinding(
                kind="l1_sentence_lost",
                message="lacks a sentence of L1 that no edit replaces",
                file="L2.md",
                evidence=ascii(sentence[:120]),
                mend="keep it, or write the change as an edit",
            )
    yield from check_edits("L2.md", one, two, omissions.L2.edits, where="$.L2")


def _flat(text: str) -> str:
    return " ".join(text.split())

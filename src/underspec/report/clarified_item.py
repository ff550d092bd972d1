"""One item that clarifies, for a reader: the conversation, what was built, what was understood."""

from __future__ import annotations

from typing import Any

from underspec.artifact.acceptance import TestVerdict
from underspec.report.clarified import Clarified
from underspec.report.terminal import percent

_SHOWN_FAILURES = 20


def clarified_document(clarified: Clarified) -> dict[str, Any]:
    """What ``underspec show --json`` has of such an item, beside what all items have."""
    parts = {
        "transcript": clarified.transcript,
        "acceptance": clarified.acceptance,
        "answers": clarified.answers,
        "judgements": clarified.judgements,
    }
    return {name: part.model_dump(mode="json") if part else None for name, part in parts.items()}


def clarified_lines(clarified: Clarified) -> list[str]:
    """The same for a terminal; the caller makes it safe to print."""
    return [*_conversation(clarified), *_acceptance(clarified), *_understanding(clarified)]


def _conversation(clarified: Clarified) -> list[str]:
    transcript = clarified.transcript
    if transcript is None:
        return ["nobody was asked"]
    ended = "the agent ended it" if transcript.finished else f"it ended as {transcript.end.ended}"
    revised = sum(one.revised for one in transcript.rounds)
    lines = ["", f"clarified in {len(transcript.rounds)} rounds, {revised} with revisions; {ended}"]
    for one in transcript.rounds:
        lines += [f"  {one.number}. Q: {_indented(one.question)}", f"     A: {_indented(one.reply)}"]
        for place, draft in enumerate(one.drafts[:-1], 1):
            verdict = draft.verdict
            lines.append(f"        [draft {place} returned: {', '.join(verdict.objections)}: {_line(verdict.reasons)}]")
        if one.ungrounded:
            said = ", ".join(f"{_line(each.text)} ({each.kind})" for each in one.ungrounded)
            lines.append(f"        [stands nowhere else: {said}]")
    lines += [f"  a failed round {each.number}: {_line(each.reason)}" for each in transcript.failed]
    return lines


def _acceptance(clarified: Clarified) -> list[str]:
    acceptance = clarified.acceptance
    if acceptance is None:
        return ["", "not accepted or rejected yet"]
    tests, units = acceptance.test_rate, acceptance.unit_rate
    word = "accepted" if acceptance.passed else "rejected"
    lines = ["", f"{word}: {tests.passed} of {tests.total} tests pass, {units.passed} of {units.total} units"]
    failed = [test for test in acceptance.tests if test.verdict is not TestVerdict.PASSED]
    lines += [f"  {test.verdict}: {_line(test.id)}" for test in failed[:_SHOWN_FAILURES]]
    if len(failed) > _SHOWN_FAILURES:
        lines.append(f"  and {len(failed) - _SHOWN_FAILURES} more; all of them with --json")
    return lines + [f"note: {_line(note)}" for note in acceptance.notes]


def _understanding(clarified: Clarified) -> list[str]:
    judgements = clarified.judgements
    if judgements is None:
        return ["", "not judged yet"]
    lines = ["", f"understood: {percent(judgements.score)} %, fully correct {percent(judgements.strict)} %"]
    for unit in judgements.units:
        reviews = ", ".join(str(review.label) for review in unit.reviews) if unit.disputed else ""
        lines.append(f"  {unit.unit}: {unit.label or 'not settled'}{f' (reviews: {reviews})' if reviews else ''}")
    return lines


def _indented(text: str) -> str:
    """Text of an agent or a client below its own beginning, so that no line of it passes for one of ours."""
    return text.replace("\n", "\n        ")


def _line(text: str) -> str:
    return text.replace("\n", "\\n")

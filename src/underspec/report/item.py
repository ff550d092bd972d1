"""One item for a reader: how it was built, the conversation, the outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from underspec.artifact.outcomes import CaseOutcome, Outcomes
from underspec.grade.view import grade_document
from underspec.measure.interaction import interaction
from underspec.report.beside_item import beside_document, beside_lines
from underspec.report.clarified_item import clarified_document, clarified_lines
from underspec.report.collect import Collected
from underspec.report.terminal import percent, plain

_SHOWN_FAILURES = 20


def item_document(collected: Collected, folder: Path) -> dict[str, Any]:
    """The document of ``underspec show --json``."""
    item = collected.item
    return {
        "item": item.id,
        "folder": str(folder),
        "task": item.task,
        "epoch": item.epoch,
        "condition": {"id": item.condition.id, **item.condition.model_dump(mode="json")},
        "attempts": collected.attempts,
        "stale": collected.stale,
        "build": collected.end.model_dump(mode="json") if collected.end else None,
        "deliverable": collected.deliverable.model_dump(mode="json") if collected.deliverable else None,
        "session": collected.session.model_dump(mode="json") if collected.session else None,
        "grade": grade_document(collected.outcomes) if collected.outcomes else None,
        "unscored": collected.unscored.model_dump(mode="json") if collected.unscored else None,
        **(clarified_document(collected.clarified) if collected.clarified else {}),
        **beside_document(collected),
    }


def item_text(collected: Collected, folder: Path) -> str:
    """The same for a terminal. Text of agents and tasks is made safe to print."""
    item = collected.item
    lines = [
        f"{item.task} × {item.condition.agent}, exposure {item.condition.exposure}, epoch {item.epoch}",
        f"folder   {folder}",
        f"attempts {_attempts(collected)}",
    ]
    if collected.end:
        end = collected.end
        why = f" ({end.limit} limit)" if end.limit else f" ({_one_line(end.detail)})" if end.detail else ""
        phase = "build" if item.condition.protocol == "build" else "PHASE"
        stale = f"; stale: made from other inputs than today's, --redo {phase} makes it anew" if collected.stale else ""
        lines.append(f"build    {end.ended}{why}{stale}")
    if collected.deliverable:
        deliverable = collected.deliverable
        lines.append(f"handed over {deliverable.files} files, {deliverable.bytes} bytes, {deliverable.sha256[:16]}")
        lines += [f"  left out: {_one_line(entry.path)} ({entry.reason})" for entry in deliverable.dropped]
    lines += clarified_lines(collected.clarified) if collected.clarified else _conversation(collected)
    if collected.outcomes:
        lines += _outcomes(collected.outcomes)
    elif collected.unscored:
        lines.append(f"unscored: {collected.unscored.boundary}: {_one_line(collected.unscored.reason)}")
    elif not collected.scored:
        lines.append("not finished yet; the command that planned it goes on with it")
    lines += beside_lines(collected)
    return plain("\n".join(lines))


def _attempts(collected: Collected) -> str:
    # Items that clarify have what they are made of under these names as well.
    aliases = () if collected.item.condition.protocol == "build" else ("build", "grade")
    return ", ".join(f"{phase} {number}" for phase, number in collected.attempts.items() if phase not in aliases)


def _conversation(collected: Collected) -> list[str]:
    session = collected.session
    if session is None:
        return ["nobody to ask under this condition"] if collected.end else []
    rates = interaction(session)
    lines = [
        "",
        f"asked {rates.questions} of {session.budget}; coverage {percent(rates.coverage)} %, "
        f"fallback {percent(rates.fallback_rate)} % (router {session.router})",
    ]
    for turn in session.turns:
        matched = ", ".join(turn.matched) if turn.matched else "nothing matched"
        lines += [
            f"  {turn.number}. Q: {_indented(turn.question)}",
            f"     A: {_indented(turn.reply)}",
            f"        [{matched}]",
        ]
    return lines


def _indented(text: str) -> str:
    """Text of an agent or a task below its own beginning, so that no line of it passes for one of ours."""
    return text.replace("\n", "\n        ")


def _one_line(text: str) -> str:
    return text.replace("\n", "\\n")


def _outcomes(outcomes: Outcomes) -> list[str]:
    document = grade_document(outcomes)
    lines = [""]
    for name, suite in document["suites"].items():
        states = f"  [{', '.join(suite['states'])}]" if suite["states"] else ""
        lines.append(f"{name:9} {percent(suite['rate']):>6} %  {suite['passed']} of {suite['total']}{states}")
    overall = document["overall"]
    lines.append(f"{'overall':9} {percent(overall['rate']):>6} %  {overall['passed']} of {overall['total']}")
    failed = [case for case in outcomes.suite("overall") if case.outcome is not CaseOutcome.PASS]
    lines += [f"  {case.outcome}: {case.suite}/{case.file} #{case.index}" for case in failed[:_SHOWN_FAILURES]]
    if len(failed) > _SHOWN_FAILURES:
        lines.append(f"  and {len(failed) - _SHOWN_FAILURES} more; all of them with --json")
    return lines + [f"note: {note}" for note in outcomes.notes]

"""The page of one item."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from underspec.artifact.acceptance import AcceptanceFailures
from underspec.artifact.failures import Failures
from underspec.artifact.outcomes import SuiteEnd
from underspec.phase.accept import ACCEPTANCE_FAILURES_FILE
from underspec.report.collect import Collected, read_failures
from underspec.report.html.bars import bars
from underspec.report.html.cases import ShownCases, TaskCases, failing_by_file, shown_cases
from underspec.report.html.visible import decoded, name, prose
from underspec.report.site.beside import (
    acceptance_view,
    critic_views,
    spent_by_role,
    structure_view,
    understanding_view,
)
from underspec.report.site.lines import ItemLine
from underspec.report.site.plan import RunPlace, SitePlan, TaskPlace, value_words
from underspec.report.site.render import Pages
from underspec.report.site.request import request_of
from underspec.report.site.talk import TalkView, session_view, transcript_view
from underspec.report.site.telling import Telling
from underspec.run.labels import chosen_artifact, item_labels
from underspec.run.store import RunStore
from underspec.task.model import Task

_MOST_DROPPED = 20
_MOST_NOTES = 20
_HOW = {"done": "the agent said that it was done", "failed": "the agent failed", "limit": "a limit ended it"}


@dataclass(frozen=True)
class ItemContext:
    """What is the same for all items of one task."""

    plan: SitePlan
    place: TaskPlace
    task: Task | None
    why_no_task: str | None
    telling: Telling
    cases: TaskCases


def write_item(
    pages: Pages, context: ItemContext, collected: Collected, line: ItemLine, all_: Sequence[ItemLine]
) -> None:
    """Write the page of one item; ``all_`` are the lines of all items of its task.

    Raises:
        StoreError: names the file that is damaged.
    """
    plan, public = context.plan, context.plan.public
    context = replace(context, telling=context.telling.beside(_replies(collected)))
    run = plan.runs[line.place.run]
    store = RunStore(run.folder)
    outcomes, item = collected.outcomes, collected.item
    failures, quoting = _without_quotations(read_failures(collected), context)
    standing = plan.standings[line.place.standing]
    values: dict[str, Any] = {
        "item": item,
        "line": line,
        "run": run,
        "standing": standing,
        "task": context.place,
        # A reason may name files, whose places are the operator's own.
        "reason": prose(collected.unscored.reason, 3000) if collected.unscored and not public else None,
        "facts": list(_facts(collected, context.telling)),
        "condition": _condition(collected),
        "request": request_of(
            store, item, context.task, public=public, graded_digest=outcomes.task_digest if outcomes else None
        ),
        "talk": _talk(store, collected, context),
        "bars": bars([outcomes]) if outcomes else (),
        "ends": [_end(end) for end in outcomes.suites] if outcomes else (),
        "notes": [context.telling.prose(note, 1000) for note in outcomes.notes[:_MOST_NOTES]] if outcomes else (),
        "failing": failing_by_file(outcomes) if outcomes else (),
        "shown": shown_cases(outcomes, failures, context.cases) if outcomes and failures else ShownCases(),
        "kept": failures is not None,
        "quoting": quoting,
        "not_at_hand": context.cases.why_not(outcomes) if outcomes and failures and failures.cases else None,
        "acceptance": _acceptance(store, collected, public=public),
        "understanding": understanding_view(collected, context.task, public=public),
        "structure": structure_view(collected.structure, public=public) if collected.structure else None,
        "structure_why": collected.structure_why,
        "critic": critic_views(collected.review, public=public) if collected.review else None,
        "critic_model": collected.review.model if collected.review else None,
        "critic_why": collected.review_why,
        "spent": spent_by_role(collected),
        "evidence": None if public else _evidence(run, item.folder, pages.site_folder, line.place.page),
        "others": all_,
        "attempts": [(phase, number) for phase, number in collected.attempts.items() if number],
    }
    title = f"{standing.words} on {item.task}" + (f", epoch {item.epoch}" if item.epoch > 1 else "")
    pages.add(line.place.page, "item.html.j2", title, "tasks.html", **values)


def _without_quotations(failures: Failures | None, context: ItemContext) -> tuple[Failures | None, int]:
    """What failing cases printed, without what quotes something hidden, and how many cases that are."""
    if failures is None:
        return None, 0
    kept = [case for case in failures.cases if not context.telling.quotes(decoded(case.output or b""))]
    return failures.model_copy(update={"cases": tuple(kept)}), len(failures.cases) - len(kept)


def _replies(collected: Collected) -> list[str]:
    """What the agent was told, and what it was not: its own words may quote the one, and logs the other."""
    session, clarified = collected.session, collected.clarified
    told = [turn.reply for turn in session.turns if not turn.fallback] if session else []
    if clarified is not None and clarified.transcript is not None:
        told += [draft.text for one in clarified.transcript.rounds for draft in one.drafts]
    return told


def _facts(collected: Collected, telling: Telling) -> Iterator[tuple[str, Markup]]:
    end, deliverable = collected.end, collected.deliverable
    if end is None:
        yield "Build", Markup("not finished")
    else:
        why = f": {end.limit} limit" if end.limit else ""
        layer = f", enforced by {end.layer}" if end.layer else ""
        code = "" if end.exit_code is None else f", exit code {end.exit_code}"
        yield "Build", name(f"{_HOW[end.ended]}{why}{layer}{code}")
        if end.detail:
            yield "In its words", telling.prose(end.detail, 2000)
        yield "Agent", name(f"{end.agent} {end.agent_version}")
    if deliverable is not None:
        yield (
            "Handed over",
            name(f"{deliverable.files:,} {'file' if deliverable.files == 1 else 'files'}, {deliverable.bytes:,} bytes"),
        )
        yield "Deliverable", name(deliverable.sha256)
        if deliverable.dropped:
            left_out = [f"{entry.path} ({entry.reason})" for entry in deliverable.dropped[:_MOST_DROPPED]]
            more = len(deliverable.dropped) - len(left_out)
            yield (
                "Left out of it",
                telling.prose("\n".join(left_out) + (f"\nand {more} more" if more > 0 else ""), 3000),
            )


def _condition(collected: Collected) -> list[tuple[str, str]]:
    """What an item was made under: exposure and who answered, and all that is not usual."""
    condition = collected.item.condition
    usual: dict[str, Any] = {"exposure": condition.exposure, "image": condition.image}
    if condition.asks and condition.protocol == "build":
        usual |= {"budget": condition.budget, "router": condition.router}
    fields = {**usual, **{key: value for key, value in condition.identity().items() if key != "agent"}}
    return [(key.replace("_", " "), value_words(value)) for key, value in fields.items()]


def _end(end: SuiteEnd) -> tuple[str, tuple[str, ...], str]:
    """Suite, its states, and how its ``test.sh`` ended."""
    if end.limit:
        how = f"ended by the {end.limit} limit" + (f" ({end.layer})" if end.layer else "")
    elif end.signal is not None:
        how = f"ended by signal {end.signal}"
    elif end.exit_code is not None:
        how = f"exit code {end.exit_code}"
    else:
        how = "not run"
    return end.suite, tuple(str(state) for state in end.states), how


def _talk(store: RunStore, collected: Collected, context: ItemContext) -> TalkView | None:
    public = context.plan.public
    if collected.session is not None:
        return session_view(collected.session, context.telling, public=public)
    clarified = collected.clarified
    if clarified is None or clarified.transcript is None:
        return None
    known = context.task is not None and context.task.units is not None and not public
    labels = item_labels(store, collected.item, context.task) if known and context.task else None
    return transcript_view(clarified.transcript, context.telling, labels, public=public)


def _acceptance(store: RunStore, collected: Collected, *, public: bool) -> Any:
    clarified = collected.clarified
    if clarified is None or clarified.acceptance is None:
        return None
    artifact = chosen_artifact(store, collected.item, "accept")
    path = artifact / ACCEPTANCE_FAILURES_FILE if artifact else None
    failures = AcceptanceFailures.read(path) if path and path.exists() and not public else None
    return acceptance_view(clarified.acceptance, failures, public=public)


def _evidence(run: RunPlace, folder: str, site: Path, page: str) -> tuple[str, str] | None:
    """The log that has the item's transcript: its name, and its address from the page."""
    log = run.evidence.get(folder)
    if log is None:
        return None
    path = os.path.relpath(run.folder / "evidence" / log, (site / page).parent)
    return log, "/".join(_quoted(part) for part in Path(path).parts)


def _quoted(part: str) -> str:
    from urllib.parse import quote

    return quote(part)

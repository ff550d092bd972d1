"""Rows of the tables, from what is collected of an item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.artifact.ledger import BUILDER, TABLE_5_PHASES, read_ledger, total
from underspec.measure.functional import VIEWS
from underspec.measure.interaction import interaction
from underspec.model.ledger import FILE as LEDGER_FILE
from underspec.report.collect import Collected
from underspec.report.durations import builder_seconds
from underspec.report.export.columns import TableName
from underspec.report.scores import BESIDE, RATIOS
from underspec.run.store import RunStore
from underspec.task.model import TaskToml

Row = dict[str, Any]


@dataclass(frozen=True)
class ExportedItem:
    """One item with where it is. ``toml`` is its task's, where that was to be had."""

    run: str
    store: RunStore
    collected: Collected
    toml: TaskToml | None

    @property
    def place(self) -> Row:
        """The columns that every row begins with."""
        item = self.collected.item
        return {"run": self.run, "item": item.id, "task": item.task}


def rows_of(one: ExportedItem, *, public: bool) -> dict[TableName, list[Row]]:
    """The item's rows of every table."""
    return {
        "items": [item_row(one)],
        "cases": list(_cases(one, public=public)),
        "questions": list(_questions(one)),
        "units": list(_units(one)),
        "calls": list(_calls(one)),
    }


def item_row(one: ExportedItem) -> Row:
    """The row of the table ``items``."""
    known = one.collected
    item, end, clarified = known.item, known.end, known.clarified
    acceptance = clarified.acceptance if clarified else None
    judgements = clarified.judgements if clarified else None
    outcomes = known.outcomes
    return {
        **one.place,
        "condition_id": item.condition.id,
        "epoch": item.epoch,
        "task_title": one.toml.title if one.toml else None,
        "task_family": one.toml.family if one.toml else None,
        "task_category": one.toml.category if one.toml else None,
        "task_language": one.toml.language if one.toml else None,
        **item.condition.model_dump(mode="json"),
        "scored": known.scored,
        "unscored_boundary": known.boundary,
        "unscored_reason": known.unscored.reason if known.unscored and not known.scored else None,
        "stale": known.stale,
        "ended": end.ended if end else None,
        "limit": end.limit if end else None,
        "task_digest": outcomes.task_digest if outcomes else acceptance.task_digest if acceptance else None,
        "comparison": outcomes.comparison if outcomes else "tests" if acceptance else None,
        "image_digest": outcomes.image if outcomes else acceptance.image if acceptance else None,
        "deliverable": known.deliverable.sha256 if known.deliverable else None,
        "deliverable_files": known.deliverable.files if known.deliverable else None,
        "deliverable_bytes": known.deliverable.bytes if known.deliverable else None,
        "build_attempts": known.attempts.get("build"),
        **_rates(known),
        "task_pass": outcomes.clean if outcomes else acceptance.passed if acceptance else None,
        "tests_passed": acceptance.test_rate.passed if acceptance else None,
        "tests_total": acceptance.test_rate.total if acceptance else None,
        "unit_pass": acceptance.unit_rate.rate if acceptance else None,
        "clarification": judgements.score if judgements else None,
        "clarification_strict": judgements.strict if judgements else None,
        **_asked(known),
        **_beside(known),
        "seconds": builder_seconds(one.store, item),
        **_spent(known),
    }


def _rates(known: Collected) -> Row:
    found: Row = {}
    for view in VIEWS if known.outcomes else ():
        assert known.outcomes is not None
        rate = known.outcomes.rate_of(known.outcomes.suite(view))
        found |= {f"{view}_passed": rate.passed, f"{view}_total": rate.total, f"{view}_rate": rate.rate}
    return found


def _asked(known: Collected) -> Row:
    if known.session is not None:
        asked = interaction(known.session)
        return {
            "questions": asked.questions,
            "coverage": asked.coverage,
            "fallback_rate": asked.fallback_rate,
            "budget_use": asked.budget_use,
        }
    transcript = known.clarified.transcript if known.clarified else None
    return {"questions": len(transcript.rounds) if transcript else None}


def _beside(known: Collected) -> Row:
    found: Row = {name: figure(known) for name, figure in {**BESIDE, **RATIOS}.items()}
    return {**found, "critic_model": known.review.model if known.review else None}


def _spent(known: Collected) -> Row:
    task, everybody = known.task_cost, total(known.spending.values())
    return {"calls": task.calls, "tokens": task.tokens, "cost": task.cost, "total_cost": everybody.cost}


def _cases(one: ExportedItem, *, public: bool) -> Iterator[Row]:
    place = one.place
    for case in one.collected.outcomes.cases if one.collected.outcomes else ():
        covered = public and case.hidden
        yield {
            **place,
            "suite": case.suite,
            "file": None if covered else case.file,
            "index": None if covered else case.index,
            "outcome": str(case.outcome),
            "hidden": case.hidden,
        }


def _questions(one: ExportedItem) -> Iterator[Row]:
    known = one.collected
    for turn in known.session.turns if known.session else ():
        yield {
            **one.place,
            "number": turn.number,
            "question": turn.question,
            "reply": turn.reply,
            "fallback": turn.fallback,
            "acknowledged_default": turn.acknowledged_default,
            "alignment": turn.alignment,
            "remaining": turn.remaining,
            "matched": list(turn.matched),
        }
    transcript = known.clarified.transcript if known.clarified else None
    for each in transcript.rounds if transcript else ():
        yield {
            **one.place,
            "number": each.number,
            "question": each.question,
            "reply": each.reply,
            "drafts": len(each.drafts),
            "objections": sorted({name for draft in each.drafts for name in draft.verdict.objections}),
            "ungrounded": len(each.ungrounded),
        }


def _units(one: ExportedItem) -> Iterator[Row]:
    clarified = one.collected.clarified
    if clarified is None:
        return
    answers = {each.unit: each.text for each in clarified.answers.answers} if clarified.answers else {}
    passed = {each.id: each for each in clarified.acceptance.units} if clarified.acceptance else {}
    judged = {each.unit: each for each in clarified.judgements.units} if clarified.judgements else {}
    for unit in dict.fromkeys([*passed, *judged, *answers]):
        outcome, judgement = passed.get(unit), judged.get(unit)
        label = judgement.label if judgement else None
        yield {
            **one.place,
            "unit": unit,
            "passed": outcome.passed if outcome else None,
            "label": str(label) if label else None,
            "label_score": label.score if label else None,
            "reviews": len(judgement.reviews) if judgement else None,
            "disputed": judgement.disputed if judgement else None,
            "answer": answers.get(unit),
            "failed_tests": list(outcome.failed) if outcome else None,
        }


def _calls(one: ExportedItem) -> Iterator[Row]:
    for phase, attempt, path in ledgers(one.store, one.collected):
        for call in read_ledger(path):
            yield {
                **one.place,
                "attempt": attempt,
                **call.model_dump(mode="json", exclude={"schema_version", "endpoint", "price_source"}),
                "phase": call.phase or phase,
                "in_task_cost": call.role == BUILDER and call.phase in TABLE_5_PHASES,
            }


def ledgers(store: RunStore, known: Collected) -> Iterator[tuple[str, int, Path]]:
    """Every ledger of an item, with its phase and attempt, in order."""
    folder = store.path / "items" / known.item.folder
    for phase in sorted(each.name for each in folder.iterdir() if (each / "attempts").is_dir()):
        for attempt in store.phase(known.item, phase).attempts():
            yield phase, int(attempt.name), attempt / LEDGER_FILE


def questions_seen(known: Collected) -> list[dict[str, str]]:
    """Questions and replies as the agent has them."""
    if known.session is not None:
        return [{"question": turn.question, "reply": turn.reply} for turn in known.session.turns]
    transcript = known.clarified.transcript if known.clarified else None
    return [{"question": each.question, "reply": each.reply} for each in transcript.rounds] if transcript else []

"""What ``underspec stakeholder route`` does: labelled questions through a router, and how well it did."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from underspec.errors import TaskError, UsageError
from underspec.report.terminal import plain
from underspec.stakeholder.questions import Placed, check_labels, read_questions
from underspec.stakeholder.route_measures import Routed, summary
from underspec.stakeholder.router import Router, Routing
from underspec.task import release
from underspec.task.catalog import find_task
from underspec.task.icae.records import read_record_file
from underspec.task.load import load_task
from underspec.task.model import LEVELS, Level, LevelRecords

_SHOWN = ("top1", "recall_at_3", "right_given", "answered_unanswerable")


async def route_questions(task: str, questions: Path, router: Router, exposure: str) -> dict[str, Any]:
    """Route every question in the order of the file; the document that ``--json`` prints.

    Raises:
        UsageError: the exposure, the router, the task or the file of questions is none.
        TaskError: the records or a line of the questions are bad.
    """
    if exposure not in LEVELS:
        raise UsageError(
            f"nobody answers questions at exposure {exposure!r}", mend=f"choose one of {', '.join(LEVELS)}"
        )
    level = cast("Level", exposure)
    known, names = _records(task)
    placed, left_out = _of_this_task(read_questions(questions), names)
    if left_out:
        typer.echo(f"{left_out} questions about other tasks were left out", err=True)
    if missing := {one.labelled.level or level for one in placed} - known.keys():
        raise TaskError(f"has no records for {', '.join(sorted(missing))}", file=task, mend="choose another --exposure")
    check_labels(placed, {name: set(records.responses()) for name, records in known.items()}, level, str(questions))
    routed = []
    for one in track(placed, "routing", console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()):
        routing = await router.route(one.labelled.question, known[one.labelled.level or level], ())
        routed.append((one, routing))
    return {
        "questions": [_row(one, routing) for one, routing in routed],
        "summary": summary([_measured(one, routing) for one, routing in routed])
        | {"router": router.name, "left_out": left_out},
    }


def _records(task: str) -> tuple[Mapping[Level, LevelRecords], frozenset[str]]:
    """Records by level, and what questions may call the task. A published record file is one level, whichever."""
    path = Path(task)
    if path.suffix == ".json" and path.is_file():
        records = read_record_file(path)
        return {"L1": records, "L2": records, "L3": records}, frozenset({path.stem, path.name})
    loaded = load_task(find_task(task))
    if loaded.records is None:
        raise TaskError("has no records, so that nobody can answer", file=task, mend="choose a repository task")
    own = {level: release.session_records(loaded, level) for level in LEVELS if level in loaded.records.levels}
    return own, frozenset({loaded.id, loaded.path.name})


def _of_this_task(placed: list[Placed], names: frozenset[str]) -> tuple[list[Placed], int]:
    """Those that name the task; all of them where none does, since a file may call it something else."""
    own = [one for one in placed if one.labelled.task is None or one.labelled.task in names]
    if not any(one.labelled.task in names for one in own):
        return placed, 0
    return own, len(placed) - len(own)


def _row(one: Placed, routing: Routing) -> dict[str, Any]:
    row: dict[str, Any] = {"task": one.labelled.task, "question": one.labelled.question}
    if one.labelled.kind is not None:
        row["kind"] = one.labelled.kind
    return row | {
        "ids": list(routing.ids),
        "ranking": list(routing.ranking),
        "gold": one.labelled.gold,
        "also_ok": one.labelled.also_ok,
    }


def _measured(one: Placed, routing: Routing) -> Routed:
    labelled = one.labelled
    return Routed(tuple(labelled.gold), tuple(labelled.also_ok), labelled.kind, routing.ids, routing.ranking)


def print_measures(document: dict[str, Any]) -> None:
    """The summary for people."""
    figures = document["summary"]
    table = Table("kind", "questions", "top-1", "recall at 3", "right given", "unanswerable answered")
    total = {"questions": len(document["questions"]), **figures}
    for kind, group in [*figures["by_kind"].items(), ("all", total)]:
        cells = (group[name] for name in _SHOWN)
        table.add_row(plain(kind), str(group["questions"]), *("" if cell is None else f"{cell:.3f}" for cell in cells))
    Console().print(table)

"""The pages that look at all items together: leaderboard, breakdown, tasks, conditions, runs, comparison, exhibits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from markupsafe import Markup

from underspec.report.collect import Collected
from underspec.report.document import report_document
from underspec.report.durations import builder_seconds
from underspec.report.exhibits.catalogue import catalogue
from underspec.report.exhibits.exhibit import Exhibit
from underspec.report.runs import Run
from underspec.report.site.board import Board, Scores
from underspec.report.site.compare import write_comparisons
from underspec.report.site.condition import write_condition
from underspec.report.site.exhibit_pages import Absent, write_exhibits
from underspec.report.site.plan import SitePlan
from underspec.report.site.render import Pages
from underspec.report.site.run_pages import write_runs
from underspec.report.site.slices import Slice, filter_data, slices_of
from underspec.report.site.tasks import write_tasks
from underspec.run.store import RunStore

Exhibits = Callable[[Sequence[Run]], Iterable[Exhibit]]
_OPERATORS = frozenset({"icae-figure-8"})
"""Exhibits that name what tasks hide: categories of records."""


def write_overview(pages: Pages, runs: Sequence[Run], exhibits: Exhibits) -> None:
    """Write all pages but those of single tasks and items."""
    plan = pages.plan
    members = _by_standing(plan, runs)
    rows = _rows(plan, runs)
    scores = Scores(plan, members)
    boards = scores.boards(rows)
    seconds = _seconds(plan, members)
    parts = {
        kind: [slices_of(plan, scores, board, kind, ranked=kind != "both") for board in boards]
        for kind in ("language", "category", "both")
    }
    _write_index(pages, parts, boards, rows)
    _write_breakdown(pages, parts, boards)
    write_tasks(pages, scores, boards, members)
    for place in range(len(plan.standings)):
        write_condition(pages, place, members[place], rows[place], boards, seconds)
    write_runs(pages, runs, members, rows)
    write_comparisons(pages, boards, members, seconds)
    shown = exhibits(runs)
    if plan.public:
        shown = (each for each in shown if each.slug not in _OPERATORS)
    write_exhibits(pages, shown, _absent)
    pages.add("reading.html", "reading.html.j2", "How to read these pages")


def _absent(there: set[str]) -> list[Absent]:
    return [Absent(each.name, each.title, each.needs) for each in catalogue() if each.slug not in there]


def _by_standing(plan: SitePlan, runs: Sequence[Run]) -> list[list[Collected]]:
    """Items of each line, in the order of the plan; those that a run got since it was planned are no part of it."""
    places = {(each.run, each.item.id): each.standing for task in plan.tasks for each in task.items}
    found: list[list[Collected]] = [[] for _ in plan.standings]
    for number, run in enumerate(runs):
        for each in run.items:
            place = places.get((number, each.item.id))
            if place is not None:
                found[place].append(each)
    return found


def _rows(plan: SitePlan, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Each line's row of its run's report document."""
    documents = [report_document(run.name, run.items, comparable=run.comparable) for run in runs]
    by_id = [{row["condition"]["id"]: row for row in document["rows"]} for document in documents]
    return [by_id[each.run][each.condition.id] for each in plan.standings]


def _seconds(plan: SitePlan, members: Sequence[Sequence[Collected]]) -> list[dict[str, float | None]]:
    stores = [RunStore(run.folder) for run in plan.runs]
    return [
        {each.item.id: builder_seconds(stores[standing.run], each.item) for each in of_line}
        for standing, of_line in zip(plan.standings, members, strict=True)
    ]


Parts = Mapping[str, Sequence[Sequence[Slice]]]
"""Slices by kind, and of each kind by board."""


def _write_index(pages: Pages, parts: Parts, boards: Sequence[Board], rows: Sequence[dict[str, Any]]) -> None:
    plan = pages.plan
    lines = len(plan.standings)
    merged: dict[tuple[str, str], Slice] = {}
    for one in chain.from_iterable(chain.from_iterable(parts.values())):
        known = merged.get((one.language, one.category))
        merged[one.language, one.category] = one if known is None else known.joined(one)
    data = filter_data(list(merged.values()), lines=lines)
    unscored: dict[str, int] = {}
    for row in rows:
        for boundary, number in row["unscored"].items():
            unscored[boundary] = unscored.get(boundary, 0) + number
    planned, scored = sum(row["planned"] for row in rows), sum(row["scored"] for row in rows)
    pages.add(
        "index.html",
        "index.html.j2",
        f"Leaderboard: {plan.title}",
        boards=boards,
        planned=planned,
        scored=scored,
        unscored=unscored,
        stale=sum(row["stale"] for row in rows),
        cases=sum(
            rate["total"] for row in rows for view, rate in row["cases"].items() if view in ("native", "enhanced")
        ),
        comparable=all(run.comparable for run in plan.runs),
        languages=sorted({task.language for task in plan.tasks}),
        categories=sorted({task.category for task in plan.tasks}),
        fields=_filter_fields(plan),
        data=Markup(data) if data else None,
    )


def _filter_fields(plan: SitePlan) -> list[tuple[str, list[str]]]:
    """The fields of lines by which a reader may choose, with their values."""
    values: dict[str, dict[str, None]] = {"agent": dict.fromkeys(each.agent for each in plan.standings)}
    for key, value in chain.from_iterable(each.settings for each in plan.standings):
        values.setdefault(key, {})[value] = None
    return [(key, sorted(found)) for key, found in values.items() if len(found) > 1]


def _write_breakdown(pages: Pages, parts: Parts, boards: Sequence[Board]) -> None:
    tables = [
        (board, kind, parts[kind][number]) for number, board in enumerate(boards) for kind in ("language", "category")
    ]
    pages.add("breakdown.html", "breakdown.html.j2", "Breakdown by language and category", tables=tables)

"""The rows of the page's table, and the groups of bars, from the report document and what was collected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from underspec.report.collect import Collected
from underspec.report.html.bars import Bar, bars
from underspec.report.terminal import best_first, dollars, percent, varied_fields

MOST_ROWS = 500
MOST_GROUPS = 60


@dataclass(frozen=True)
class Row:
    """One line: a condition on one task, or on all its tasks when there are several (``task`` is then None).

    ``bounds`` is what the overall rate could be where something is unscored, else None. ``interval`` is the mean over
    tasks and its interval, None on the lines of single tasks.
    """

    agent: str
    settings: tuple[tuple[str, str], ...]
    task: str | None
    tasks: int
    anchor: str | None
    overall: str
    width: str
    bounds: tuple[str, str] | None
    interval: tuple[str, str, str] | None
    figures: tuple[tuple[str, str], ...]
    scored: int
    planned: int
    unscored: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Group:
    """The bars of one condition over all its tasks."""

    agent: str
    settings: tuple[tuple[str, str], ...]
    scored: int
    planned: int
    bars: tuple[Bar, ...]


def anchor_of(collected: Collected) -> str:
    """The name under which the page holds an item."""
    return f"item-{collected.item.id[:16]}"


def table_rows(document: dict[str, Any], collected: Sequence[Collected]) -> list[Row]:
    """All rows of the table, the best condition first."""
    anchors: dict[tuple[str, str], str] = {}
    for each in collected:
        anchors.setdefault((each.item.condition.id, each.item.task), anchor_of(each))
    names = varied_fields(document)
    found: list[Row] = []
    for row in best_first(document):
        settings = _settings(row, names)
        tasks = row["tasks"]
        if len(tasks) > 1:
            found.append(_row(row, row["agent"], settings, None, len(tasks), None))
        for task in tasks:
            anchor = anchors.get((row["condition"]["id"], task["task"]))
            found.append(_row(task, row["agent"], settings, task["task"], 1, anchor))
    return found


def _settings(row: dict[str, Any], names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, _value(row["condition"].get(name))) for name in names)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)


def _row(
    figures: dict[str, Any],
    agent: str,
    settings: tuple[tuple[str, str], ...],
    task: str | None,
    tasks: int,
    anchor: str | None,
) -> Row:
    overall = figures["overall_pooled"]
    low, high = figures["bounds"]
    partial = figures["scored"] < figures["planned"]
    return Row(
        agent=agent,
        settings=settings,
        task=task,
        tasks=tasks,
        anchor=anchor,
        overall=percent(overall),
        width=f"{100 * (overall or 0):.3f}",
        bounds=(percent(low), percent(high)) if partial else None,
        interval=_interval(figures),
        figures=(
            *((view.capitalize(), percent(figures[view])) for view in ("public", "native", "enhanced", "hidden")),
            ("Asked", str(figures["questions"])),
            ("Coverage", percent(figures["coverage"])),
            ("Fallback", percent(figures["fallback_rate"])),
            ("Budget used", percent(figures["budget_use"])),
            *((("Cost a task", dollars(figures["cost"])),) if figures.get("spending") else ()),
        ),
        scored=figures["scored"],
        planned=figures["planned"],
        unscored=tuple(figures["unscored"].items()),
    )


def _interval(figures: dict[str, Any]) -> tuple[str, str, str] | None:
    if figures["interval"] is None:
        return None
    low, high = figures["interval"]
    return percent(figures[figures["interval_of"]]), percent(low), percent(high)


def groups(document: dict[str, Any], collected: Sequence[Collected]) -> list[Group]:
    """The bars of every condition, the best first."""
    by_condition: dict[str, list[Collected]] = {}
    for each in collected:
        by_condition.setdefault(each.item.condition.id, []).append(each)
    names = varied_fields(document)
    return [
        Group(
            agent=row["agent"],
            settings=_settings(row, names),
            scored=row["scored"],
            planned=row["planned"],
            bars=bars([one.outcomes for one in by_condition[row["condition"]["id"]] if one.outcomes is not None]),
        )
        for row in best_first(document)
    ]

"""Conditions side by side on the tasks that both have scored: a table of differences, and a page for each pair."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from underspec.report.collect import Collected
from underspec.report.comparison import Side, comparison_document, matched_tasks
from underspec.report.comparison_text import MEASURE_NAMES, sentence
from underspec.report.site.board import Board
from underspec.report.site.plan import SitePlan
from underspec.report.site.render import Pages

MOST_COMPARED = 6
"""The best lines of each board that are compared, each with each."""
_MOST_ROWS = 300


def write_comparisons(
    pages: Pages,
    boards: Sequence[Board],
    members: Sequence[Sequence[Collected]],
    seconds: Sequence[dict[str, float | None]],
) -> None:
    """Write the table of pairs and their pages. What is told apart is corrected for all pairs of a board (Holm)."""
    plan = pages.plan
    groups = []
    for board in boards:
        places = [line.standing for line in board.lines if line.score.mean is not None][:MOST_COMPARED]
        sides = {place: _side(plan, place, members[place], seconds[place]) for place in places}
        pairs = list(combinations(places, 2))
        # The better one is B: a sentence reads from what is less to what is more.
        usable = [(one, other) for one, other in pairs if _common(sides[one], sides[other])]
        document = comparison_document([(sides[other], sides[one]) for one, other in usable])
        found = {}
        for (one, other), comparison in zip(usable, document["comparisons"], strict=True):
            found[one, other] = _Pair(plan, one, other, comparison)
            _write_pair(pages, found[one, other], comparison)
        groups.append({"board": board, "places": places, "pairs": found, "left_out": len(board.lines) - len(places)})
    pages.add("compare.html", "compare.html.j2", "Compare", groups=groups)


class _Pair:
    """One comparison as the table shows it: ``better`` is the line with the higher score on the board."""

    def __init__(self, plan: SitePlan, better: int, worse: int, comparison: dict[str, Any]):
        self.better, self.worse = better, worse
        one, other = plan.standings[better], plan.standings[worse]
        self.page = f"compare/{one.slug}--{other.slug}.html"
        found = comparison["measures"][comparison["primary"]]
        self.difference, self.interval = found["difference"], found["interval"]
        self.p_value = found["p_corrected"]
        self.tasks = found["tasks"]
        self.apart = self.p_value < 0.05
        self.sentence = sentence(comparison)
        self.comparison = comparison


def _side(plan: SitePlan, place: int, members: Sequence[Collected], seconds: dict[str, float | None]) -> Side:
    standing = plan.standings[place]
    run = plan.runs[standing.run]
    # Its name and not its folder, which is the operator's own.
    return Side(Path(run.slug), run.comparable, standing.condition, members, seconds)


def _common(one: Side, other: Side) -> bool:
    """Whether there is anything to compare."""
    return bool(matched_tasks(one, other))


def _write_pair(pages: Pages, pair: _Pair, comparison: dict[str, Any]) -> None:
    plan = pages.plan
    addresses = {(each.run, each.item.folder): each.page for task in plan.tasks for each in task.items}
    sides = {"a": plan.standings[pair.worse], "b": plan.standings[pair.better]}

    def rows(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {
                **row,
                "links": {
                    side: [addresses[sides[side].run, path.rpartition("/")[2]] for path in row["items"][side]]
                    for side in sides
                },
            }
            for row in found[:_MOST_ROWS]
        ]

    changed = [row for row in comparison["per_task"] if abs(row["difference"]) > 1e-12]
    pages.add(
        pair.page,
        "pair.html.j2",
        f"{sides['b'].words} beside {sides['a'].words}",
        "compare.html",
        pair=pair,
        comparison=comparison,
        a=sides["a"],
        b=sides["b"],
        names=MEASURE_NAMES,
        flips=rows(comparison["flips"]),
        flips_left_out=max(0, len(comparison["flips"]) - _MOST_ROWS),
        changed=rows(changed),
        changed_left_out=max(0, len(changed) - _MOST_ROWS),
        same=len(comparison["per_task"]) - len(changed),
        task_pages={task.id: task.page for task in plan.tasks},
        left_out=sorted(comparison["tasks"]["left_out"].items()),
    )

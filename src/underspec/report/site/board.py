"""The leaderboard: scores with intervals, ranges of ranks, groups that are told apart, and the same for parts of the
tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from underspec.measure.interval import clustered_wilson
from underspec.measure.many import holm
from underspec.measure.paired import sign_flip_test
from underspec.measure.ranks import RankRange, rank_groups, rank_ranges
from underspec.measure.scores import TaskScores, matched
from underspec.report.collect import Collected
from underspec.report.scores import primary, task_scores
from underspec.report.site.plan import SitePlan

MOST_RANKED = 60
"""Lines of which ranks are made; tests are of all pairs."""
MOST_RANKED_IN_SLICES = 12
_LEVEL = 0.05
MEASURE_WORDS = {
    "overall_macro": "Cases passed, mean over tasks",
    "task_pass": "Tasks that pass every private test",
}
Pair = tuple[float, float]


@dataclass(frozen=True)
class Rank:
    """Where a line stands among all of its board, on the tasks that all of them have scored."""

    rank: float
    low: float
    high: float
    group: int

    @property
    def words(self) -> str:
        """``2`` where it is certain, else ``1–3``."""
        low, high = (f"{value:g}" for value in (self.low, self.high))
        return low if low == high else f"{low}–{high}"

    @property
    def letter(self) -> str:
        """The group as a letter: A, B, ..., Z, AA, ..."""
        letters, number = "", self.group
        while number:
            number, place = divmod(number - 1, 26)
            letters = chr(65 + place) + letters
        return letters


@dataclass(frozen=True)
class Score:
    """One line's mean over some tasks, its interval, and how many items of those tasks have no score."""

    mean: float | None
    interval: Pair | None
    tasks: int
    unscored: int
    rank: Rank | None = None


@dataclass(frozen=True)
class Line:
    """One line of a board. ``row`` is the condition's row of its run's report document."""

    standing: int
    score: Score
    row: dict[str, Any]

    @property
    def bounds(self) -> Pair | None:
        """What the score could be where something is unscored, else None."""
        low, high = self.row["bounds"]
        return (low, high) if self.row["scored"] < self.row["planned"] and low is not None else None


@dataclass(frozen=True)
class Board:
    """Lines that are ranked by one measure, the best first. ``ranked_on`` counts the tasks that ranks are of;
    ``why_unranked`` says why there are none."""

    measure: str
    lines: tuple[Line, ...]
    ranked_on: int
    why_unranked: str | None

    @property
    def title(self) -> str:
        """What the score is."""
        return MEASURE_WORDS[self.measure]

    @property
    def clarifies(self) -> bool:
        """Whether items of these lines clarify first."""
        return self.measure == "task_pass"


class Scores:
    """One mean a task for every line, of the measure that the line is ranked by."""

    def __init__(self, plan: SitePlan, members: Sequence[Sequence[Collected]]):
        self.plan = plan
        self.members = members
        self.measures = [primary(each.condition) for each in plan.standings]
        self.by_line = [task_scores(of_line, name) for of_line, name in zip(members, self.measures, strict=True)]

    @cached_property
    def unscored(self) -> list[dict[str, int]]:
        """For every line, how many items of each task have no score."""
        found: list[dict[str, int]] = []
        for of_line in self.members:
            counts: dict[str, int] = {}
            for each in of_line:
                counts[each.item.task] = counts.get(each.item.task, 0) + (not each.scored)
            found.append(counts)
        return found

    @cached_property
    def changed(self) -> frozenset[str]:
        """Tasks that were graded in several versions, or by several rules: nobody is ranked by them."""
        stamps: dict[str, set[tuple[str, str]]] = {}
        for each in (one for of_line in self.members for one in of_line):
            if each.outcomes is not None:
                stamps.setdefault(each.item.task, set()).add((each.outcomes.task_digest, each.outcomes.comparison))
            elif each.clarified is not None and each.clarified.acceptance is not None:
                stamps.setdefault(each.item.task, set()).add((each.clarified.acceptance.task_digest, "tests"))
        return frozenset(task for task, found in stamps.items() if len(found) > 1)

    def boards(self, rows: Sequence[dict[str, Any]]) -> list[Board]:
        """A board for each measure that lines are ranked by. ``rows`` are the lines' rows."""
        return [
            self._board(measure, [place for place, name in enumerate(self.measures) if name == measure], rows)
            for measure in dict.fromkeys(self.measures)
        ]

    def _board(self, measure: str, places: Sequence[int], rows: Sequence[dict[str, Any]]) -> Board:
        everything = {task.id for task in self.plan.tasks}
        scores, common = self.on(everything, places, most_ranked=MOST_RANKED)
        ranked = any(score.rank for score in scores.values())
        why = None
        if len(places) > 1 and not ranked:
            why = _why_unranked(sum(bool(scores[place].tasks) for place in places), common, MOST_RANKED)
        lines = [Line(place, scores[place], rows[place]) for place in places]
        return Board(measure, tuple(sorted(lines, key=_order)), common if ranked else 0, why)

    def on(self, tasks: Iterable[str], places: Sequence[int], *, most_ranked: int) -> tuple[dict[int, Score], int]:
        """Scores of some lines, all of one measure, on some tasks; and on how many tasks they are ranked."""
        wanted = set(tasks)
        kept = {place: self.by_line[place].only(wanted) for place in places}
        ranks, ranked_on = self._ranks(kept, most_ranked)
        return {place: self._score(place, kept[place], wanted, ranks.get(place)) for place in places}, ranked_on

    def _score(self, place: int, scores: TaskScores, tasks: set[str], rank: Rank | None) -> Score:
        interval = clustered_wilson(scores.means)
        missing = sum(number for task, number in self.unscored[place].items() if task in tasks)
        pair = (interval.low, interval.high) if interval else None
        return Score(scores.mean, pair, len(scores.tasks), missing, rank)

    def _ranks(self, kept: Mapping[int, TaskScores], most: int) -> tuple[dict[int, Rank], int]:
        scored = [place for place, scores in kept.items() if scores.tasks]
        if not 1 < len(scored) <= most:
            return {}, 0
        common = matched(*(kept[place] for place in scored))
        usable = [task for task in common[0].tasks if task not in self.changed]
        if len(usable) < 2:
            return {}, len(usable)
        table = np.column_stack([each.only(usable).means for each in common])
        groups, ranges = rank_groups(table, told_apart(table)), rank_ranges(table)
        return {place: _rank(found, group) for place, found, group in zip(scored, ranges, groups, strict=True)}, len(
            usable
        )


def told_apart(table: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Which columns differ by sign-flip tests of all pairs, corrected by Holm; ``table`` is tasks by lines."""
    size = table.shape[1]
    pairs = list(combinations(range(size), 2))
    corrected = holm([sign_flip_test(table[:, one], table[:, other]) for one, other in pairs])
    apart = np.zeros((size, size), dtype=np.bool_)
    for (one, other), value in zip(pairs, corrected, strict=True):
        apart[one, other] = apart[other, one] = value < _LEVEL
    return apart


def _rank(found: RankRange, group: int) -> Rank:
    return Rank(found.rank, found.low, found.high, group)


def _order(line: Line) -> tuple[Any, ...]:
    mean = line.score.mean
    return (mean is None, -(mean or 0.0), -(line.row["clarification"] or 0.0), line.standing)


def _why_unranked(scored: int, common: int, most: int) -> str:
    if scored > most:
        return f"there are more than {most} lines"
    if scored < 2:
        return "fewer than two lines have a score"
    return f"only {common} {'task is' if common == 1 else 'tasks are'} scored on all lines, in one version"

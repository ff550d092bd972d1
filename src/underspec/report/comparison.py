"""Whether B is better than A, on the same tasks, and how sure that is: the document of ``underspec compare --json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from underspec.artifact.canonical import digest_of
from underspec.artifact.condition import Condition
from underspec.measure.distributions import Summary, describe
from underspec.measure.interval import LEVEL
from underspec.measure.many import holm
from underspec.measure.paired import PAIRED_DEFAULT, PairedDifference, paired_difference
from underspec.measure.scores import TaskScores, matched
from underspec.measure.unscored import PlannedItem, filled_means
from underspec.report.collect import Collected
from underspec.report.scores import BESIDE, CRITIC, MEASURES, primary, task_scores

SCHEMA = 1
USED = ("cost", "seconds", "tokens")
"""What an item takes: dollars for the builder's model, seconds of wall time, tokens."""


@dataclass(frozen=True)
class Side:
    """One condition of one run: its items, and how long the builder took for each (by item id; None: unknown).

    ``comparable`` is the run's: scores compare with those of other runs.
    """

    run: Path
    comparable: bool
    condition: Condition
    members: Sequence[Collected]
    seconds: Mapping[str, float | None]

    @cached_property
    def by_task(self) -> dict[str, list[Collected]]:
        """Items of each task."""
        found: dict[str, list[Collected]] = {}
        for each in self.members:
            found.setdefault(each.item.task, []).append(each)
        return found


def comparison_document(pairs: Sequence[tuple[Side, Side]]) -> dict[str, Any]:
    """Compare each pair; with several, ``p_corrected`` of the primary measure holds for all of them together (Holm)."""
    found = [compare_sides(one, other) for one, other in pairs]
    corrected = holm([each["measures"][each["primary"]]["p_sign_flip"] for each in found])
    for each, p_value in zip(found, corrected, strict=True):
        each["measures"][each["primary"]]["p_corrected"] = float(p_value)
    return {
        "schema": SCHEMA,
        "interval": {"method": PAIRED_DEFAULT, "level": LEVEL, "clusters": "task"},
        "comparisons": found,
    }


def compare_sides(one: Side, other: Side) -> dict[str, Any]:
    """B less A. Rates are 0 to 1 or null, differences -1 to 1, costs in dollars, times in seconds of wall time.

    Only tasks count that both sides have scored in the same version, compared by the same rule; ``tasks.left_out`` says
    why each other one is not among them. ``bounds`` are those of the difference over all tasks that both planned, with
    what is unscored failed or passed in favour of either side.

    Raises:
        ValueError: no task was scored on both sides.
    """
    ranked_by = primary(one.condition)
    left_out = _left_out(one, other, ranked_by)
    tasks = matched_tasks(one, other)
    if not tasks:
        raise ValueError("no task was scored on both sides")
    names = [name for name in (*MEASURES, *BESIDE) if _same_critic(one, other, tasks) or not name.startswith(CRITIC)]
    measures = {name: found for name in names if (found := _measure(one, other, name, tasks)) is not None}
    return {
        "a": _side(one),
        "b": _side(other),
        "varied": _varied(one.condition, other.condition),
        "tasks": {"matched": tasks, "left_out": left_out},
        "primary": ranked_by,
        "measures": measures,
        "bounds": _bounds(one, other, ranked_by, left_out),
        "per_task": _per_task(one, other, ranked_by, tasks),
        "flips": _per_task(one, other, "task_pass", tasks, changed=True),
        "used": {name: _used(one, other, name, tasks) for name in USED},
        "notes": _notes(one, other, tasks),
    }


def matched_tasks(one: Side, other: Side) -> list[str]:
    """The tasks that both sides have scored in the same version, compared by the same rule; in name order."""
    left_out = _left_out(one, other, primary(one.condition))
    return sorted((one.by_task.keys() & other.by_task.keys()) - left_out.keys())


def _side(side: Side) -> dict[str, Any]:
    return {
        "run": str(side.run),
        "agent": side.condition.agent,
        "model": side.condition.model,
        "condition": {"id": side.condition.id, **side.condition.model_dump(mode="json")},
        "planned": len(side.members),
        "scored": sum(each.scored for each in side.members),
    }


def _varied(one: Condition, other: Condition) -> list[str]:
    first, second = one.model_dump(mode="json"), other.model_dump(mode="json")
    return [name for name in first if first[name] != second[name]]


def _left_out(one: Side, other: Side, measure: str) -> dict[str, str]:
    """Why a task does not count."""
    found: dict[str, str] = {}
    for task in sorted(one.by_task.keys() | other.by_task.keys()):
        if task not in other.by_task:
            found[task] = "not in B"
        elif task not in one.by_task:
            found[task] = "not in A"
        else:
            missing = [name for name, side in (("A", one), ("B", other)) if not _has_score(side, task, measure)]
            if missing:
                found[task] = f"not scored in {' and '.join(missing)}"
            elif len(_stamps(one, task) | _stamps(other, task)) > 1:
                found[task] = "graded from another version of the task, or compared by another rule"
    return found


def _has_score(side: Side, task: str, measure: str) -> bool:
    return any(MEASURES[measure](each) is not None for each in side.by_task[task])


def _stamps(side: Side, task: str) -> set[tuple[str, str]]:
    """Digest of the task and rule of comparison that its scores were made by."""
    stamps = {(each.outcomes.task_digest, each.outcomes.comparison) for each in side.by_task[task] if each.outcomes}
    return stamps | {
        (each.clarified.acceptance.task_digest, "tests")
        for each in side.by_task[task]
        if each.clarified and each.clarified.acceptance
    }


def _measure(one: Side, other: Side, name: str, tasks: Sequence[str]) -> dict[str, Any] | None:
    first, second = matched(task_scores(one.members, name).only(tasks), task_scores(other.members, name).only(tasks))
    return _difference(paired_difference(first.means, second.means)) if first.tasks else None


def _critics(side: Side, tasks: Sequence[str]) -> set[tuple[str, str]]:
    """Who reviewed, by which rules."""
    reviews = [each.review for task in tasks for each in side.by_task[task] if each.review is not None]
    return {(review.model, digest_of(review.prompts)) for review in reviews}


def _same_critic(one: Side, other: Side, tasks: Sequence[str]) -> bool:
    """Whether the reviews of both sides compare: scores of different critics do not."""
    return len(_critics(one, tasks) | _critics(other, tasks)) <= 1


def _difference(found: PairedDifference) -> dict[str, Any]:
    return {
        "tasks": found.tasks,
        "a": found.first,
        "b": found.second,
        "difference": found.difference,
        "interval": found.interval.pair() if found.interval else None,
        "bootstrap": found.bootstrap.pair() if found.bootstrap else None,
        "better": found.better,
        "worse": found.worse,
        "p_sign_flip": found.p_sign_flip,
        "p_sign": found.p_sign,
    }


def _bounds(one: Side, other: Side, measure: str, left_out: Mapping[str, str]) -> list[float]:
    # Tasks that one side did not plan, or that are not the same task, say nothing however they end.
    kept = {
        task
        for task in one.by_task.keys() & other.by_task.keys()
        if left_out.get(task, "not scored").startswith("not scored")
    }

    def mean(side: Side, unscored: float) -> float:
        items = [
            PlannedItem(each.item.task, MEASURES[measure](each), each.boundary)
            for each in side.members
            if each.item.task in kept
        ]
        means = filled_means(items, unscored).values()
        return sum(means) / len(means)

    return [mean(other, 0.0) - mean(one, 1.0), mean(other, 1.0) - mean(one, 0.0)]


def _per_task(
    one: Side, other: Side, measure: str, tasks: Sequence[str], *, changed: bool = False
) -> list[dict[str, Any]]:
    """Each task's two means with their items' folders, the greatest loss first."""
    first, second = matched(
        task_scores(one.members, measure).only(tasks), task_scores(other.members, measure).only(tasks)
    )
    rows: list[dict[str, Any]] = [
        {
            "task": task,
            "a": float(before),
            "b": float(after),
            "difference": float(after - before),
            "used": {name: {"a": _mean_used(one, name, task), "b": _mean_used(other, name, task)} for name in USED},
            "items": {"a": _folders(one, task), "b": _folders(other, task)},
        }
        for task, before, after in zip(first.tasks, first.means, second.means, strict=True)
    ]
    kept = [row for row in rows if not changed or abs(row["difference"]) > 1e-12]
    return sorted(kept, key=lambda row: (row["difference"], row["task"]))


def _folders(side: Side, task: str) -> list[str]:
    return [str(side.run / "items" / each.item.folder) for each in side.by_task[task]]


def _used(one: Side, other: Side, name: str, tasks: Sequence[str]) -> dict[str, Any]:
    """What an item took on the matched tasks, and B less A; None where an item's figure is unknown."""
    (first, first_items), (second, second_items) = _usage(one, name, tasks), _usage(other, name, tasks)
    return {
        "a": first,
        "b": second,
        "difference": second - first if first is not None and second is not None else None,
        "ratio": second / first if first and second is not None else None,
        "a_items": asdict(first_items),
        "b_items": asdict(second_items),
    }


def _usage(side: Side, name: str, tasks: Sequence[str]) -> tuple[float | None, Summary]:
    """The mean over tasks, None where an item's figure is unknown, and the spread over items."""
    listed = [(task, _figure(side, name, each)) for task in tasks for each in _scored(side, task)]
    items = describe(value for _task, value in listed)
    return None if items.missing else TaskScores.of(listed).mean, items


def _mean_used(side: Side, name: str, task: str) -> float | None:
    """A task's mean over its scored items; None where one of them is unknown."""
    figures = [_figure(side, name, each) for each in _scored(side, task)]
    known = [figure for figure in figures if figure is not None]
    return sum(known) / len(known) if known and len(known) == len(figures) else None


def _scored(side: Side, task: str) -> list[Collected]:
    return [each for each in side.by_task[task] if each.scored]


def _figure(side: Side, name: str, each: Collected) -> float | None:
    if name == "cost":
        return each.task_cost.cost
    return side.seconds.get(each.item.id) if name == "seconds" else each.task_cost.tokens


def _notes(one: Side, other: Side, tasks: Sequence[str]) -> list[str]:
    notes = []
    if one.run != other.run and not (one.comparable and other.comparable):
        notes.append("sandboxes showed a machine's own /usr: the runs compare only if both machines have the same one")
    epochs = {
        sum(MEASURES[primary(side.condition)](each) is not None for each in side.by_task[task])
        for side in (one, other)
        for task in tasks
    }
    if len(epochs) > 1:
        notes.append(f"tasks have from {min(epochs)} to {max(epochs)} scored epochs; each task weighs the same")
    if not _same_critic(one, other, tasks):
        notes.append("reviewed by different models, or by other rules: those scores do not compare, and are left out")
    if any(each.stale for side in (one, other) for each in side.members):
        notes.append("some builds are stale: made from other inputs than those of their last run")
    return notes

"""What a reader must know beside the figures: which runs and tasks, what is unscored and what it could change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from underspec.measure.interval import DEFAULT
from underspec.measure.paired import PAIRED_DEFAULT
from underspec.measure.unscored import PlannedItem, account
from underspec.report.exhibits.arms import Arm, Matched, labels
from underspec.report.exhibits.evidence import Evidence
from underspec.report.scores import MEASURES
from underspec.report.terminal import percent

INTERVALS = (
    f"Brackets are 95 % intervals over tasks ({DEFAULT}): what other tasks of the same kind could show. Epochs become "
    "a task's mean first."
)
DIFFERENCES = (
    f"Differences are paired, on the same tasks, with their 95 % interval ({PAIRED_DEFAULT}); p is of the exact or "
    "random sign-flip test, corrected for the number of comparisons in the table (Holm)."
)
RATIOS = (
    "File and LOC are the generated tree's over the golden one's, and may exceed 100; their intervals are Student's t."
)
_MOST_NAMED = 12


def run_notes(evidence: Evidence) -> list[str]:
    """Which runs the figures are of, and whether they compare."""
    names = [run.name for run in evidence.runs]
    notes = [f"Runs: {_named(names)}."]
    local = [run.name for run in evidence.runs if not run.comparable]
    if local:
        notes.append(
            f"Sandboxes of {_named(local)} showed a machine's own /usr: compare with other machines' runs only if "
            "those have the same one."
        )
    stale = sum(entry.one.stale for entry in evidence.entries)
    if stale:
        notes.append(f"Stale items, made from other inputs than those of their last run: {stale}.")
    return notes


def matched_notes(found: Matched) -> list[str]:
    """Which tasks count, and why others do not."""
    notes = []
    if len(found.arms) > 1 or found.left_out:
        kind = "matched: the same in every row" if len(found.arms) > 1 else "scored"
        note = f"{_tasks(len(found.tasks))} of {len(found.planned)} planned, {kind}."
        if found.left_out:
            note += " Left out: " + "; ".join(f"{number} {why}" for why, number in found.left_out.items()) + "."
        notes.append(note)
    if found.empty:
        notes.append(f"Nothing is scored of {_named(labels(found.empty))}.")
    return notes


def unscored_notes(found: Sequence[Arm], tasks: Iterable[str] | None = None) -> list[str]:
    """For each arm with unscored items: how many of how many, whose failures, and what they could have made of it."""
    wanted = None if tasks is None else list(tasks)
    notes = []
    for arm, name in zip(found, labels(found), strict=True):
        items = list(arm.entries) if wanted is None else arm.on(wanted)
        figure = MEASURES[arm.measure]
        planned = [
            PlannedItem(each.task, score, None if score is not None else each.one.boundary or "other")
            for each in items
            for score in [figure(each.one)]
        ]
        counted = account(planned)
        if not counted.unscored:
            continue
        why = ", ".join(f"{boundary} {number}" for boundary, number in counted.unscored.items())
        what = (
            "the mean over tasks of their cases" if arm.measure == "overall_macro" else "the share of tasks that pass"
        )
        notes.append(
            f"Unscored of {name}: {counted.planned - counted.scored} of {counted.planned} items ({why}). Over all "
            f"planned tasks, {what} lies between {percent(counted.macro.low)} and {percent(counted.macro.high)} %, "
            "had all of them failed or passed."
        )
    if len(notes) > _MOST_NAMED:
        notes = [*notes[:_MOST_NAMED], f"{len(notes) - _MOST_NAMED} more rows have unscored items."]
    return notes


def accounting(arm: Arm) -> tuple[int, int]:
    """Planned and scored items."""
    return len(arm.entries), sum(entry.one.scored for entry in arm.entries)


def boundaries(arm: Arm) -> str | None:
    """The unscored items by whose failure they are, in a few words."""
    found = Counter(entry.one.boundary for entry in arm.entries if entry.one.boundary is not None)
    return ", ".join(f"{name} {number}" for name, number in sorted(found.items())) or None


def unknown_tasks(evidence: Evidence) -> list[str]:
    """Tasks that were not to be had, so that nothing is known of what they are."""
    missing = evidence.unknown_tasks
    said = [f"{name} ({why})" for name, why in missing.items()]
    return [f"Not to be had here, and left out: {_named(said)}."] if said else []


def _tasks(number: int) -> str:
    return f"{number} task" if number == 1 else f"{number} tasks"


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown

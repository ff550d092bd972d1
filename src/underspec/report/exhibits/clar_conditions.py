"""SWE-Clar Tables 6, 7 and 10: what the scores depend on, what an agent learns and when it may ask."""

from __future__ import annotations

from collections.abc import Sequence

from underspec.measure.conversation import Timing, clarification_timing
from underspec.measure.many import holm
from underspec.measure.paired import PairedDifference, gap_closed
from underspec.report.exhibits.arms import Arm, Matched, clarified, families, labels, matched, shared
from underspec.report.exhibits.cells import count, difference, mean_rate, points, span_of, text
from underspec.report.exhibits.clar_scores import (
    BOOTSTRAP,
    CLARIFICATION,
    IMPLEMENTATION,
    SCORES,
    UNIT_PASS,
    answered_notes,
)
from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.exhibit import Cell, Column, Table
from underspec.report.exhibits.icae_ablations import family_notes
from underspec.report.exhibits.notes import DIFFERENCES, INTERVALS, run_notes
from underspec.report.exhibits.rows import IDENTITY, identity, used
from underspec.report.terminal import percent

INFORMATION = {"none": "No client interaction", "standard": "Standard protocol", "complete": "Complete requirements"}
_STEPS = (("none", "standard"), ("standard", "complete"), ("none", "complete"))


def information_families(evidence: Evidence) -> list[Matched]:
    """Families that differ in what the agent learns alone, on matched tasks, from nothing to everything."""
    kept = [arm for arm in clarified(evidence) if arm.condition.protocol == "clarify-first"]
    found = []
    for family in families(kept, ("information",), unasked=lambda condition: condition.information != "standard"):
        ordered = sorted(family, key=lambda arm: list(INFORMATION).index(arm.condition.information))
        matching = matched(ordered)
        if len(matching.arms) > 1 and matching.tasks:
            found.append(matching)
    return found


def table_6(evidence: Evidence) -> Table | None:
    """Scores under each information condition."""
    found = information_families(evidence)
    if not found:
        return None
    arms = [arm for family in found for arm in family.arms]
    rows = [
        {
            **identity(arm, arms, ("information",)),
            "information": text(INFORMATION[arm.condition.information]),
            "tasks": count(len(family.tasks)),
            "implementation": mean_rate(arm, "task_pass", family.tasks),
            "clarification": mean_rate(arm, "clarification", shared(family.arms, "clarification", family.tasks)),
            "unit_pass": mean_rate(arm, "unit_pass", family.tasks),
        }
        for family in found
        for arm in family.arms
    ]
    columns = (
        *IDENTITY,
        Column("information", "Information"),
        Column("tasks", "Matched tasks", "count"),
        IMPLEMENTATION,
        CLARIFICATION,
        UNIT_PASS,
    )
    notes = [*run_notes(evidence), *family_notes(found), *answered_notes(found), *_gaps(found), SCORES, INTERVALS]
    return Table("SWE-Clar Table 6", "swe-clar-table-6", "Information conditions", used(columns, rows), rows, notes)


def _gaps(found: Sequence[Matched]) -> list[str]:
    """How much of the way from nothing to everything the standard protocol goes (3.3)."""
    notes = []
    for family in found:
        by_information: dict[str, Arm] = {arm.condition.information: arm for arm in family.arms}
        if len(by_information) < len(INFORMATION):
            continue
        without, standard, complete = (
            by_information[name].scores("task_pass", family.tasks).means for name in INFORMATION
        )
        closed = gap_closed(without, standard, complete)
        if closed.share is None:
            continue
        span = closed.interval
        within = f" (95 % interval {percent(span.low)} to {percent(span.high)} %)" if span else ""
        name = labels([by_information["standard"]])[0]
        notes.append(
            f"{name}: the standard protocol closes {percent(closed.share)} % of the gap in the implementation score "
            f"between no interaction and complete requirements{within}."
        )
    return notes


def table_7(evidence: Evidence) -> Table | None:
    """Paired differences between information conditions."""
    rows: list[dict[str, Cell]] = []
    changes: list[PairedDifference] = []
    found = information_families(evidence)
    for family in found:
        by_information: dict[str, Arm] = {arm.condition.information: arm for arm in family.arms}
        for before, after in _STEPS:
            if before not in by_information or after not in by_information:
                continue
            if (before, after) == ("none", "complete") and "standard" in by_information:
                continue
            one, other = by_information[before], by_information[after]
            change = difference(one, other, "task_pass", family.tasks)
            if change is None:
                continue
            changes.append(change)
            rows.append(
                {
                    **identity(other, [other], ("information",)),
                    "comparison": text(f"{INFORMATION[after]} less {INFORMATION[before].lower()}"),
                    "tasks": count(change.tasks),
                    "difference": points(change),
                    "published": Cell(change.difference, span_of(change.bootstrap)),
                    "better": count(change.better),
                    "worse": count(change.worse),
                }
            )
    if not rows:
        return None
    for row, p_value in zip(rows, holm([change.p_sign_flip for change in changes]).tolist(), strict=True):
        row["p"] = Cell(float(p_value))
    columns = (
        *(column for column in IDENTITY if column.key != "setting"),
        Column("comparison", "Comparison"),
        Column("tasks", "Matched tasks", "count"),
        Column("difference", "Difference in implementation score", "points"),
        Column("published", "Difference, bootstrap", "points"),
        Column("better", "Tasks gained", "count"),
        Column("worse", "Tasks lost", "count"),
        Column("p", "p", "number"),
    )
    notes = [*run_notes(evidence), *family_notes(found), DIFFERENCES, BOOTSTRAP]
    return Table(
        "SWE-Clar Table 7",
        "swe-clar-table-7",
        "Paired differences between information conditions",
        used(columns, rows),
        rows,
        notes,
    )


def table_10(evidence: Evidence) -> Table | None:
    """Clarification before coding, and while coding."""
    kept = [arm for arm in clarified(evidence) if arm.condition.information == "standard"]
    rows: list[dict[str, Cell]] = []
    timings: list[Timing] = []
    found: list[Matched] = []
    for family in families(kept, ("protocol",), unasked=lambda condition: False):
        matching = matched(sorted(family, key=lambda arm: arm.condition.protocol != "clarify-first"))
        if len(matching.arms) != 2 or not matching.tasks:
            continue
        before, continued = matching.arms
        answered = shared(matching.arms, "clarification", matching.tasks)
        timing = clarification_timing(
            before.scores("task_pass", matching.tasks),
            continued.scores("task_pass", matching.tasks),
            before.scores("clarification", answered),
            continued.scores("clarification", answered),
        )
        found.append(matching)
        timings.append(timing)
        rows.append(
            {
                **identity(before, [before], ("protocol",)),
                "tasks": count(timing.implementation.tasks),
                "before": mean_rate(before, "task_pass", matching.tasks),
                "continued": mean_rate(continued, "task_pass", matching.tasks),
                "difference": points(timing.implementation),
                "only_before": count(timing.only_before),
                "only_continued": count(timing.only_continued),
                "answers_before": mean_rate(before, "clarification", answered),
                "answers_continued": mean_rate(continued, "clarification", answered),
                "answers_difference": points(timing.clarification),
            }
        )
    if not rows:
        return None
    corrected = holm([timing.implementation.p_sign for timing in timings]).tolist()
    for row, p_value in zip(rows, corrected, strict=True):
        row["p"] = Cell(float(p_value))
    columns = (
        *IDENTITY,
        Column("tasks", "Matched tasks", "count"),
        Column("before", "Implementation, before coding", "percent"),
        Column("continued", "Implementation, continued", "percent"),
        Column("difference", "Implementation, difference", "points"),
        Column("only_before", "Better before coding", "count"),
        Column("only_continued", "Better continued", "count"),
        Column("p", "p", "number"),
        Column("answers_before", "Clarification, before coding", "percent"),
        Column("answers_continued", "Clarification, continued", "percent"),
        Column("answers_difference", "Clarification, difference", "points"),
    )
    notes = [
        *run_notes(evidence),
        *family_notes(found),
        *answered_notes(found),
        "Differences are clarification before coding less continued clarification, on the same tasks, with the 95 % "
        "interval; tasks that are better in one workflow pass in it more often. p is the exact sign test of those "
        "(McNemar's with one epoch), corrected for the number of rows (Holm).",
        SCORES,
        INTERVALS,
    ]
    return Table("SWE-Clar Table 10", "swe-clar-table-10", "When to clarify", used(columns, rows), rows, notes)

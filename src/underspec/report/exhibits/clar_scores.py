"""SWE-Clar Tables 2 and 5: the two scores, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence

from underspec.measure.association import pearson
from underspec.measure.bootstrap import METHOD, bootstrap_means
from underspec.report.exhibits.arms import Arm, Matched, clarified, grouped, labels, leading, matched, shared
from underspec.report.exhibits.cells import cost, mean_rate, mean_used, span_of
from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.exhibit import Cell, Column, Table
from underspec.report.exhibits.icae_main import WHO_BUILDS, best_first
from underspec.report.exhibits.notes import INTERVALS, matched_notes, run_notes, unscored_notes
from underspec.report.exhibits.rows import IDENTITY, ITEMS, identity, items, used

IMPLEMENTATION = Column("implementation", "Implementation score", "percent")
CLARIFICATION = Column("clarification", "Clarification score", "percent")
UNIT_PASS = Column("unit_pass", "RU pass rate", "percent")
SCORES = (
    "The implementation score is the share of tasks of which every acceptance test passes; the clarification score "
    "is the mean score of answers within a task (1, 0.5 or 0), then over tasks."
)
BOOTSTRAP = (
    f"The columns named bootstrap have the interval as published ({METHOD}, 10,000 resamples), which covers less."
)
UNPRICED = "the price of some calls is not known"


def main_arms(evidence: Evidence) -> list[Arm]:
    """Conditions of the standard protocol that differ in who builds alone, and that most items are of."""
    kept = [
        arm
        for arm in clarified(evidence)
        if arm.condition.protocol == "clarify-first" and arm.condition.information == "standard"
    ]
    return leading(grouped(kept, WHO_BUILDS))


def table_2(evidence: Evidence) -> Table | None:
    """Both scores, with intervals."""
    found = matched(main_arms(evidence))
    if not found.tasks:
        return None
    ordered = best_first(found.arms, found.tasks)
    published = _published(ordered, found.tasks)
    answered = shared(ordered, "clarification", found.tasks)
    rows = [
        {
            **identity(arm, ordered),
            **items(arm),
            "implementation": mean_rate(arm, "task_pass", found.tasks),
            "published": span,
            "clarification": mean_rate(arm, "clarification", answered),
        }
        for arm, span in zip(ordered, published, strict=True)
    ]
    notes = [
        *run_notes(evidence),
        *matched_notes(found),
        *unscored_notes(found.arms),
        *answered_notes([found]),
        SCORES,
        INTERVALS,
        BOOTSTRAP,
    ]
    means = [(arm.scores("task_pass", found.tasks).mean, arm.scores("clarification", answered).mean) for arm in ordered]
    scores = [(one, other) for one, other in means if one is not None and other is not None]
    if len(scores) > 2:
        together = pearson([one for one, _other in scores], [other for _one, other in scores])
        if together.r is not None:
            span = together.interval
            within = f", 95 % interval {span.low:.2f} to {span.high:.2f}" if span else ""
            notes.append(f"Over the {together.pairs} rows the two scores have Pearson's r {together.r:.2f}{within}.")
    columns = (
        *IDENTITY,
        *ITEMS,
        IMPLEMENTATION,
        Column("published", "Implementation, bootstrap", "percent"),
        CLARIFICATION,
    )
    return Table(
        "SWE-Clar Table 2", "swe-clar-table-2", "Implementation and clarification", used(columns, rows), rows, notes
    )


def answered_notes(found: Sequence[Matched]) -> list[str]:
    """On how many tasks clarification scores are, where they are on fewer than the others."""
    notes = []
    for family in found:
        number = len(shared(family.arms, "clarification", family.tasks))
        if 0 < number < len(family.tasks):
            notes.append(
                f"Clarification scores of {', '.join(labels(family.arms))}: on {number} of these {len(family.tasks)} "
                "tasks, in which every row has one."
            )
    return notes


def _published(found: Sequence[Arm], tasks: Sequence[str]) -> list[Cell]:
    """The implementation score with the bootstrap interval; all arms see the same tasks in each resample."""
    scores = [arm.scores("task_pass", tasks) for arm in found]
    if len(tasks) < 2:
        return [Cell(each.mean) for each in scores]
    table = [[float(each.means[place]) for each in scores] for place in range(len(tasks))]
    spans = bootstrap_means(table)
    return [Cell(each.mean, span_of(span)) for each, span in zip(scores, spans, strict=True)]


def table_5(evidence: Evidence) -> Table | None:
    """Requirement units that pass, and dollars a task."""
    found = matched(main_arms(evidence))
    if not found.tasks:
        return None
    ordered = best_first(found.arms, found.tasks)
    rows = [
        {
            **identity(arm, ordered),
            **items(arm),
            "unit_pass": mean_rate(arm, "unit_pass", found.tasks),
            "implementation": mean_rate(arm, "task_pass", found.tasks),
            "cost": mean_used(arm, cost, found.tasks, UNPRICED),
        }
        for arm in ordered
    ]
    columns = (*IDENTITY, *ITEMS, UNIT_PASS, IMPLEMENTATION, Column("cost", "USD a task", "money"))
    notes = [
        *run_notes(evidence),
        *matched_notes(found),
        *unscored_notes(found.arms),
        "The RU pass rate is the share of a task's requirement units whose tests pass, then the mean over tasks.",
        "Cost is the coding agent's calls in clarification and implementation, attempts that failed among them; "
        "client, supervisor, answers and judge are left out (C.1). Its interval is Student's t over tasks.",
        INTERVALS,
    ]
    return Table("SWE-Clar Table 5", "swe-clar-table-5", "Requirement units and cost", used(columns, rows), rows, notes)

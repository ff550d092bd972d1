"""SWE-Clar Figures 5 and 7: what information gives, and what a score costs."""

from __future__ import annotations

from underspec.report.exhibits.arms import labels, matched, shared
from underspec.report.exhibits.cells import cost, count, mean_rate, mean_used, text
from underspec.report.exhibits.charts import Label, bars, scatter, spread
from underspec.report.exhibits.clar_conditions import INFORMATION, information_families
from underspec.report.exhibits.clar_scores import SCORES, UNPRICED, answered_notes, main_arms
from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.exhibit import Column, Figure, Table
from underspec.report.exhibits.icae_ablations import family_notes
from underspec.report.exhibits.icae_main import best_first
from underspec.report.exhibits.marks import shown
from underspec.report.exhibits.notes import INTERVALS, matched_notes, run_notes, unscored_notes
from underspec.report.exhibits.rows import IDENTITY, identity


def figure_5(evidence: Evidence) -> Figure | None:
    """Both scores by what the agent learns."""
    found = information_families(evidence)
    if not found:
        return None
    names = labels([family.arms[0] for family in found])
    rows = [
        {
            "panel": text(f"{name}: {title}"),
            "label": text(INFORMATION[arm.condition.information]),
            "value": mean_rate(arm, measure, shared(family.arms, measure, family.tasks)),
            "tasks": count(len(family.tasks)),
            **identity(arm, [arm], ("information",)),
        }
        for name, family in zip(names, found, strict=True)
        for measure, title in (("task_pass", "implementation"), ("clarification", "clarification"))
        for arm in family.arms
    ]
    drawn = [row for row in rows if row["value"].value is not None]
    name, slug, title = "SWE-Clar Figure 5", "swe-clar-figure-5", "What information gives"
    value = Column("value", "Score", "percent")
    columns = (
        Column("panel", "Row and score"),
        Column("label", "Information"),
        value,
        Column("tasks", "Matched tasks", "count"),
    )
    said = "; ".join(f"{row['panel'].value}, {row['label'].value}: {shown(row['value'])}" for row in drawn)
    return Figure(
        name,
        slug,
        title,
        bars(value, panels=2),
        Table(name, slug, title, (*columns, *IDENTITY), drawn),
        f"Scores by what the agent learns of the requirement. {said}.",
        [*run_notes(evidence), *family_notes(found), *answered_notes(found), SCORES, INTERVALS],
    )


def figure_7(evidence: Evidence) -> Figure | None:
    """Dollars a task against the implementation score."""
    found = matched(main_arms(evidence))
    ordered = best_first(found.arms, found.tasks)
    rows = [
        {
            "label": text(name),
            "cost": mean_used(arm, cost, found.tasks, UNPRICED),
            "value": mean_rate(arm, "task_pass", found.tasks),
            **identity(arm, ordered),
        }
        for arm, name in zip(ordered, labels(ordered), strict=True)
    ]
    drawn = [row for row in rows if row["cost"].value is not None]
    if not drawn or not any(row["cost"].value for row in drawn):
        return None
    dollars = [float(row["cost"].value or 0) for row in drawn]
    places = spread([float(row["value"].value or 0) for row in drawn], 0.05, 0.02, 0.98)
    names = [Label(str(row["label"].value), at, place) for row, at, place in zip(drawn, dollars, places, strict=True)]
    name, slug, title = "SWE-Clar Figure 7", "swe-clar-figure-7", "Cost and implementation score"
    price, value = Column("cost", "USD a task", "money"), Column("value", "Implementation score", "percent")
    said = "; ".join(
        f"{row['label'].value}: {at:.3g} USD, {shown(row['value'])}" for row, at in zip(drawn, dollars, strict=True)
    )
    unknown = [f"{row['label'].value} is not drawn: {row['cost'].why}." for row in rows if row not in drawn]
    return Figure(
        name,
        slug,
        title,
        scatter(price, value, names, log=min(dollars) > 0 and max(dollars) > 5 * min(dollars)),
        Table(name, slug, title, (Column("label", "Row"), price, value, *IDENTITY), drawn),
        f"What a task costs beside the share of tasks that pass. {said}.",
        [
            *run_notes(evidence),
            *matched_notes(found),
            *unscored_notes(found.arms),
            *unknown,
            "Cost is the coding agent's calls in clarification and implementation (C.1).",
            INTERVALS,
        ],
    )

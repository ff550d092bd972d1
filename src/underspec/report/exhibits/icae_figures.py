"""ICAE Figures 6, 9, 10 and 11: exposure, failure modes, budgets, and what runs take."""

from __future__ import annotations

from functools import partial

from underspec.artifact.outcomes import SUITES
from underspec.measure.failure_modes import MODES, failure_modes
from underspec.report.exhibits.arms import HIDING, Matched, Score, builds, families, labels, matched, one_each
from underspec.report.exhibits.cells import (
    budget_use,
    count,
    coverage,
    fallback_rate,
    mean_rate,
    mean_used,
    text,
    tokens,
)
from underspec.report.exhibits.charts import bars, lines
from underspec.report.exhibits.evidence import Entry, Evidence
from underspec.report.exhibits.exhibit import Column, Figure, Table
from underspec.report.exhibits.icae_ablations import family_notes
from underspec.report.exhibits.icae_main import best_first, main_arms
from underspec.report.exhibits.marks import end_labels, shown
from underspec.report.exhibits.notes import INTERVALS, matched_notes, run_notes, unscored_notes
from underspec.report.exhibits.rows import IDENTITY, identity

EXPOSURES = {
    "L1": "Fuzzy L1",
    "L2": "Fuzzy L2",
    "L3": "Fuzzy L3",
    "recovered": "RecoveredPRD",
    "ground": "GroundPRD",
}
MODE_NAMES = {"mismatch": "Mismatch", "missing": "Missing", "exec": "Exec.", "no_test": "No Test"}


def figure_6(evidence: Evidence) -> Figure | None:
    """Overall by exposure, a panel a family."""
    found: list[Matched] = []
    for family in families(builds(evidence), ("exposure",), unasked=lambda condition: condition.exposure not in HIDING):
        matching = matched(sorted(family, key=lambda arm: list(EXPOSURES).index(arm.condition.exposure)))
        if len(matching.arms) > 1 and matching.tasks:
            found.append(matching)
    found, others = one_each(found)
    if not found:
        return None
    names = labels([family.arms[0] for family in found])
    rows = [
        {
            "panel": text(name),
            "label": text(EXPOSURES[arm.condition.exposure]),
            "value": mean_rate(arm, "overall_macro", family.tasks),
            "tasks": count(len(family.tasks)),
            **identity(arm, [arm], ("exposure",)),
        }
        for name, family in zip(names, found, strict=True)
        for arm in family.arms
    ]
    name, slug, title = "ICAE Figure 6", "icae-figure-6", "Overall pass rate by exposure"
    value = Column("value", "Overall, mean over tasks", "percent")
    columns = (
        Column("panel", "Row"),
        Column("label", "Exposure"),
        value,
        Column("tasks", "Matched tasks", "count"),
        *IDENTITY,
    )
    said = "; ".join(f"{row['panel'].value}, {row['label'].value}: {shown(row['value'])}" for row in rows)
    return Figure(
        name,
        slug,
        title,
        bars(value, panels=min(len(found), 2), own_labels=True),
        Table(name, slug, title, columns, rows),
        f"Overall pass rate by how much of the requirement the request shows. {said}.",
        [
            *run_notes(evidence),
            "Bars of one panel are on the same tasks.",
            *_others(others),
            *family_notes(found),
            INTERVALS,
        ],
    )


def _others(number: int) -> list[str]:
    said = "Of each builder the conditions with most values are drawn; other sets of its conditions: {}."
    return [said.format(number)] if number else []


def figure_9(evidence: Evidence) -> Figure | None:
    """Shares of deliverables that show each failure mode."""
    found = matched(main_arms(evidence))
    if not found.tasks:
        return None
    ordered = best_first(found.arms, found.tasks)
    rows = []
    for mode in MODES:
        for arm, name in zip(ordered, labels(ordered), strict=True):
            graded = [entry.one.outcomes for entry in arm.on(found.tasks) if entry.one.outcomes is not None]
            seen = failure_modes(graded)
            causes = sorted({cause for suite in SUITES for cause in seen.exec_causes[suite]})
            rows.append(
                {
                    "panel": text(MODE_NAMES[mode]),
                    "label": text(name),
                    "value": mean_rate(arm, partial(_shows, mode=mode), found.tasks),
                    "deliverables": count(seen.any_suite[mode]),
                    **{suite: count(seen.modes[suite][mode]) for suite in SUITES},
                    "graded": count(seen.deliverables),
                    "clean": count(seen.clean),
                    "causes": text(", ".join(causes) if mode == "exec" else ""),
                    **identity(arm, ordered),
                }
            )
    name, slug, title = "ICAE Figure 9", "icae-figure-9", "Failure modes of deliverables"
    value = Column("value", "Deliverables, mean over tasks", "percent")
    columns = (
        Column("panel", "Failure mode"),
        Column("label", "Row"),
        value,
        Column("deliverables", "Deliverables with it", "count"),
        *(Column(suite, f"in {suite.capitalize()}", "count") for suite in SUITES),
        Column("graded", "Graded", "count"),
        Column("clean", "Clean", "count"),
        Column("causes", "Causes"),
        *IDENTITY,
    )
    said = "; ".join(
        f"{row['label'].value}, {row['panel'].value}: {row['deliverables'].value} of {row['graded'].value}"
        for row in rows
    )
    notes = [
        *run_notes(evidence),
        *matched_notes(found),
        *unscored_notes(found.arms),
        "A deliverable counts once a mode, in whatever suite it shows it; modes overlap. Clean ones pass every case.",
        INTERVALS,
    ]
    return Figure(
        name,
        slug,
        title,
        bars(value, panels=2),
        Table(name, slug, title, columns, rows),
        f"Deliverables that show each failure mode in any suite. {said}.",
        notes,
    )


def _shows(entry: Entry, *, mode: str) -> float | None:
    if entry.one.outcomes is None:
        return None
    return float(
        any(str(state).partition(":")[0] == mode for suite in entry.one.outcomes.suites for state in suite.states)
    )


_BY_BUDGET: tuple[tuple[str, Score | str], ...] = (
    ("Overall, mean over tasks", "overall_macro"),
    ("Constraint coverage", coverage),
    ("Fallback", fallback_rate),
    ("Budget use", budget_use),
)


def figure_10(evidence: Evidence) -> Figure | None:
    """What more questions give: a panel a figure, a line a family."""
    kept = [
        arm for arm in builds(evidence) if arm.condition.exposure in HIDING and arm.condition.stakeholder != "nobody"
    ]
    found: list[Matched] = []
    for same in families(kept, ("budget",), unasked=lambda condition: condition.budget == 0):
        matching = matched(sorted(same, key=lambda arm: arm.condition.budget))
        if len(matching.arms) > 1 and matching.tasks:
            found.append(matching)
    found, others = one_each(found)
    if not found:
        return None
    names = labels([family.arms[-1] for family in found])
    rows = []
    for panel, figure in _BY_BUDGET:
        for name, family in zip(names, found, strict=True):
            for arm in family.arms:
                cell = mean_rate(arm, figure, family.tasks)
                if cell.value is not None:
                    rows.append(
                        {
                            "panel": text(panel),
                            "label": text(name),
                            "budget": count(arm.condition.budget),
                            "value": cell,
                            "tasks": count(len(family.tasks)),
                            **identity(arm, [arm], ("budget",)),
                        }
                    )
    name, slug, title = "ICAE Figure 10", "icae-figure-10", "What more questions give"
    budget, value = Column("budget", "Questions allowed", "count"), Column("value", "Share", "percent")
    columns = (
        Column("panel", "Figure"),
        Column("label", "Row"),
        budget,
        value,
        Column("tasks", "Matched tasks", "count"),
        *IDENTITY,
    )
    said = "; ".join(
        f"{row['label'].value}, {row['panel'].value}, {row['budget'].value} questions: {shown(row['value'])}"
        for row in rows
    )
    budgets = sorted({arm.condition.budget for family in found for arm in family.arms})
    panels = list(dict.fromkeys(str(row["panel"].value) for row in rows))
    ends = [
        label
        for panel in panels
        for label in end_labels([row for row in rows if row["panel"].value == panel], "budget", panel)
    ]
    return Figure(
        name,
        slug,
        title,
        lines(
            budget,
            value,
            ends if len(found) > 1 else (),
            panels=2,
            points=True,
            whole=True,
            xs=[float(each) for each in budgets],
        ),
        Table(name, slug, title, columns, rows),
        f"What changes with the number of questions allowed. {said}.",
        [
            *run_notes(evidence),
            "Points of one line are on the same tasks.",
            *_others(others),
            *family_notes(found),
            INTERVALS,
        ],
    )


def figure_11(evidence: Evidence) -> Figure | None:
    """Runtime and tokens of an item."""
    found = matched(main_arms(evidence))
    if not found.tasks:
        return None
    ordered = best_first(found.arms, found.tasks)

    def minutes(entry: Entry) -> float | None:
        taken = evidence.seconds(entry)
        return None if taken is None else taken / 60

    parts: tuple[tuple[str, Score, str], ...] = (
        ("Minutes", minutes, "no time was logged"),
        ("Tokens", tokens, "no ledger"),
    )
    rows = [
        {
            "panel": text(panel),
            "label": text(name),
            "value": mean_used(arm, figure, found.tasks, why),
            **identity(arm, ordered),
        }
        for panel, figure, why in parts
        for arm, name in zip(ordered, labels(ordered), strict=True)
    ]
    silent = not any(row["value"].value for row in rows if row["panel"].value == "Tokens")
    drawn = [row for row in rows if row["value"].value is not None and not (silent and row["panel"].value == "Tokens")]
    if not drawn:
        return None
    name, slug, title = "ICAE Figure 11", "icae-figure-11", "Runtime and tokens of an item"
    value = Column("value", "Mean over tasks", "number")
    said = "; ".join(
        f"{row['label'].value}: {row['value'].value:,.4g} {str(row['panel'].value).lower()}" for row in drawn
    )
    missing = [
        f"{row['label'].value}: no {str(row['panel'].value).lower()} ({row['value'].why})."
        for row in rows
        if row["value"].value is None
    ]
    notes = [
        *run_notes(evidence),
        *matched_notes(found),
        *unscored_notes(found.arms),
        *missing,
        *(["No model was called, so no tokens are drawn."] if silent else []),
        "Minutes are wall time of the attempt that made the deliverable. Tokens are the builder's, in and out, "
        "cached ones included, over all attempts. Intervals are Student's t over tasks.",
    ]
    return Figure(
        name,
        slug,
        title,
        bars(value, panels=2, own_values=True),
        Table(name, slug, title, (Column("panel", "Figure"), Column("label", "Row"), value, *IDENTITY), drawn),
        f"What an item takes on average. {said}.",
        notes,
    )

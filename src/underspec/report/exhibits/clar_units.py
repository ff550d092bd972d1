"""SWE-Clar Tables 8 and 9 and Figures 6 and 9: what is understood, and what the code does, unit by unit."""

from __future__ import annotations

from collections.abc import Sequence

from underspec.measure.answers import (
    LABELS,
    UnitResult,
    after_disclosure,
    joint_distribution,
    label_counts,
)
from underspec.report.exhibits.arms import Arm, Matched, labels, matched
from underspec.report.exhibits.cells import count, mean_rate, text, weighted_rate
from underspec.report.exhibits.charts import bars, shares
from underspec.report.exhibits.clar_scores import main_arms
from underspec.report.exhibits.evidence import Entry, Evidence
from underspec.report.exhibits.exhibit import Cell, Column, Figure, Table
from underspec.report.exhibits.icae_main import best_first
from underspec.report.exhibits.marks import shown
from underspec.report.exhibits.notes import INTERVALS, matched_notes, run_notes, unscored_notes
from underspec.report.exhibits.rows import IDENTITY, identity, used
from underspec.report.terminal import percent

ANSWERS = {"correct": "Correct", "partial": "Partial", "incorrect": "Incorrect"}


def unit_results(evidence: Evidence, entry: Entry, *, disclosed: bool = False) -> list[UnitResult]:
    """Every unit of one item; with ``disclosed``, whether those hidden at first became known, as far as that is
    labelled and the clarification ended normally."""
    clarified = entry.one.clarified
    if clarified is None:
        return []
    answered = {unit.unit: unit.label for unit in clarified.judgements.units} if clarified.judgements else {}
    passed = {unit.id: unit.passed for unit in clarified.acceptance.units} if clarified.acceptance else {}
    found = evidence.labels(entry) if disclosed else None
    known: dict[str, int | None] = {}
    if found is not None and found.disclosures is not None and found.transcript.finished:
        known = found.disclosures.first_complete()
    return [
        UnitResult(
            task=entry.task,
            unit=unit,
            label=str(label) if (label := answered.get(unit)) is not None else None,
            passed=passed.get(unit),
            disclosed=known[unit] is not None if unit in known else None,
        )
        for unit in dict.fromkeys([*answered, *passed])
    ]


def _units(evidence: Evidence, arm: Arm, tasks: Sequence[str]) -> list[UnitResult]:
    return [unit for entry in arm.on(tasks) for unit in unit_results(evidence, entry)]


def _judged(evidence: Evidence) -> tuple[Matched, list[Arm]] | None:
    found = matched(main_arms(evidence), "clarification")
    if not any(unit.label for arm in found.arms for unit in _units(evidence, arm, found.tasks)):
        return None
    return found, best_first(found.arms, found.tasks)


def _notes(evidence: Evidence, found: Matched) -> list[str]:
    return [*run_notes(evidence), *matched_notes(found), *unscored_notes(found.arms)]


def table_8(evidence: Evidence) -> Table | None:
    """Answers about what had been disclosed in full."""
    rows = []
    arms = main_arms(evidence)
    for arm in best_first(arms, sorted({entry.task for each in arms for entry in each.entries})):
        per_task: dict[str, list[UnitResult]] = {}
        unlabelled = 0
        for entry in arm.entries:
            units = unit_results(evidence, entry, disclosed=True)
            unlabelled += not any(unit.disclosed is not None for unit in units)
            per_task.setdefault(entry.task, []).extend(units)
        found = after_disclosure([unit for units in per_task.values() for unit in units])
        if not found.units and not found.unjudged:
            continue
        rows.append(
            {
                **identity(arm, arms),
                "units": count(found.units),
                **{label: _label_rate(list(per_task.values()), label) for label in LABELS},
                "unjudged": count(found.unjudged),
                "unlabelled": count(unlabelled),
            }
        )
    if not rows:
        return None
    columns = (
        *IDENTITY,
        Column("units", "Fully disclosed RUs", "count"),
        Column("partial", "Partial", "percent"),
        Column("incorrect", "Incorrect", "percent"),
        Column("correct", "Correct", "percent"),
        Column("unjudged", "Not judged", "count"),
        Column("unlabelled", "Items without labels, or that broke off", "count"),
    )
    notes = [
        *run_notes(evidence),
        *unscored_notes(arms),
        "Units that were hidden at first and fully disclosed when a clarification that ended normally ended; no "
        "conversation is left out for its length (C.4). Each row is over its own units: models disclose different "
        "ones. Intervals are over tasks, which weigh by their units.",
    ]
    return Table(
        "SWE-Clar Table 8", "swe-clar-table-8", "Answers after full disclosure", used(columns, rows), rows, notes
    )


def _label_rate(per_task: Sequence[Sequence[UnitResult]], label: str) -> Cell:
    judged = [[unit for unit in units if unit.disclosed and unit.label is not None] for units in per_task]
    hits = [float(sum(unit.label == label for unit in units)) for units in judged]
    return weighted_rate(hits, [float(len(units)) for units in judged], "none was judged")


def table_9(evidence: Evidence) -> Table | None:
    """Strict correctness and label counts."""
    judged = _judged(evidence)
    if judged is None:
        return None
    found, ordered = judged

    def strict(entry: Entry) -> float | None:
        judgements = entry.one.clarified.judgements if entry.one.clarified else None
        return judgements.strict if judgements else None

    rows = []
    for arm in ordered:
        counts = label_counts(_units(evidence, arm, found.tasks))
        rows.append(
            {
                **identity(arm, ordered),
                "strict": mean_rate(arm, strict, found.tasks),
                "clarification": mean_rate(arm, "clarification", found.tasks),
                **{label: count(number) for label, number in counts.items()},
            }
        )
    columns = (
        *IDENTITY,
        Column("strict", "Strict correctness", "percent"),
        Column("clarification", "Clarification score", "percent"),
        *(Column(label, title, "count") for label, title in ANSWERS.items()),
        Column("unjudged", "Not judged", "count"),
    )
    notes = [
        *_notes(evidence, found),
        "Strict correctness credits fully correct answers alone; both rates are means within a task, then over "
        "tasks. Counts are of single answers.",
        INTERVALS,
    ]
    return Table("SWE-Clar Table 9", "swe-clar-table-9", "Labels of answers", used(columns, rows), rows, notes)


def figure_6(evidence: Evidence) -> Figure | None:
    """Of answers with each label, the share whose tests pass."""
    judged = _judged(evidence)
    if judged is None:
        return None
    found, ordered = judged
    rows = []
    for arm, name in zip(ordered, labels(ordered), strict=True):
        per_task = [_units(evidence, arm, [task]) for task in found.tasks]
        for label, title in ANSWERS.items():
            both = [[unit for unit in units if unit.label == label and unit.passed is not None] for units in per_task]
            passed = [float(sum(bool(unit.passed) for unit in units)) for units in both]
            cell = weighted_rate(passed, [float(len(units)) for units in both], "no such answer")
            rows.append(
                {
                    "panel": text(name),
                    "label": text(f"{title} ({sum(len(units) for units in both)})"),
                    "value": cell,
                    "units": count(sum(len(units) for units in both)),
                    **identity(arm, ordered),
                }
            )
    name, slug, title = "SWE-Clar Figure 6", "swe-clar-figure-6", "Code that passes, by answer"
    value = Column("value", "Requirement units whose tests pass", "percent")
    columns = (Column("panel", "Row"), Column("label", "Answer"), value, Column("units", "Units", "count"), *IDENTITY)
    said = "; ".join(f"{row['panel'].value}, {row['label'].value}: {shown(row['value'])}" for row in rows)
    notes = [
        *_notes(evidence, found),
        "Each bar is over the requirement units with that answer; how many stands in parentheses. Intervals are over "
        "tasks, which weigh by their units.",
    ]
    return Figure(
        name,
        slug,
        title,
        bars(value, panels=min(len(ordered), 2), own_labels=True),
        Table(name, slug, title, columns, rows),
        f"Share of requirement units whose tests pass, among those with each answer. {said}.",
        notes,
    )


def figure_9(evidence: Evidence) -> Figure | None:
    """Answer by code, a panel an arm."""
    judged = _judged(evidence)
    if judged is None:
        return None
    found, ordered = judged
    rows = []
    for arm, name in zip(ordered, labels(ordered), strict=True):
        joint = joint_distribution(_units(evidence, arm, found.tasks))
        if not joint.units:
            continue
        for passed, code in ((True, "Tests pass"), (False, "Tests fail")):
            for label, title in ANSWERS.items():
                rows.append(
                    {
                        "panel": text(name),
                        "answer": text(title),
                        "code": text(code),
                        "share": Cell(joint.share(label, passed=passed)),
                        "units": count((joint.passed if passed else joint.failed)[label]),
                        "all": count(joint.units),
                        "left_out": count(joint.left_out),
                        **identity(arm, ordered),
                    }
                )
    if not rows:
        return None
    name, slug, title = "SWE-Clar Figure 9", "swe-clar-figure-9", "Answers and code, together"
    columns = (
        Column("panel", "Row"),
        Column("answer", "Answer"),
        Column("code", "Code"),
        Column("share", "Share of all units", "percent"),
        Column("units", "Units", "count"),
        Column("all", "of", "count"),
        Column("left_out", "Not judged or not tested", "count"),
        *IDENTITY,
    )
    said = "; ".join(
        f"{row['panel'].value}, {row['answer'].value}, {str(row['code'].value).lower()}: "
        f"{percent(float(row['share'].value or 0))} %"
        for row in rows
    )
    return Figure(
        name,
        slug,
        title,
        shares(2),
        Table(name, slug, title, columns, rows),
        f"Requirement units by answer and by what their tests say; the six cells of a row sum to 100 %. {said}.",
        [
            *_notes(evidence, found),
            "Units count once an epoch. The six cells of a panel sum to 100 %; all share one scale.",
        ],
    )

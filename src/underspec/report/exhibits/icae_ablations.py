"""ICAE Tables IX to XV: what one thing changes, wherever conditions that differ in it alone are present."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from underspec.artifact.condition import Condition
from underspec.measure.many import holm
from underspec.measure.paired import PairedDifference
from underspec.report.exhibits.arms import Arm, Matched, builds, families, matched
from underspec.report.exhibits.cells import count, difference, points, pooled_rate, text
from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.exhibit import Cell, Column, Table
from underspec.report.exhibits.icae_main import POOLED, RESULTS, fewer_notes, results
from underspec.report.exhibits.notes import DIFFERENCES, INTERVALS, RATIOS, run_notes, unknown_tasks, unscored_notes
from underspec.report.exhibits.rows import IDENTITY, identity, left_out, used

COMPARED = (
    Column("tasks", "Matched tasks", "count"),
    Column("difference", "Difference in Overall, mean over tasks", "points"),
    Column("p", "p", "number"),
)


@dataclass(frozen=True)
class Ablation:
    """One table: what is varied, which conditions take part, in which order; the first row is what others are held
    against."""

    name: str
    slug: str
    title: str
    varied: tuple[str, ...]
    column: str
    value: Callable[[Condition], str]
    order: Callable[[Condition], tuple[object, ...]]
    takes: Callable[[Condition], bool] = lambda condition: True
    complete: Callable[[Sequence[Condition]], bool] = lambda conditions: True


@dataclass(frozen=True)
class Compared:
    """One row: an arm of a family, and how it differs from the family's first; None for the first itself."""

    arm: Arm
    family: Matched
    change: PairedDifference | None


def compared(family: Matched) -> list[Compared]:
    """Each arm of a family against its first, by the measure that it is ranked by."""
    first = family.arms[0]
    return [
        Compared(arm, family, None if arm is first else difference(first, arm, first.measure, family.tasks))
        for arm in family.arms
    ]


def compared_cells(rows: Sequence[Compared]) -> list[dict[str, Cell]]:
    """The cells of :data:`COMPARED`; p-values are corrected for all rows together."""
    tested = [row.change for row in rows if row.change is not None]
    corrected = iter(holm([change.p_sign_flip for change in tested]).tolist() if tested else [])
    held = Cell(None, why="the others are held against this row")
    return [
        {
            "tasks": count(len(row.family.tasks)),
            "difference": points(row.change) if row.change else held,
            "p": Cell(float(next(corrected))) if row.change else held,
        }
        for row in rows
    ]


def found_families(evidence: Evidence, ablation: Ablation) -> list[Matched]:
    """Families of the ablation with a task that all their arms have scored, each in order."""
    kept = [arm for arm in builds(evidence) if ablation.takes(arm.condition)]
    found = []
    for family in families(kept, ablation.varied, unasked=lambda condition: False):
        ordered = sorted(family, key=lambda arm: ablation.order(arm.condition))
        matching = matched(ordered)
        if len(matching.arms) > 1 and matching.tasks and ablation.complete([arm.condition for arm in matching.arms]):
            found.append(matching)
    return found


def family_notes(found: Sequence[Matched]) -> list[str]:
    """What of the families' tasks is left out, and what is unscored."""
    notes = []
    for family in found:
        if family.left_out:
            name = family.arms[0].model
            why = "; ".join(f"{number} {reason}" for reason, number in family.left_out.items())
            notes.append(
                f"{name}: {len(family.tasks)} of {len(family.planned)} planned tasks are matched. Left out: {why}."
            )
    return notes + unscored_notes([arm for family in found for arm in family.arms])


def ablation_table(evidence: Evidence, ablation: Ablation) -> Table | None:
    """The table of one ablation; None where no two conditions differ in what it varies alone."""
    found = found_families(evidence, ablation)
    if not found:
        return None
    flat = [row for family in found for row in compared(family)]
    arms = [row.arm for row in flat]
    figures = [cells for family in found for cells in results(family.arms, family.tasks)]
    rows = [
        {
            **identity(row.arm, arms, ablation.varied),
            "varied": text(ablation.value(row.arm.condition)),
            **cells,
            **result,
        }
        for row, cells, result in zip(flat, compared_cells(flat), figures, strict=True)
    ]
    columns = (Column("varied", ablation.column), *IDENTITY, *COMPARED, *RESULTS)
    return Table(
        name=ablation.name,
        slug=ablation.slug,
        title=ablation.title,
        columns=used(columns, rows),
        rows=rows,
        notes=[
            *run_notes(evidence),
            "Rows of one group differ in this alone, and are on the same tasks, which all of them have scored; the "
            "group's first row is what the others are held against.",
            *family_notes(found),
            *left_out(RESULTS, rows),
            *(note for family in found for note in fewer_notes(family.arms, family.tasks)),
            DIFFERENCES,
            POOLED,
            INTERVALS,
            *([RATIOS] if any(row["file"].value for row in rows) else []),
        ],
    )


def _thinks(condition: Condition) -> str:
    value = condition.thinking
    if value is None:
        return "the provider's default"
    return f"at most {value} tokens" if value.isdecimal() else value


def _thinking_order(condition: Condition) -> tuple[object, ...]:
    value = condition.thinking
    order = {"off": 0, None: 2, "adaptive": 3, "max": 4}
    return (order.get(value, 1), int(value) if value is not None and value.isdecimal() else 0)


def _capped_and_not(conditions: Sequence[Condition]) -> bool:
    capped = [condition.thinking is not None and condition.thinking.isdecimal() for condition in conditions]
    return any(capped) and not all(capped)


def _router(condition: Condition) -> str:
    return f"{condition.router}: {condition.stakeholder_model}" if condition.stakeholder_model else condition.router


SCAFFOLD = Ablation(
    "ICAE Table IX",
    "icae-table-9",
    "Public case files in the workspace",
    ("scaffold",),
    "Public case files",
    lambda condition: "with" if condition.scaffold else "without",
    lambda condition: (condition.scaffold,),
)
FRAMEWORK = Ablation(
    "ICAE Table X",
    "icae-table-10",
    "Agent frameworks",
    ("agent", "command"),
    "Framework",
    lambda condition: f"{condition.agent} ({condition.command})" if condition.command else condition.agent,
    lambda condition: (condition.agent != "claude-code", condition.agent, condition.command or ""),
    takes=lambda condition: condition.model is not None,
)
USER_AGENT = Ablation(
    "ICAE Table XI",
    "icae-table-11",
    "User Agents: routers and their models",
    ("router", "stakeholder_model"),
    "User Agent",
    _router,
    lambda condition: (condition.router != "model", condition.router, condition.stakeholder_model or ""),
    takes=lambda condition: condition.asks,
)
THINKING = Ablation(
    "ICAE Table XII",
    "icae-table-12",
    "With and without thinking",
    ("thinking",),
    "Thinking",
    _thinks,
    _thinking_order,
    takes=lambda condition: condition.model is not None,
    complete=lambda conditions: any(condition.thinking == "off" for condition in conditions),
)
THINKING_BUDGET = Ablation(
    "ICAE Table XIII",
    "icae-table-13",
    "Adaptive and capped thinking",
    ("thinking",),
    "Thinking",
    _thinks,
    _thinking_order,
    takes=lambda condition: condition.model is not None and condition.thinking != "off",
    complete=_capped_and_not,
)
IMAGE = Ablation(
    "ICAE Table XIV",
    "icae-table-14",
    "Execution environments",
    ("image",),
    "Image",
    lambda condition: condition.image,
    lambda condition: (condition.image != "base",),
)
LANGUAGE = Ablation(
    "ICAE Table XV",
    "icae-table-15",
    "Implementing in another language",
    ("language",),
    "Implemented in",
    lambda condition: condition.language or "its own",
    lambda condition: (condition.language is not None, condition.language or ""),
    takes=lambda condition: True,
    complete=lambda conditions: any(condition.language is None for condition in conditions),
)


def table_xv(evidence: Evidence) -> Table | None:
    """By source language: its own against another."""
    rows: list[dict[str, Cell]] = []
    flat: list[Compared] = []
    kept: list[Matched] = []
    for family in found_families(evidence, LANGUAGE):
        own, others = family.arms[0], family.arms[1:]
        for other in others:
            moved = [name for name in family.tasks if _language(evidence, name) not in (None, other.condition.language)]
            spoken = sorted({str(_language(evidence, name)) for name in moved})
            parts = [
                (language, [name for name in moved if _language(evidence, name) == language]) for language in spoken
            ]
            if not parts:
                continue
            kept.append(family)
            for language, tasks in [*parts, *([("all of these", moved)] if len(parts) > 1 else [])]:
                part = Matched([own, other], tasks, tasks, {})
                flat.append(compared(part)[1])
                rows.append(
                    {
                        **identity(other, [other], LANGUAGE.varied),
                        "source": text(language),
                        "varied": text(str(other.condition.language)),
                        "own": pooled_rate(own, "overall", tasks),
                        "overall": pooled_rate(other, "overall", tasks),
                    }
                )
    if not rows:
        return None
    cells = compared_cells(flat)
    columns = (
        Column("source", "Golden code in"),
        Column("varied", LANGUAGE.column),
        *IDENTITY,
        Column("own", "Overall in its own", "percent"),
        Column("overall", "Overall in the other", "percent"),
        *COMPARED,
    )
    table = [{**row, **more} for row, more in zip(rows, cells, strict=True)]
    return Table(
        name=LANGUAGE.name,
        slug=LANGUAGE.slug,
        title=LANGUAGE.title,
        columns=used(columns, table),
        rows=table,
        notes=[
            *run_notes(evidence),
            "Each row is on the same tasks both ways; tasks whose golden code is in that language already are left "
            "out.",
            *family_notes(kept),
            *unknown_tasks(evidence),
            "Overall counts all cases together; the difference is of means over tasks.",
            DIFFERENCES,
            INTERVALS,
        ],
    )


def _language(evidence: Evidence, name: str) -> str | None:
    task = evidence.facts(name)
    return task.language if task is not None else None

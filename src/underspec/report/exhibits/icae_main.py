"""ICAE Tables VI, VII and VIII: the main results, on all tasks, on the smaller ones, and by language."""

from __future__ import annotations

from collections.abc import Sequence

from underspec.artifact.review import CRITIC_DIMENSIONS
from underspec.measure.ranks import rank_agreement
from underspec.report.exhibits.arms import Arm, Matched, builds, grouped, leading, matched, shared
from underspec.report.exhibits.cells import (
    NO_REVIEW,
    NO_STRUCTURE,
    NOBODY_ASKED,
    NOT_SCORED,
    budget_use,
    coverage,
    fallback_rate,
    mean_positive,
    mean_rate,
    pooled_rate,
)
from underspec.report.exhibits.evidence import CASE_VIEWS, Evidence
from underspec.report.exhibits.exhibit import Cell, Column, Table
from underspec.report.exhibits.notes import INTERVALS, RATIOS, matched_notes, run_notes, unknown_tasks, unscored_notes
from underspec.report.exhibits.rows import IDENTITY, ITEMS, identity, items, left_out, used
from underspec.report.scores import CRITIC

WHO_BUILDS = ("agent", "command", "model", "thinking")
LITE_TASKS = 50
"""ICAE IV-A: the fifty tasks with the least golden code."""

FUNCTIONAL = (
    Column("overall", "Overall", "percent"),
    Column("overall_macro", "Overall, mean over tasks", "percent"),
    Column("public", "Public", "percent"),
    Column("native", "Native", "percent"),
    Column("enhanced", "Enhanced", "percent"),
    Column("hidden", "Hidden", "percent"),
    Column("clean", "Clean", "percent"),
)
AGENTIC = (
    Column("semantic", "Semantic", "percent"),
    Column("api", "API", "percent"),
    Column("design", "Design", "percent"),
)
STRUCTURAL = (
    Column("file", "File", "percent"),
    Column("loc", "LOC", "percent"),
    Column("class_like", "Class", "percent"),
    Column("method", "Method", "percent"),
    Column("method_qualified", "Method, with owner", "percent"),
    Column("namespace", "Namespace", "percent"),
)
INTERACTION = (
    Column("coverage", "Constraint coverage", "percent"),
    Column("fallback", "Fallback", "percent"),
    Column("budget_use", "Budget use", "percent"),
)
RESULTS = (*FUNCTIONAL, *AGENTIC, *STRUCTURAL, *INTERACTION)
POOLED = (
    "Overall, Public, Native, Enhanced and Hidden count all cases of all tasks together, as published; the other "
    "columns are means over tasks. Clean is the share of tasks of which every case passes."
)


_MEASURES: dict[str, str] = {
    "overall_macro": "overall_macro",
    "clean": "task_pass",
    "class_like": "class_similarity",
    "method": "method_similarity",
    "method_qualified": "method_qualified_similarity",
    "namespace": "namespace_similarity",
    **{dimension: f"{CRITIC}{dimension}" for dimension in CRITIC_DIMENSIONS},
}
_RATIOS = {"file": "file_ratio", "loc": "loc_ratio"}
_WHY: dict[str, str] = {
    **dict.fromkeys((column.key for column in STRUCTURAL), NO_STRUCTURE),
    **dict.fromkeys(CRITIC_DIMENSIONS, NO_REVIEW),
}


def results(arms: Sequence[Arm], tasks: Sequence[str]) -> list[dict[str, Cell]]:
    """The cells of :data:`RESULTS` of each arm: the four families of ICAE III-F. What a critic or the comparison of
    trees gave is on the tasks in which every arm has it; fallback is over the tasks in which an arm asked."""
    on = {key: shared(arms, measure, tasks) for key, measure in (_MEASURES | _RATIOS).items()}
    return [
        {
            **{view: pooled_rate(arm, view, tasks) for view in CASE_VIEWS},
            **{key: mean_rate(arm, name, on[key], _WHY.get(key, NOT_SCORED)) for key, name in _MEASURES.items()},
            **{key: mean_positive(arm, name, on[key], NO_STRUCTURE) for key, name in _RATIOS.items()},
            "coverage": mean_rate(arm, coverage, shared(arms, coverage, tasks), NOBODY_ASKED),
            "fallback": mean_rate(arm, fallback_rate, tasks, "nothing was asked"),
            "budget_use": mean_rate(arm, budget_use, shared(arms, budget_use, tasks), NOBODY_ASKED),
        }
        for arm in arms
    ]


def fewer_notes(arms: Sequence[Arm], tasks: Sequence[str]) -> list[str]:
    """On how many of the tasks columns are that are not on all of them."""
    found: dict[int, list[str]] = {}
    for column in (*AGENTIC, *STRUCTURAL):
        number = len(shared(arms, (_MEASURES | _RATIOS)[column.key], tasks))
        if 0 < number < len(tasks):
            found.setdefault(number, []).append(column.title)
    return [
        f"{', '.join(titles)}: on {number} of these {len(tasks)} tasks, in which every row has them."
        for number, titles in found.items()
    ]


def main_arms(evidence: Evidence) -> list[Arm]:
    """The conditions that differ in who builds alone, and that most items are of."""
    return leading(grouped(builds(evidence), WHO_BUILDS))


def best_first(found: Sequence[Arm], tasks: Sequence[str]) -> list[Arm]:
    """Arms by what they are ranked by."""
    means = {id(arm): arm.scores(arm.measure, tasks).mean for arm in found}
    return sorted(found, key=lambda arm: -(means[id(arm)] or 0.0))


def lite_tasks(evidence: Evidence, tasks: Sequence[str]) -> list[str] | None:
    """The fifty of these tasks with the least golden code; None where there are no more than that, or nobody
    counted."""
    lines = {task.id: task.lines for task in evidence.tasks}
    known = sorted((count, name) for name in tasks if (count := lines.get(name)) is not None)
    return sorted(name for _count, name in known[:LITE_TASKS]) if len(known) > LITE_TASKS else None


def _table(name: str, slug: str, title: str, found: Matched, tasks: Sequence[str], notes: Sequence[str]) -> Table:
    ordered = best_first(found.arms, tasks)
    rows = [
        {**identity(arm, ordered), **items(arm), **cells}
        for arm, cells in zip(ordered, results(ordered, tasks), strict=True)
    ]
    columns = (*IDENTITY, *ITEMS, *RESULTS)
    return Table(
        name=name,
        slug=slug,
        title=title,
        columns=used(columns, rows),
        rows=rows,
        notes=[
            *notes,
            *left_out(RESULTS, rows),
            *fewer_notes(ordered, tasks),
            POOLED,
            INTERVALS,
            *([RATIOS] if rows[0]["file"].value else []),
        ],
    )


def table_vi(evidence: Evidence) -> Table | None:
    """Main results."""
    arms = main_arms(evidence)
    found = matched(arms)
    if not found.tasks:
        return None
    others = len(builds(evidence)) - len(arms)
    notes = [*run_notes(evidence), *matched_notes(found), *unscored_notes(found.arms)]
    if others:
        notes.append(f"Other conditions present, which the tables and figures of what they vary have: {others}.")
    return _table("ICAE Table VI", "icae-table-6", "Main results", found, found.tasks, notes)


def table_vii(evidence: Evidence) -> Table | None:
    """Main results on the smaller tasks."""
    found = matched(main_arms(evidence))
    lite = lite_tasks(evidence, found.tasks)
    if lite is None:
        return None
    notes = [
        *run_notes(evidence),
        f"The {LITE_TASKS} tasks with the least golden code, of {len(found.tasks)} that every row has scored.",
        *unscored_notes(found.arms, lite),
    ]
    if len(found.arms) > 1:
        whole, small = (
            [arm.scores("overall_macro", tasks).mean or 0.0 for arm in found.arms] for tasks in (found.tasks, lite)
        )
        agreed = rank_agreement(whole, small)
        if agreed.rho.r is not None:
            same = "the same row leads" if agreed.same_leader else "another row leads"
            notes.append(f"Ranks here and on all tasks: Spearman's rho {agreed.rho.r:.2f}; {same} (ICAE V-A).")
    return _table("ICAE Table VII", "icae-table-7", "Main results on the smaller tasks", found, lite, notes)


def table_viii(evidence: Evidence) -> Table | None:
    """Overall pass rate by language."""
    found = matched(main_arms(evidence))
    languages: dict[str, list[str]] = {}
    for name in found.tasks:
        task = evidence.facts(name)
        if task is not None:
            languages.setdefault(task.language, []).append(name)
    if not languages:
        return None
    ordered = best_first(found.arms, found.tasks)
    keys = {language: f"language_{place}" for place, language in enumerate(sorted(languages))}
    rows = [
        {
            **identity(arm, ordered),
            **{keys[language]: pooled_rate(arm, "overall", tasks) for language, tasks in languages.items()},
            "all": pooled_rate(arm, "overall", sorted(name for tasks in languages.values() for name in tasks)),
        }
        for arm in ordered
    ]
    columns = [Column(key, f"{language} ({len(languages[language])})", "percent") for language, key in keys.items()]
    return Table(
        name="ICAE Table VIII",
        slug="icae-table-8",
        title="Overall pass rate by programming language",
        columns=used((*IDENTITY, *columns, Column("all", "All", "percent")), rows),
        rows=rows,
        notes=[
            *run_notes(evidence),
            *matched_notes(found),
            *unscored_notes(found.arms),
            *unknown_tasks(evidence),
            "The language is the golden code's; in parentheses, how many tasks it has. All cases of a language's "
            "tasks count together.",
            INTERVALS,
        ],
    )

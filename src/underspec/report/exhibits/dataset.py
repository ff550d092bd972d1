"""What the tasks of the runs are made of: ICAE Table V and Figures 4, 5, 7 and 8, and SWE-Clar Figure 3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from underspec.measure.distributions import Summary, counts_by_group, describe, describe_columns, log_histogram
from underspec.measure.lengths import BYTES_A_TOKEN
from underspec.measure.scores import TaskScores
from underspec.report.exhibits.cells import count, text
from underspec.report.exhibits.charts import bars, histogram
from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.exhibit import Cell, Column, Figure, Table
from underspec.report.exhibits.facts import TaskFacts
from underspec.report.exhibits.icae_main import LITE_TASKS, lite_tasks
from underspec.report.exhibits.notes import run_notes, unknown_tasks
from underspec.task.model import LEVELS

TOKENS = f"Tokens are estimated: one for {BYTES_A_TOKEN} bytes of UTF-8. No tokenizer is named in the paper."
_REQUESTS = {"ground": "GroundPRD", "L1": "Fuzzy L1", "L2": "Fuzzy L2", "L3": "Fuzzy L3", "initial": "Initial request"}
_SUITES = {"public": "Public", "native": "Native", "enhanced": "Enhanced"}
MOST_CATEGORIES = 20
"""Categories of ambiguity that a figure names; the rarer ones stand together."""
_GOLDEN = ("Golden LOC", "Golden files")


def task_figures(task: TaskFacts) -> dict[str, float | None]:
    """The figures of Table V of one task."""
    figures: dict[str, float | None] = {
        f"{name}, tokens": float(task.request_tokens[key])
        for key, name in _REQUESTS.items()
        if key in task.request_tokens
    }
    for level, categories in task.categories.items():
        figures[f"User Agent Data {level}, tokens"] = float(task.told_tokens[level])
        figures[f"Ambiguity points {level}"] = float(categories.total())
    figures |= {f"{_SUITES[suite]} cases": float(total) for suite, total in task.cases.items()}
    if task.units is not None:
        figures["Requirement units"] = float(task.units)
    return {**figures, **dict(zip(_GOLDEN, (_number(task.lines), _number(task.files)), strict=True))}


def _number(value: int | None) -> float | None:
    return None if value is None else float(value)


def table_v(evidence: Evidence) -> Table | None:
    """Token lengths, cases, golden lines and files."""
    tasks = evidence.tasks
    if not tasks:
        return None
    lite = lite_tasks(evidence, [task.id for task in tasks])
    splits = [("all", tasks)]
    if lite is not None:
        splits.append(
            (f"the {LITE_TASKS} with the least golden code", [task for task in tasks if task.id in set(lite)])
        )
    rows = [row for name, part in splits for row in _summaries(name, part)]
    columns = (
        Column("split", "Tasks"),
        Column("figure", "Figure"),
        Column("known", "Known of", "count"),
        Column("least", "Minimum", "number"),
        Column("median", "Median", "number"),
        Column("mean", "Average", "number"),
        Column("greatest", "Maximum", "number"),
    )
    languages = len({task.language for task in tasks})
    notes = [
        *run_notes(evidence),
        f"Tasks: {len(tasks)}, in languages: {languages}.",
        TOKENS,
        "Golden LOC and files stand in a task's task.toml, where somebody has counted them.",
        *unknown_tasks(evidence),
    ]
    return Table("ICAE Table V", "icae-table-5", "Statistics of the tasks", columns, rows, notes)


def _summaries(name: str, tasks: Sequence[TaskFacts]) -> list[dict[str, Cell]]:
    found = describe_columns(task_figures(task) for task in tasks)
    return [_summary(name, key, found[key]) for key in _order() if key in found]


def _order() -> list[str]:
    levels = [part for level in LEVELS for part in (f"User Agent Data {level}, tokens", f"Ambiguity points {level}")]
    suites = [f"{name} cases" for name in _SUITES.values()]
    return [*(f"{name}, tokens" for name in _REQUESTS.values()), *levels, *suites, "Requirement units", *_GOLDEN]


def _summary(split: str, figure: str, found: Summary) -> dict[str, Cell]:
    unknown = None if found.number else "nobody counted it"
    return {
        "split": text(split),
        "figure": text(figure),
        "known": count(found.number),
        "least": Cell(found.least, why=unknown),
        "median": Cell(found.median, why=unknown),
        "mean": Cell(found.mean, why=unknown),
        "greatest": Cell(found.greatest, why=unknown),
    }


TASKS = Column("tasks", "Tasks", "count")


def _counts(
    evidence: Evidence, name: str, slug: str, title: str, groups: Mapping[str, int], label: str
) -> Figure | None:
    if not groups:
        return None
    rows = [{"label": text(group), "tasks": count(number)} for group, number in groups.items()]
    data = Table(name, slug, title, (Column("label", label), TASKS), rows)
    said = ", ".join(f"{group} {number}" for group, number in groups.items())
    notes = [*run_notes(evidence), *unknown_tasks(evidence)]
    return Figure(name, slug, title, bars(TASKS), data, f"Tasks by {label.lower()}: {said}.", notes)


def figure_4(evidence: Evidence) -> Figure | None:
    """Repository tasks by category."""
    groups = counts_by_group(task.category for task in evidence.tasks if task.family == "repository")
    return _counts(evidence, "ICAE Figure 4", "icae-figure-4", "Tasks by category", groups, "Category")


def clar_figure_3(evidence: Evidence) -> Figure | None:
    """Commissions by development type."""
    groups = counts_by_group(task.category for task in evidence.tasks if task.family == "commission")
    return _counts(
        evidence, "SWE-Clar Figure 3", "swe-clar-figure-3", "Commissions by development type", groups, "Type"
    )


def figure_5(evidence: Evidence) -> Figure | None:
    """Golden lines of code."""
    known = {task.id: lines for task in evidence.tasks if (lines := task.lines) is not None}
    if not known:
        return None
    found = log_histogram([float(lines) for lines in known.values()], per_decade=3)
    name, slug, title = "ICAE Figure 5", "icae-figure-5", "Tasks by lines of golden code"
    start, end = Column("start", "Lines of golden code", "number"), Column("end", "Up to", "number")
    rows = [
        {"start": Cell(low), "end": Cell(high), "tasks": count(number)}
        for low, high, number in zip(found.edges, found.edges[1:], found.counts, strict=False)
    ]
    summary = describe(float(lines) for lines in known.values())
    missing = len(evidence.tasks) - len(known)
    said = (
        f"Golden code of {len(known)} tasks has from {summary.least:,.0f} to {summary.greatest:,.0f} lines, half of "
        f"them up to {summary.median:,.0f}, {summary.mean:,.0f} on average. Bins are of the same width in the "
        "logarithm."
    )
    notes = [*run_notes(evidence), *unknown_tasks(evidence)]
    if missing:
        notes.append(f"In no bar, since nobody has counted their golden lines: {missing}.")
    return Figure(
        name,
        slug,
        title,
        histogram(start, "end", TASKS),
        Table(name, slug, title, (start, end, TASKS), rows),
        said,
        notes,
    )


def _means(
    tasks: Sequence[TaskFacts], parts: Sequence[tuple[str, str, Callable[[TaskFacts], float]]]
) -> list[dict[str, Cell]]:
    """A row a part: panel, label and the mean over the tasks, which are all there are: no sample, and no interval."""
    scores = [TaskScores.of((task.id, figure(task)) for task in tasks) for _panel, _label, figure in parts]
    return [
        {"panel": text(panel), "label": text(label), "value": Cell(each.mean)}
        for (panel, label, _figure), each in zip(parts, scores, strict=True)
    ]


def figure_7(evidence: Evidence) -> Figure | None:
    """Tokens of requests and of what only interaction gives."""
    tasks = [task for task in evidence.tasks if task.has_levels and "ground" in task.request_tokens]
    if not tasks:
        return None

    def request(key: str) -> Callable[[TaskFacts], float]:
        return lambda task: float(task.request_tokens[key])

    def told(level: str) -> Callable[[TaskFacts], float]:
        return lambda task: float(task.told_tokens[level])

    seen, asked = "Request, seen at once", "User Agent Data, by asking only"
    parts = [(seen, _REQUESTS[key], request(key)) for key in (*LEVELS, "ground")]
    parts += [(asked, _REQUESTS[level], told(level)) for level in LEVELS]
    rows = _means(tasks, parts)
    name, slug, title = "ICAE Figure 7", "icae-figure-7", "Tokens of requests and of what asking gives"
    value = Column("value", "Tokens, mean over tasks", "tokens")
    data = Table(name, slug, title, (Column("panel", "Part"), Column("label", "Exposure"), value), rows)
    said = "; ".join(
        f"{row['label'].value}, {str(row['panel'].value).lower()}: {row['value'].value:,.0f}" for row in rows
    )
    notes = [*run_notes(evidence), f"Tasks that have all levels: {len(tasks)}.", TOKENS, *unknown_tasks(evidence)]
    return Figure(
        name,
        slug,
        title,
        bars(value, panels=2, own_labels=True),
        data,
        f"Mean tokens over {len(tasks)} tasks. {said}.",
        notes,
    )


def figure_8(evidence: Evidence) -> Figure | None:
    """Ambiguity points by category and level."""
    tasks = [task for task in evidence.tasks if task.has_levels]
    totals = counts_by_group(
        category for task in tasks for level in LEVELS for category in task.categories[level].elements()
    )
    if not totals:
        return None
    rest = list(totals)[MOST_CATEGORIES:]
    names = {category: f"{len(rest)} other categories" if category in rest else category for category in totals}
    found = {
        task.id: {level: Counter(names[each] for each in task.categories[level].elements()) for level in LEVELS}
        for task in tasks
    }

    def points(level: str, category: str) -> Callable[[TaskFacts], float]:
        return lambda task: float(found[task.id][level][category])

    rows = _means(
        tasks,
        [(f"Fuzzy {level}", name, points(level, name)) for level in LEVELS for name in dict.fromkeys(names.values())],
    )
    name, slug, title = "ICAE Figure 8", "icae-figure-8", "Categories of ambiguity at each level"
    value = Column("value", "Points a task, mean over tasks", "number")
    data = Table(name, slug, title, (Column("panel", "Level"), Column("label", "Category"), value), rows)
    sums = [
        f"Fuzzy {level} hides {sum(counts[level].total() for counts in found.values()) / len(tasks):.1f} points a task"
        for level in LEVELS
    ]
    parts = "; ".join(f"{row['panel'].value}, {row['label'].value}: {row['value'].value:.2f}" for row in rows)
    notes = [
        *run_notes(evidence),
        f"Tasks that have all levels: {len(tasks)}. Every record counts, case files, architecture and harness too.",
        *unknown_tasks(evidence),
    ]
    return Figure(name, slug, title, bars(value, panels=3), data, f"{', '.join(sums)}. Of these: {parts}.", notes)

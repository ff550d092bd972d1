"""The page of one task: what was asked for, how every condition did, which cases and points are hard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from underspec.artifact.outcomes import SUITES, CaseOutcome
from underspec.errors import TaskError
from underspec.report.collect import Collected
from underspec.report.html.visible import prose
from underspec.report.site.item import ItemContext
from underspec.report.site.lines import ItemLine
from underspec.report.site.render import Pages
from underspec.report.site.request import Request, request_of
from underspec.run.store import RunStore
from underspec.task import release
from underspec.task.model import Level, Task

_MOST_FILES = 300


@dataclass(frozen=True)
class FileLine:
    """One file of cases over all graded items: ``passed`` of ``total``, and how many items pass none or all of it."""

    suite: str
    file: str
    cases: int
    passed: int
    total: int
    none: int
    all: int
    items: int

    @property
    def rate(self) -> float:
        """The share of its cases that pass, over all items."""
        return self.passed / self.total


@dataclass(frozen=True)
class RecordLine:
    """One hidden point, for the operator: in how many of the sessions that could it was brought out."""

    id: str
    kind: str
    category: str
    response: Markup
    found: int
    sessions: int


def write_task(pages: Pages, context: ItemContext, collected: Sequence[Collected], lines: Sequence[ItemLine]) -> None:
    """Write the page of a task, from all its items."""
    place, plan = context.place, context.plan
    files, files_left_out = _files(collected)
    pages.add(
        place.page,
        "task.html.j2",
        place.title if place.title != place.id else place.id,
        "tasks.html",
        task=place,
        loaded=context.task,
        why_no_task=context.why_no_task,
        lines=lines,
        requests=_requests(context),
        files=files,
        files_left_out=files_left_out,
        records=[] if plan.public or context.task is None else _records(context.task, collected),
        versions=_versions(collected, context.task),
    )


def _requests(context: ItemContext) -> list[Request]:
    """Each request that some item had, once."""
    plan, found = context.plan, {}
    for each in context.place.items:
        key = (each.item.condition.exposure, each.item.condition.information == "complete")
        if key not in found:
            store = RunStore(plan.runs[each.run].folder)
            found[key] = request_of(store, each.item, context.task, public=plan.public, graded_digest=None)
    return list(found.values())


def _files(collected: Sequence[Collected]) -> tuple[list[FileLine], int]:
    """Files of cases, the hardest first, and how many are left out."""
    graded = [each.outcomes for each in collected if each.outcomes is not None]
    passed: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    most: dict[tuple[str, str], int] = {}
    shares: dict[tuple[str, str], list[float]] = {}
    for outcomes in graded:
        here: dict[tuple[str, str], list[bool]] = {}
        for case in outcomes.cases:
            here.setdefault((case.suite, case.file), []).append(case.outcome is CaseOutcome.PASS)
        for key, verdicts in here.items():
            passed[key] += sum(verdicts)
            total[key] += len(verdicts)
            most[key] = max(most.get(key, 0), len(verdicts))
            shares.setdefault(key, []).append(sum(verdicts) / len(verdicts))
    lines = [
        FileLine(
            suite=suite,
            file=file,
            cases=most[suite, file],
            passed=passed[suite, file],
            total=number,
            none=sum(share == 0 for share in shares[suite, file]),
            all=sum(share == 1 for share in shares[suite, file]),
            items=len(shares[suite, file]),
        )
        for (suite, file), number in total.items()
    ]
    order = {str(suite): number for number, suite in enumerate(SUITES)}
    lines.sort(key=lambda line: (order[line.suite], line.rate, line.file))
    return lines[:_MOST_FILES], max(0, len(lines) - _MOST_FILES)


def _records(task: Task, collected: Sequence[Collected]) -> list[tuple[str, list[RecordLine]]]:
    """The hidden points of every level that somebody could ask about, those that nobody found last."""
    found: list[tuple[str, list[RecordLine]]] = []
    levels: dict[Level, list[Collected]] = {}
    for each in collected:
        if each.session is not None and each.item.condition.exposure in ("L1", "L2", "L3"):
            levels.setdefault(each.item.condition.exposure, []).append(each)
    for level, members in sorted(levels.items()):
        try:
            known = release.session_records(task, level)
        except TaskError:
            continue  # said on the items' pages
        hits = Counter(
            name
            for each in members
            if each.session
            for name in {name for turn in each.session.turns for name in turn.matched}
        )
        lines = [
            RecordLine(
                record.id,
                str(record.kind).replace("_", " "),
                record.category,
                prose(record.response, 1500),
                hits[record.id],
                len(members),
            )
            for record in known.records
        ]
        found.append((level, sorted(lines, key=lambda line: (-line.found, line.id))))
    return found


def _versions(collected: Sequence[Collected], task: Task | None) -> list[tuple[str, int, bool]]:
    """Digests of the task under which items were graded, with their number, and whether it is today's."""
    found: Counter[str] = Counter()
    for each in collected:
        if each.outcomes is not None:
            found[each.outcomes.task_digest] += 1
        elif each.clarified is not None and each.clarified.acceptance is not None:
            found[each.clarified.acceptance.task_digest] += 1
    return [(digest, number, task is not None and digest == task.digest) for digest, number in found.most_common()]

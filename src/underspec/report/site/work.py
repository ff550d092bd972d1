"""Writing the pages of one task and of all its items: the unit of work that is spread over processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from underspec.artifact.failures import FailedCase
from underspec.errors import TaskError, UnderspecError, UsageError
from underspec.report.collect import Collected, collect_item, read_failures
from underspec.report.durations import builder_seconds
from underspec.report.html.cases import TaskCases
from underspec.report.site.item import ItemContext, write_item
from underspec.report.site.lines import item_line
from underspec.report.site.plan import SitePlan, TaskPlace
from underspec.report.site.render import Pages
from underspec.report.site.request import may_be_public
from underspec.report.site.task import write_task
from underspec.report.site.telling import Telling, hidden_texts
from underspec.run.store import RunStore
from underspec.task import release
from underspec.task.load import load_task
from underspec.task.model import Task


@dataclass(frozen=True)
class Loaded:
    """A task, or why it is not at hand."""

    task: Task | None
    why: str | None

    def find(self, task_id: str) -> Task:
        """For those that look a task up.

        Raises:
            UsageError: it is not at hand.
        """
        if self.task is None:
            raise UsageError(self.why or "the task is not at hand", mend="give it with --task")
        return self.task


def write_task_pages(plan: SitePlan, place: TaskPlace, pages: Pages) -> None:
    """Write the page of a task and those of its items.

    Raises:
        StoreError: names the file that is damaged.
    """
    loaded = _load(place)
    stores = [RunStore(run.folder) for run in plan.runs]
    items = [(each, collect_item(stores[each.run], each.item)) for each in place.items]
    telling = _telling(plan, place, loaded.task)
    cases = TaskCases(loaded.find, show_hidden=not plan.public)
    cases.gather(_failed(place.id, [collected for _, collected in items]))
    lines = [
        item_line(place, each, collected, builder_seconds(stores[each.run], each.item)) for each, collected in items
    ]
    context = ItemContext(plan, place, loaded.task, loaded.why, telling, cases)
    for (_, collected), line in zip(items, lines, strict=True):
        write_item(pages, context, collected, line, lines)
    write_task(pages, context, [collected for _, collected in items], lines)


def _failed(task_id: str, items: list[Collected]) -> Iterator[tuple[str, tuple[FailedCase, ...]]]:
    for each in items:
        failures = read_failures(each)
        if failures is not None:
            yield task_id, failures.cases


def _load(place: TaskPlace) -> Loaded:
    if place.path is None:
        return Loaded(None, place.why_unknown)
    try:
        return Loaded(load_task(place.path), None)
    except (TaskError, UsageError) as error:
        # Without the file that the error names: a page is handed around, and a path is the operator's own.
        return Loaded(None, error.message)


def _telling(plan: SitePlan, place: TaskPlace, task: Task | None) -> Telling:
    """What may be said of a task; requests that a public site shows are not hidden."""
    if not plan.public:
        return Telling()
    if task is None:
        return Telling.blind()
    exposures = {each.item.condition.exposure for each in place.items if may_be_public(each.item.condition)}
    shown = []
    for exposure in sorted(exposures):
        try:
            shown.append(release.request_text(task, exposure))
        except UnderspecError:
            continue  # said on the items' pages
    return Telling(hidden_texts(task, shown))

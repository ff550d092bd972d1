"""The page as bytes: the same run gives the same bytes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from underspec.report.collect import Collected, read_failures
from underspec.report.html.bars import MEANING
from underspec.report.html.cases import TaskCases
from underspec.report.html.items import item_view
from underspec.report.html.table import MOST_GROUPS, MOST_ROWS, anchor_of, groups, table_rows
from underspec.report.html.visible import name
from underspec.report.terminal import best_first, percent, plain
from underspec.task.model import Task

MOST_DETAILED = 200
MOST_DETAILS_BYTES = 6_000_000
MOST_LISTED = 1000


@dataclass(frozen=True)
class Listed:
    """An item that the page only lists. ``why`` is a boundary where there is no score."""

    task: str
    agent: str
    epoch: int
    score: str
    why: str | None


def finalize(value: Any) -> Any:
    """Nothing invisible passes, even where a template writes a value as it is."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return plain(value)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("underspec.report.html", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )
    environment.filters["name"] = name
    return environment


@cache
def _style() -> str:
    return (resources.files("underspec.report.html") / "templates" / "page.css").read_text("utf-8")


def content_policy(style: str) -> str:
    """The page's Content-Security-Policy: its one style sheet by hash, and nothing else at all."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def report_page(
    document: dict[str, Any],
    manifest: dict[str, Any],
    collected: Sequence[Collected],
    *,
    find_task: Callable[[str], Task],
    show_hidden: bool = False,
) -> bytes:
    """The page of a run.

    Args:
        document: the report document of the same run.
        manifest: its ``run.toml``.
        collected: its items.
        find_task: a task by its id, for what was expected of failing cases; raises UsageError or TaskError where it is
            not to be had.
        show_hidden: whether expected outputs of hidden cases stand in the page. Never give such a page to anyone who
            builds or tunes agents.

    Raises:
        StoreError: a file of the run is damaged.
    """
    items = _by_rank(document, collected)
    details, listed = _details(items, find_task, show_hidden)
    detailed = {anchor_of(each) for each in items[: len(details)]}
    rows = table_rows(document, collected)
    bar_groups = groups(document, collected)
    style = _style()
    text = (
        _environment()
        .get_template("page.html.j2")
        .render(
            document=document,
            manifest=manifest,
            machine=_machine(manifest),
            policy=content_policy(style),
            style=Markup(style),
            rows=rows[:MOST_ROWS],
            rows_left_out=max(0, len(rows) - MOST_ROWS),
            groups=bar_groups[:MOST_GROUPS],
            groups_left_out=max(0, len(bar_groups) - MOST_GROUPS),
            meaning=[(str(outcome), words) for outcome, words in MEANING.items()],
            details=details,
            detailed=detailed,
            listed=listed[:MOST_LISTED],
            listed_left_out=max(0, len(listed) - MOST_LISTED),
            show_hidden=show_hidden,
        )
    )
    return text.encode("utf-8")


def _by_rank(document: dict[str, Any], collected: Sequence[Collected]) -> list[Collected]:
    """Items in the order of the table."""
    rank = {row["condition"]["id"]: place for place, row in enumerate(best_first(document))}
    return sorted(collected, key=lambda each: (rank[each.item.condition.id], each.item.task, each.item.epoch))


def _details(
    items: Sequence[Collected], find_task: Callable[[str], Task], show_hidden: bool
) -> tuple[list[Markup], list[Listed]]:
    """Sections for the first items, as many as there is room for, and a line for each of the others."""
    known = TaskCases(find_task, show_hidden=show_hidden)
    failures = [read_failures(each) for each in items[:MOST_DETAILED]]
    known.gather((each.task, each.cases) for each in failures if each is not None)
    template = _environment().get_template("item.html.j2")
    sections: list[Markup] = []
    room = MOST_DETAILS_BYTES
    for each, failed in zip(items[:MOST_DETAILED], failures, strict=True):
        section = Markup(template.render(item=item_view(each, failed, known), show_hidden=show_hidden))
        room -= len(section)
        if room < 0:
            break
        sections.append(section)
    return sections, [_listed(each) for each in items[len(sections) :]]


def _listed(each: Collected) -> Listed:
    score = percent(each.outcomes.overall.rate if each.outcomes else None)
    return Listed(each.item.task, each.item.condition.agent, each.item.epoch, score, each.boundary)


def _machine(manifest: dict[str, Any]) -> str:
    machine = manifest["machine"]
    system = f"{machine['system']} {machine['release']} on {machine['architecture']}"
    return f"{system}, {machine['cpus']} processors, Python {machine['python']}, {machine['user']} user"

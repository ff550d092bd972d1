"""What pages a site has and where each lies: made once from the runs' plans, shared by all that write pages.

Nothing here is an outcome, so that workers can begin before any item has been read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from underspec.artifact.condition import Condition
from underspec.errors import StoreError, TaskError, UsageError
from underspec.report.scores import primary
from underspec.run.item import Item
from underspec.run.manifest import read_manifest
from underspec.run.store import RunStore
from underspec.task.load import read_toml

Audience = Literal["operator", "public"]
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80
_MOST_NAMED = 3
NOTHING = "–"
"""A field that a condition has not."""
_FIRST_FIELDS = ("model", "thinking", "exposure", "budget", "router", "protocol", "information", "scaffold", "image")


def slug(text: str) -> str:
    """A text as a part of an address: ASCII letters, digits and ``.``, ``_``, ``-``; never empty, never a dot file."""
    return _UNSAFE.sub("-", text)[:_LONGEST].strip("-.") or "x"


def slugs(names: Sequence[str]) -> list[str]:
    """An address for each name; names that would share one are numbered."""
    taken: dict[str, int] = {}
    found = []
    for name in names:
        # Case is folded, as on disks that know none.
        base = slug(name)
        number = taken[base.lower()] = taken.get(base.lower(), 0) + 1
        found.append(base if number == 1 else f"{base}~{number}")
    return found


@dataclass(frozen=True)
class RunPlace:
    """One run: where it lies, what it is called, and its page."""

    folder: Path
    name: str
    slug: str
    comparable: bool
    evidence: Mapping[str, str]
    """Which of its evidence logs has an item, by the item's folder name."""

    @property
    def page(self) -> str:
        """The address of its page."""
        return f"runs/{self.slug}.html"


@dataclass(frozen=True)
class Standing:
    """One line of a leaderboard: a condition in a run. ``settings`` are the fields in which the site's lines differ."""

    run: int
    condition: Condition
    slug: str
    agent: str
    settings: tuple[tuple[str, str], ...]

    @property
    def page(self) -> str:
        """The address of its page."""
        return f"conditions/{self.slug}.html"

    @property
    def words(self) -> str:
        """Agent and settings in one line."""
        told = (f"{name.replace('_', ' ')} {value}" for name, value in self.settings if value != NOTHING)
        return ", ".join([self.agent, *told])


@dataclass(frozen=True)
class ItemPlace:
    """One item: its run, its line, its folder in the run, and its page."""

    run: int
    standing: int
    item: Item
    page: str


@dataclass(frozen=True)
class TaskPlace:
    """One task: what is told of it everywhere, where it lies if that is known, and its page and items."""

    id: str
    slug: str
    path: Path | None
    title: str
    language: str
    category: str
    family: str
    why_unknown: str | None
    items: tuple[ItemPlace, ...]

    @property
    def page(self) -> str:
        """The address of its page."""
        return f"tasks/{self.slug}.html"


@dataclass(frozen=True)
class SitePlan:
    """All pages of a site."""

    audience: Audience
    title: str
    runs: tuple[RunPlace, ...]
    standings: tuple[Standing, ...]
    varied: tuple[str, ...]
    tasks: tuple[TaskPlace, ...]
    version: str

    @property
    def public(self) -> bool:
        """Whether everything hidden is left out."""
        return self.audience == "public"

    @property
    def planned(self) -> int:
        """How many items there are."""
        return sum(len(task.items) for task in self.tasks)


def plan_site(folders: Sequence[Path], task_paths: Mapping[str, Path], audience: Audience, *, version: str) -> SitePlan:
    """Read the plans of runs, and what tasks say of themselves.

    Raises:
        StoreError: names the file that is damaged, or a run without items.
    """
    unique = list(dict.fromkeys(folder.resolve() for folder in folders))
    manifests = [read_manifest(folder) for folder in unique]
    runs = [
        RunPlace(folder, folder.name, name, bool(manifest["sandbox"]["comparable"]), evidence_logs(folder))
        for folder, manifest, name in zip(unique, manifests, slugs([each.name for each in unique]), strict=True)
    ]
    items = [(number, item) for number, run in enumerate(runs) for item in RunStore(run.folder).items()]
    if not items:
        raise StoreError("the run has no item", file=str(unique[0]), mend="give a folder that `underspec run` made")
    standings, varied = _standings(runs, items)
    return SitePlan(
        audience=audience,
        title=", ".join(run.name for run in runs) if len(runs) <= _MOST_NAMED else f"{len(runs)} runs",
        runs=tuple(runs),
        standings=tuple(standings),
        varied=tuple(varied),
        tasks=_tasks(runs, items, standings, task_paths),
        version=version,
    )


def _standings(runs: Sequence[RunPlace], items: Sequence[tuple[int, Item]]) -> tuple[list[Standing], list[str]]:
    """The lines in the order of runs, and the fields of conditions in which those of one leaderboard differ."""
    conditions = {(number, item.condition.id): item.condition for number, item in items}
    dumped = {key: condition.model_dump(mode="json") for key, condition in conditions.items()}
    boards: dict[str, list[dict[str, Any]]] = {}
    for key, condition in conditions.items():
        boards.setdefault(primary(condition), []).append(dumped[key])
    names = [name for name in dict.fromkeys((*_FIRST_FIELDS, *Condition.model_fields)) if name != "agent"]
    differing = {
        board: [name for name in names if len({str(each.get(name)) for each in members}) > 1]
        for board, members in boards.items()
    }
    several = len(runs) > 1
    found = []
    for (number, identity), condition in conditions.items():
        run = runs[number]
        values = [(name, value_words(dumped[number, identity][name])) for name in differing[primary(condition)]]
        settings = (*values, *([("run", run.name)] if several else []))
        address = slug(f"{run.slug}--{condition.agent}" if several else condition.agent)
        found.append(Standing(number, condition, f"{address}--{identity[:12]}", condition.agent, settings))
    return found, [name for name in names if any(name in each for each in differing.values())]


def value_words(value: Any) -> str:
    """A condition's field for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return NOTHING if value is None else str(value)


def _tasks(
    runs: Sequence[RunPlace],
    items: Sequence[tuple[int, Item]],
    standings: Sequence[Standing],
    task_paths: Mapping[str, Path],
) -> tuple[TaskPlace, ...]:
    places = {(each.run, each.condition.id): number for number, each in enumerate(standings)}
    by_task: dict[str, list[tuple[int, Item]]] = {}
    for number, item in items:
        by_task.setdefault(item.task, []).append((number, item))
    found = []
    names = sorted(by_task)
    for task_id, task_slug in zip(names, slugs(names), strict=True):
        members = tuple(
            ItemPlace(
                run=number,
                standing=places[number, item.condition.id],
                item=item,
                page=f"items/{runs[number].slug}/{task_slug}--{slug(item.condition.agent)}--e{item.epoch}"
                f"--{item.id[:16]}.html",
            )
            for number, item in by_task[task_id]
        )
        ordered = tuple(sorted(members, key=lambda each: (each.standing, each.item.epoch)))
        found.append(_task(task_id, task_slug, task_paths.get(task_id), ordered))
    return tuple(found)


def _task(task_id: str, address: str, path: Path | None, items: tuple[ItemPlace, ...]) -> TaskPlace:
    unknown = TaskPlace(task_id, address, None, task_id, "unknown", "unknown", "unknown", "it was not given", items)
    if path is None:
        return unknown
    try:
        toml = read_toml(path)
    except (TaskError, UsageError) as error:
        # The path is the operator's own, and a site is handed around.
        return TaskPlace(
            task_id,
            address,
            None,
            task_id,
            "unknown",
            "unknown",
            "unknown",
            f"it cannot be read: {error.message}",
            items,
        )
    return TaskPlace(task_id, address, path, toml.title, toml.language, toml.category, toml.family, None, items)


def evidence_logs(run: Path) -> dict[str, str]:
    """Which of a run's evidence logs, by file name, holds the transcript of an item, by the item's folder name; the
    newest one where several do. A file that is no log of the engine holds none."""
    import zipfile

    found: dict[str, str] = {}
    folder = run / "evidence"
    for path in sorted(folder.glob("*.eval")) if folder.is_dir() else []:
        try:
            with zipfile.ZipFile(path) as log:
                names = log.namelist()
        except (zipfile.BadZipFile, OSError):
            continue
        for name in names:
            if name.startswith("samples/") and "_epoch_" in name:
                found[name.removeprefix("samples/").rpartition("_epoch_")[0]] = path.name
    return found

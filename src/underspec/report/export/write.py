"""Exporting runs: one pass over their items, a bounded number of rows at a time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec import __version__
from underspec.artifact.files import host_exhaustion
from underspec.errors import UnderspecError, UsageError
from underspec.report.collect import Collected, collect_item
from underspec.report.document import report_document
from underspec.report.export.columns import MEANING, TABLES, TableName, columns_of
from underspec.report.export.evidence import Evidence
from underspec.report.export.rewards import MEANING as COMPONENTS
from underspec.report.export.rewards import Component
from underspec.report.export.rows import ExportedItem, rows_of
from underspec.report.export.schema import schema_bytes
from underspec.report.export.tables import Format, TableWriter
from underspec.report.export.trajectories import FILE as TRAJECTORIES
from underspec.report.export.trajectories import TrajectoryWriter
from underspec.run.item import Item
from underspec.run.manifest import read_manifest
from underspec.run.store import RunStore
from underspec.task.model import TaskToml

SCHEMA = 1
REPORT, REPORT_SCHEMA = "report.json", "report.schema.json"
EVIDENCE = "evidence"


@dataclass(frozen=True)
class Wanted:
    """What an export has. ``public``: nothing that is hidden, and no text that an agent or a stakeholder wrote.
    ``messages``: the builder's conversations, from the evidence. ``copy_evidence``: the logs themselves as well."""

    formats: Sequence[Format]
    weights: Mapping[Component, float]
    public: bool = False
    messages: bool = True
    copy_evidence: bool = False


def export(
    folders: Sequence[Path],
    out: Path,
    wanted: Wanted,
    *,
    find_toml: Callable[[str], TaskToml],
    progress: Callable[[str], None] = lambda words: None,
) -> dict[str, Any]:
    """Write the export of these runs into the new folder ``out``; returns its ``report.json``.

    The folder appears when it is whole.

    Raises:
        UsageError: the folder holds something, two runs have the same name, or a public export is to have evidence.
        StoreError: a run is damaged; names the file.
        EnvironmentLacksError: messages stand in logs, and the engine that reads them is not installed.
    """
    runs = {folder.name: folder for folder in dict.fromkeys(folder.resolve() for folder in folders)}
    if len(runs) < len({folder.resolve() for folder in folders}):
        raise UsageError("two runs have the same name", mend="rename the folder of one")
    if wanted.public and wanted.copy_evidence:
        mend = "leave out --evidence copy, or --public"
        raise UsageError("evidence holds hidden material, and a public export nothing hidden", mend=mend)
    _refuse_taken(out)
    partial = out.with_name(f".{out.name}.partial")
    with host_exhaustion(partial), _held(partial, out):
        _refuse_taken(out)  # by one that has just ended
        try:
            document = _Export(partial, wanted, find_toml, progress).write(runs)
            if out.exists():
                out.rmdir()
            partial.rename(out)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return document


def _refuse_taken(out: Path) -> None:
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise UsageError(
            "there is something already", file=str(out), where="--out", mend="name a folder that is not there"
        )


@contextlib.contextmanager
def _held(partial: Path, out: Path) -> Iterator[None]:
    """The folder ``partial``, empty and nobody else's meanwhile. One of an export that was killed is emptied."""
    try:
        with host_exhaustion(partial):
            partial.mkdir(parents=True, exist_ok=True)
            handle = os.open(partial, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        mend = "name a folder in a place where you may write"
        raise UsageError(f"cannot be made: {error.strerror}", file=str(out), where="--out", mend=mend) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The other one may have put it in its place just before.
            mine = partial.stat().st_ino == os.fstat(handle).st_ino
        except (BlockingIOError, FileNotFoundError):
            mine = False
        if not mine:
            raise UsageError(
                "another export is written there", file=str(out), where="--out", mend="name another folder"
            )
        for path in partial.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        yield
    finally:
        os.close(handle)


class _Export:
    def __init__(
        self, out: Path, wanted: Wanted, find_toml: Callable[[str], TaskToml], progress: Callable[[str], None]
    ) -> None:
        self._out = out
        self._wanted = wanted
        self._find_toml = find_toml
        self._progress = progress
        self._tomls: dict[str, TaskToml | None] = {}
        self._notes: list[str] = []

    def write(self, runs: Mapping[str, Path]) -> dict[str, Any]:
        wanted, reports, logs = self._wanted, [], []
        with contextlib.ExitStack() as stack:
            tables: dict[TableName, TableWriter] = {
                name: stack.enter_context(TableWriter(self._out, name, wanted.formats, public=wanted.public))
                for name in TABLES
            }
            lines = stack.enter_context(
                TrajectoryWriter(self._out / TRAJECTORIES, wanted.weights, public=wanted.public)
            )
            for name, folder in runs.items():
                reports.append(self._run(name, folder, tables, lines))
                logs += self._evidence(name, folder)
        unknown = sorted(task for task, toml in self._tomls.items() if toml is None)
        if unknown:
            self._notes.append(f"titles and languages are missing of {len(unknown)} tasks, such as {unknown[0]}")
        document = {
            "schema": SCHEMA,
            "underspec": __version__,
            "public": wanted.public,
            "runs": reports,
            "tables": {
                name: {
                    "says": MEANING[name],
                    "rows": table.rows,
                    "files": [path.name for path in table.paths],
                    "columns": [
                        {"name": each.name, "kind": each.kind, "says": each.says}
                        for each in columns_of(name, public=wanted.public)
                    ],
                }
                for name, table in tables.items()
            },
            "trajectories": {
                "file": TRAJECTORIES,
                "lines": lines.lines,
                "without_messages": dict(sorted(lines.without.items())),
                "incomplete": lines.incomplete,
                "weights": dict(wanted.weights),
                "components": dict(COMPONENTS),
            },
            "evidence": logs,
            "notes": self._notes,
        }
        (self._out / REPORT).write_text(json.dumps(document, indent=2, ensure_ascii=True) + "\n", encoding="ascii")
        (self._out / REPORT_SCHEMA).write_bytes(schema_bytes())
        return document

    def _run(
        self, name: str, folder: Path, tables: Mapping[TableName, TableWriter], lines: TrajectoryWriter
    ) -> dict[str, Any]:
        """One condition at a time: what was read of its items is let go before the next, with its row kept."""
        manifest, store = read_manifest(folder), RunStore(folder)
        by_condition: dict[str, list[Item]] = {}
        for item in store.items():
            by_condition.setdefault(item.condition.id, []).append(item)
        items = [item for members in by_condition.values() for item in members]
        evidence = Evidence(store, items, messages=self._wanted.messages and not self._wanted.public)
        parts, done = [], 0
        for members in by_condition.values():
            collected: list[Collected] = []
            for item in members:
                known = collect_item(store, item)
                collected.append(known)
                one = ExportedItem(name, store, known, self._toml(item.task))
                for table, rows in rows_of(one, public=self._wanted.public).items():
                    tables[table].add(rows)
                lines.add(one, evidence)
                done += 1
                self._progress(f"{name}: {done} of {len(items)} items")
            parts.append(report_document(name, collected, comparable=manifest["sandbox"]["comparable"]))
        self._notes += [f"{name}: {log} cannot be read: {why}" for log, why in sorted(evidence.unreadable.items())]
        document = joined_documents(parts or [report_document(name, [], comparable=manifest["sandbox"]["comparable"])])
        return public_document(document) if self._wanted.public else document

    def _toml(self, task: str) -> TaskToml | None:
        if task not in self._tomls:
            try:
                self._tomls[task] = self._find_toml(task)
            except UnderspecError:
                self._tomls[task] = None
        return self._tomls[task]

    def _evidence(self, run: str, folder: Path) -> list[dict[str, Any]]:
        found = []
        for log in Evidence(RunStore(folder)).logs:
            inside = log.relative_to(folder).as_posix()
            copied: str | None = None
            if self._wanted.copy_evidence:
                target = self._out / EVIDENCE / run / log.relative_to(folder / EVIDENCE)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(log, target)
                copied = target.relative_to(self._out).as_posix()
            with log.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = log.stat().st_size
            found.append({"run": run, "file": inside, "bytes": size, "sha256": digest, "copied": copied})
        return found


def joined_documents(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The report of all conditions of a run from those of each."""
    unscored: Counter[str] = Counter()
    for part in parts:
        unscored.update(part["unscored"])
    sums = {name: sum(part[name] for part in parts) for name in ("planned", "scored", "stale")}
    rows = [row for part in parts for row in part["rows"]]
    return {**parts[0], **sums, "unscored": dict(sorted(unscored.items())), "rows": rows}


def public_document(document: dict[str, Any]) -> dict[str, Any]:
    """A run's report without what tells of hidden records: their categories are the task's own words."""

    def part(figures: dict[str, Any]) -> dict[str, Any]:
        covered = {**figures, "interaction": {**figures["interaction"], "coverage_by_category": {}}}
        return {**covered, "tasks": [part(task) for task in figures["tasks"]]} if "tasks" in figures else covered

    return {**document, "rows": [part(row) for row in document["rows"]]}

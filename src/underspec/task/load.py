"""From a task folder to a typed :class:`Task`, or to an error that says file, place and mend."""

from __future__ import annotations

import os
import stat
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from underspec.artifact.outcomes import SUITES, SuiteName
from underspec.errors import TaskError
from underspec.task.canary import strip_markdown_canary
from underspec.task.digest import entries_digest
from underspec.task.finding import Report, error, stop_at_errors, warning
from underspec.task.layout import (
    GOLDEN,
    IMPORT,
    INTERFACE,
    RECORDS,
    SCOPE,
    TASK_TOML,
    UNITS,
    case_file_of,
    is_expected_hidden,
    is_expected_visible,
    is_parsed,
    request_of,
    stem_problem,
)
from underspec.task.model import RESERVED_ID, TOPIC, CaseFile, GoldenToml, RecordsFile, Suite, Task, TaskToml, UnitsFile
from underspec.task.strict import read_document, read_model, read_text
from underspec.task.tree import Entry, read_file, read_tree


@dataclass
class Parts:
    """What could be read of a task folder. Parts that are missing or damaged are None or absent."""

    root: Path
    entries: list[Entry]
    toml: TaskToml | None = None
    requests: dict[str, str] = field(default_factory=dict)
    records: RecordsFile | None = None
    cases: dict[SuiteName, dict[str, CaseFile]] = field(default_factory=lambda: {name: {} for name in SUITES})
    golden: GoldenToml | None = None
    units: UnitsFile | None = None
    interface: str | None = None

    @property
    def imported(self) -> bool:
        """Whether the texts come from published data, so that what is odd in them cannot be mended."""
        return self.toml is not None and self.toml.origin != "authored"

    def has(self, path: str) -> bool:
        """Whether the folder holds a file of that path, damaged or not."""
        return any(entry.path == path for entry in self.entries)

    def below(self, folder: str) -> list[Entry]:
        """The files below a folder of the task."""
        return [entry for entry in self.entries if entry.path.startswith(folder + "/")]


def task_folder(path: Path) -> Path:
    """The real folder behind ``path``; only a link *to* a task is followed, never one inside it.

    Raises:
        TaskError: it does not exist, is no folder, or cannot be looked at.
    """
    mend = "give the folder that holds task.toml"
    try:
        root = path.resolve(strict=True)
        is_folder = stat.S_ISDIR(root.stat().st_mode)
    except FileNotFoundError:
        raise TaskError("there is no such task folder", file=str(path), mend=mend) from None
    except (OSError, RuntimeError, ValueError) as problem:
        # RuntimeError is how Python before 3.13 reports a loop of links, ValueError a NUL in the name.
        reason = getattr(problem, "strerror", None) or str(problem)
        raise TaskError(f"the task folder cannot be read: {reason}", file=str(path), mend=mend) from problem
    if not is_folder:
        raise TaskError("is a file, not a task folder", file=str(path), mend=mend)
    return root


def read_toml(path: Path) -> TaskToml:
    """Only ``task.toml`` of a task: cheap, for listings.

    Raises:
        TaskError: there is none, or it is damaged.
    """
    root = task_folder(path)
    _require_task_toml(root, stop_at_errors)
    entry = read_file(root, TASK_TOML, stop_at_errors)
    toml = read_model(TaskToml, entry.content or b"", TASK_TOML, stop_at_errors) if entry else None
    assert toml is not None  # whatever is wrong has been raised
    return toml


def _require_task_toml(root: Path, report: Report) -> bool:
    if os.path.lexists(root / TASK_TOML):
        return True
    report(error(TASK_TOML, "is missing", mend="a task folder holds task.toml; is this the right folder?"))
    return False


def _check_names(parts: Parts, report: Report) -> None:
    """Nothing unknown under ``hidden/``, and no two case files whose outputs could be confused."""
    seen: dict[tuple[SuiteName, str], str] = {}
    for entry in parts.entries:
        if not entry.path.startswith("hidden/"):
            if not is_expected_visible(entry.path):
                report(warning(entry.path, "is no part of a task", mend="remove it; it is never read or shown"))
            continue
        if not is_expected_hidden(entry.path):
            report(error(entry.path, "is no file that a task has", mend="remove it, or correct its name or place"))
            continue
        case_file = case_file_of(entry.path)
        if case_file is None:
            continue
        suite, stem = case_file
        problem = stem_problem(stem)
        if problem:
            report(error(entry.path, problem, mend="use letters, digits, '_', '-', '.' and single spaces"))
        folded = (suite, unicodedata.normalize("NFC", stem).casefold())
        if folded in seen:
            message = f"differs from {seen[folded]} in capital letters only"
            report(error(entry.path, message, mend="give each case file of a suite a name of its own"))
        seen.setdefault(folded, entry.path)


def _read_one(parts: Parts, entry: Entry, report: Report) -> None:
    data = entry.content or b""
    request, case_file = request_of(entry.path), case_file_of(entry.path)
    if entry.path == TASK_TOML:
        parts.toml = read_model(TaskToml, data, entry.path, report)
    elif entry.path == RECORDS:
        parts.records = read_model(RecordsFile, data, entry.path, report)
    elif entry.path == GOLDEN:
        parts.golden = read_model(GoldenToml, data, entry.path, report)
    elif entry.path == UNITS:
        parts.units = read_model(UnitsFile, data, entry.path, report)
    elif entry.path == INTERFACE:
        parts.interface = _read_prose(data, entry.path, "write how the software is invoked", report)
    elif entry.path in (SCOPE, IMPORT):
        read_document(data, entry.path, report)
    elif request:
        text = _read_prose(data, entry.path, "write the request", report)
        if text is not None:
            parts.requests[request] = text
    elif case_file:
        cases = read_model(CaseFile, data, entry.path, report)
        if cases is not None:
            parts.cases[case_file[0]][case_file[1]] = cases


def _read_prose(data: bytes, path: str, mend: str, report: Report) -> str | None:
    """A Markdown file with something in it; None, and a report, when there is nothing."""
    text = read_text(data, path, report)
    if text is None or strip_markdown_canary(text).strip():
        return text
    report(error(path, "is empty", mend=f"{mend}, or remove the file"))
    return None


def _check_units(units: UnitsFile, report: Report) -> None:
    """Units are told apart by their ids, and by nothing but the topic in one question."""
    if TOPIC not in units.question:
        mend = f"write {TOPIC} where the topic goes, such as: What does the software have to do about {TOPIC}?"
        report(error(UNITS, f"the template of questions has no {TOPIC}", where="$.question", mend=mend))
    seen: set[str] = set()
    for place, unit in enumerate(units.units):
        where = f"$.units[{place}]"
        if unit.id in seen:
            message = f"the id {unit.id} stands twice"
            report(error(UNITS, message, where=f"{where}.id", mend="give each unit an id of its own"))
        seen.add(unit.id)
        for number, test in enumerate(unit.tests):
            if test in unit.tests[:number]:
                report(error(UNITS, f"names the test {test!a} twice", where=f"{where}.tests[{number}]", mend="once"))


def _check_ids(records: RecordsFile, report: Report) -> None:
    """Ids tell answers apart, so a repeated one would hide an answer, and a reserved one would shadow a pointer."""
    for level, known in records.levels.items():
        seen: set[str] = set()
        for place, record in enumerate(known.records):
            where = f"$.levels.{level}.records[{place}].id"
            if RESERVED_ID.fullmatch(record.id):
                message = f"the id {record.id} is reserved for pointers and the signature"
                report(error(RECORDS, message, where=where, mend="give it another id"))
            if record.id in seen:
                message = f"the id {record.id} stands twice in {level}"
                report(error(RECORDS, message, where=where, mend="give each record of a level an id of its own"))
            seen.add(record.id)


def _check_whole(parts: Parts, report: Report) -> None:
    """What no task can do without, whatever it is used for."""
    if not any(entry.path.startswith("hidden/requests/") for entry in parts.entries):
        report(
            error("hidden/requests", "there is no request", mend="write ground.md and the levels L1.md, L2.md, L3.md")
        )
    if parts.toml is None or parts.toml.family != "repository":
        return
    if not any(entry.path.startswith("hidden/cases/native/") for entry in parts.entries):
        mend = "write hidden/cases/native/<feature>.json; without cases nothing can be graded"
        finding = warning if parts.imported else error
        report(finding("hidden/cases/native", "there is no case file", mend=mend))


def read_parts(root: Path, report: Report) -> Parts:
    """Read a task folder part by part; everything that is wrong goes to ``report``, which may raise."""
    if not _require_task_toml(root, report):
        return Parts(root, [])  # whatever this folder is, it is no task: do not read all of it
    return parts_of(root, read_tree(root, report, keep=is_parsed, never_a_folder=is_parsed), report)


def parts_of(root: Path, entries: list[Entry], report: Report) -> Parts:
    """The parts of a task whose files have been read, or are about to be written; as :func:`read_parts`.

    Args:
        root: the task folder.
        entries: all its files; those that are parsed with their content.
        report: where everything that is wrong goes; it may raise.
    """
    parts = Parts(root, entries)
    _check_names(parts, report)
    for entry in parts.entries:
        if is_parsed(entry.path):
            _read_one(parts, entry, report)
    if parts.records is not None:
        _check_ids(parts.records, report)
    if parts.units is not None:
        _check_units(parts.units, report)
    _check_whole(parts, report)
    return parts


def load_task(path: Path) -> Task:
    """Load a task folder. Only what a run needs is checked; ``validate_task`` says everything that is doubtful.

    Args:
        path: the task folder; it may be a link to one, but no link may lie in it.

    Raises:
        TaskError: the first thing that is wrong: file (relative to the folder), JSON path, message and mend.
    """
    parts = read_parts(task_folder(path), stop_at_errors)
    assert parts.toml is not None  # whatever is wrong has been raised
    return Task(
        path=parts.root,
        digest=entries_digest(parts.entries),
        toml=parts.toml,
        requests=parts.requests,
        records=parts.records,
        suites={name: Suite(name, dict(sorted(parts.cases[name].items()))) for name in SUITES},
        golden=parts.golden,
        units=parts.units,
        interface=parts.interface,
    )

"""From a checkout of the published data to task folders, one alias after another."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from underspec.artifact.outcomes import SUITES, SuiteName
from underspec.errors import TaskError
from underspec.task.checks.leaks import check_leaks
from underspec.task.finding import Finding, stop_at_errors
from underspec.task.icae.cases import case_folder, read_suite, recover_public
from underspec.task.icae.checkout import ALIASES, RECORD_FOLDERS, Checkout
from underspec.task.icae.folder import State, entries_of, settle, workshop, write_entries
from underspec.task.icae.identity import Identity, Masking, identity_of
from underspec.task.icae.notes import Notes
from underspec.task.icae.records import LevelPart, read_level
from underspec.task.icae.repos_yaml import read_scopes
from underspec.task.icae.repositories import (
    LITE_SIZE,
    Repository,
    Split,
    choose,
    read_entries,
    repository_of,
    task_id,
    unsized,
)
from underspec.task.layout import IMPORT, RECORDS, SCOPE, TASK_TOML, case_path, request_path
from underspec.task.load import parts_of
from underspec.task.model import LEVELS, CaseFile, Level, LevelRecords

FORMAT = 1
_UNKNOWN = "unknown"


@dataclass(frozen=True)
class Imported:
    """A task folder that was made. ``cases`` counts by suite; ``lacks`` names what was not published for it."""

    alias: str
    task: str
    path: Path
    state: State
    language: str
    levels: tuple[Level, ...]
    cases: Mapping[SuiteName, int]
    lacks: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Failed:
    """An alias of which no task could be made, and what must be mended first."""

    alias: str
    error: TaskError
    findings: tuple[Finding, ...]


@dataclass
class ImportResult:
    """What came of each alias; ``findings`` are about files that all tasks share."""

    imported: list[Imported] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


@dataclass
class _Draft:
    """All that is known of one task before it is written."""

    task: str
    repository: Repository
    levels: dict[Level, LevelPart]
    suites: dict[SuiteName, dict[str, CaseFile]]
    recovered: bool
    scope: dict[str, Any] | None
    ground: str | None
    golden_source: str | None
    identity: Identity


def import_checkout(
    source: Path,
    out: Path,
    *,
    split: Split = "full",
    size: int = LITE_SIZE,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> ImportResult:
    """Make a task folder in ``out`` of each alias of the split. One that cannot be imported does not stop the others.

    Args:
        source: the checkout.
        out: where the task folders go; an earlier import in it is renewed.
        split: ``full``, or ``lite`` for the ``size`` smallest.
        size: how many aliases ``lite`` has.
        on_progress: called with how many are done, of how many, and the alias.

    Raises:
        UsageError: there is no such checkout, or ``out`` cannot be written to.
        TaskError: a file that all tasks share is damaged.
    """
    checkout = Checkout(source)
    shared = Notes()
    entries = read_entries(checkout, shared)
    scopes = read_scopes(checkout, shared)
    aliases = choose(entries, _with_records(checkout), split, size)
    if split == "lite" and (lost := unsized(entries)):
        message = f"{len(lost)} entries give no total_lines_of_code and come last in size, the first {lost[0]!a}"
        shared.warn(ALIASES, message, mend="add the number; who belongs to the split depends on it")
    result = ImportResult(findings=shared.findings)
    places: dict[str, str] = {}
    with workshop(out) as shop:
        for number, alias in enumerate(aliases):
            notes = Notes()
            try:
                draft = _draft(checkout, alias, entries, scopes, notes)
                if (other := places.setdefault(draft.task, alias)) != alias:
                    mend = "give one of them another alias"
                    raise TaskError(f"makes the same task id as {other}: {draft.task}", file=ALIASES, mend=mend)
                result.imported.append(_make(draft, shop, out, notes))
            except TaskError as error:
                result.failed.append(Failed(alias, error, tuple(notes.findings)))
            if on_progress:
                on_progress(number + 1, len(aliases), alias)
    return result


def _with_records(checkout: Checkout) -> set[str]:
    return {alias for folder in RECORD_FOLDERS.values() for alias in checkout.names(folder, ".json")}


def _draft(
    checkout: Checkout, alias: str, entries: Mapping[str, Any], scopes: Mapping[str, dict[str, Any]], notes: Notes
) -> _Draft:
    repository = repository_of(alias, entries, notes)
    task = task_id(alias)
    read = {level: read_level(checkout, alias, level, notes) for level in RECORD_FOLDERS}
    levels = {level: part for level, part in read.items() if part is not None}
    if not levels:
        folder = RECORD_FOLDERS["L1"]
        raise TaskError("there are no records", file=f"{folder}/{alias}.json", mend="complete the checkout")
    suites = {suite: read_suite(checkout, repository.key, suite, notes) for suite in SUITES}
    recovered = not suites["public"]
    if recovered:
        suites["public"] = recover_public(levels, notes)
    keys = {part.task_id for part in levels.values() if part.task_id}
    if strange := keys - {repository.key}:
        message = f"a level belongs to another repository than this entry: {sorted(strange)[0]!a}"
        notes.warn(ALIASES, message, where=repository.alias, mend="find out which of the two is right")
    scope = scopes.get(f"{repository.username}/{repository.name}".lower())
    ground = checkout.text(f"fuzzy_prds/{alias}/ground.md", notes)
    golden = f"realcode_repos/{repository.key}"
    return _Draft(
        task=task,
        repository=repository,
        levels=levels,
        suites=suites,
        recovered=recovered and bool(suites["public"]),
        scope=scope,
        ground=ground if ground and ground.strip() else None,
        golden_source=golden if checkout.has_folder(golden) else None,
        identity=identity_of(repository, keys, levels.values(), suites.values()),
    )


def _make(draft: _Draft, shop: Path, out: Path, notes: Notes) -> Imported:
    """Check one task as every task is checked that is loaded, write it, and move it to its place."""
    lacks = tuple(_lacks(draft))
    folder = shop / draft.task
    entries = entries_of(_files(draft, lacks, notes))
    notes.findings += check_leaks(parts_of(folder, entries, stop_at_errors))
    try:
        write_entries(folder, entries)
        state = settle(folder, out / draft.task)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Imported(
        alias=draft.repository.alias,
        task=draft.task,
        path=out / draft.task,
        state=state,
        language=draft.repository.language,
        levels=tuple(draft.levels),
        cases={suite: sum(len(file.cases) for file in files.values()) for suite, files in draft.suites.items()},
        lacks=lacks,
        findings=tuple(notes.findings),
    )


def _lacks(draft: _Draft) -> list[str]:
    lacking: list[str] = [f"{level} records and request" for level in LEVELS if level not in draft.levels]
    if draft.ground is None:
        lacking.append("ground request")
    return lacking + [f"{suite} cases" for suite in SUITES if not draft.suites[suite]]


def _files(draft: _Draft, lacks: tuple[str, ...], notes: Notes) -> dict[str, bytes]:
    masking = Masking(draft.identity)
    files = {TASK_TOML: _toml(draft)}
    for level, part in draft.levels.items():
        files[request_path(level)] = masking.text(part.request).encode()
    if draft.ground is not None:
        files[request_path("ground")] = masking.text(draft.ground).encode()
    masking.report("requests", notes)
    known = {}
    for level, part in draft.levels.items():
        known[level] = masking.known(part.known)
        masking.report(part.file, notes)
    files[RECORDS] = _records(known)
    for suite, cases in draft.suites.items():
        for stem, file in cases.items():
            files[case_path(suite, stem)] = _case_file(file)
    if draft.scope is not None:
        files[SCOPE] = _json(draft.scope)
    files[IMPORT] = _json(
        {
            "format": FORMAT,
            "alias": draft.repository.alias,
            "repository": dict(draft.repository.entry),
            "golden_source": draft.golden_source,
            "case_folders": {suite: case_folder(draft.repository.key, suite) for suite in SUITES},
            "public_cases_recovered": draft.recovered,
            "lacks": list(lacks),
            "kept": notes.kept,
        }
    )
    return files


def _toml(draft: _Draft) -> bytes:
    repository = draft.repository
    counted = {"files": repository.files, "lines": repository.lines}
    document = {
        "contract": 1,
        "id": draft.task,
        "title": f"ICAE-Bench {repository.alias}",
        "family": "repository",
        "category": "ICAE-Bench",
        "language": repository.language,
        "origin": "icae",
        "identity": sorted(draft.identity.masked),
        "identity_words": sorted(draft.identity.words),
        "source": {
            "url": repository.url,
            "license": _UNKNOWN,
            "version": _UNKNOWN,
            **{name: value for name, value in counted.items() if value is not None},
        },
    }
    return tomli_w.dumps(document).encode()


_ENCODER = json.JSONEncoder(ensure_ascii=False)


def _json(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def _lines(items: Iterable[Any]) -> str:
    """A list with an item a line: to be read by people, and written many times faster than indented."""
    return "[\n" + ",\n".join(_ENCODER.encode(item) for item in items) + "\n]"


def _case_file(file: CaseFile) -> bytes:
    cases = _lines({"input": case.input, "expected_output": case.expected_output} for case in file.cases)
    return f'{{"description": {_ENCODER.encode(file.description)}, "cases": {cases}}}\n'.encode()


def _records(levels: Mapping[Level, LevelRecords]) -> bytes:
    parts = []
    for level, known in levels.items():
        whole = known.model_dump(mode="json", exclude_none=True)
        records = _lines(whole.pop("records"))
        parts.append(f'"{level}": {{"records": {records},\n{_ENCODER.encode(whole)[1:]}')
    return ('{"levels": {\n' + ",\n".join(parts) + "\n}}\n").encode()

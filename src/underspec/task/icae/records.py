"""``prd_json*/<alias>.json``: one exposure level's request and all that its User Agent knows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.errors import TaskError
from underspec.task.finding import stop_at_errors
from underspec.task.icae.checkout import RECORD_FOLDERS, REQUEST_FOLDERS, Checkout
from underspec.task.icae.notes import Notes, list_at, object_at, text_at, wrong
from underspec.task.model import RESERVED_ID, Level, LevelRecords, Pointer, Record, RecordKind
from underspec.task.strict import quoted, read_document

HEADING = "## Product Requirement Document\n\n"

_DATA_KEYS = (
    "task_id", "golden_api_signature", "hidden_constraints", "context_pointers", "fallback_response",
)  # fmt: skip
_KINDS: tuple[tuple[re.Pattern[str], RecordKind, str], ...] = (
    (re.compile(r"TC_"), RecordKind.CASE_FILE, "cases"),
    (re.compile(r"ARCH(?![A-Za-z])"), RecordKind.ARCHITECTURE, "architecture"),
    (re.compile(r"HARNESS(?![A-Za-z])"), RecordKind.HARNESS, "harness"),
    (re.compile(r"C\d"), RecordKind.CONSTRAINT, "constraint"),
)
_NOT_IN_ID = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True)
class LevelPart:
    """One level as published, in our types. ``task_id`` is the repository's key as this file gives it, if it does."""

    file: str
    request: str
    known: LevelRecords
    task_id: str | None


def kind_of(record_id: str) -> tuple[RecordKind, str]:
    """Kind and category, which the published records only show by their ids."""
    return next(
        ((kind, category) for pattern, kind, category in _KINDS if pattern.match(record_id)),
        (RecordKind.CONSTRAINT, "other"),
    )


def read_level(checkout: Checkout, alias: str, level: Level, notes: Notes) -> LevelPart | None:
    """One level of one alias; None when it was not published.

    Raises:
        TaskError: the file is damaged, or lacks what cannot be done without.
    """
    file = f"{RECORD_FOLDERS[level]}/{alias}.json"
    content = checkout.json(file, notes)
    if content is None and not checkout.has_file(file):
        return None
    document = object_at(content, file, "$")
    notes.keep_unknown(document, ("fuzzy_prd", "oracle_data"), file, "$")
    data = object_at(document.get("oracle_data"), file, "$.oracle_data")
    notes.keep_unknown(data, _DATA_KEYS, file, "$.oracle_data")
    task_id = data.get("task_id")
    if task_id is not None and not isinstance(task_id, str):
        raise wrong(file, "$.oracle_data.task_id", "must be a string", "give user__repo, or leave it out")
    known = known_of(data, file, notes)
    return LevelPart(file, _request(checkout, alias, level, document, file, notes), known, task_id)


def known_of(data: dict[str, Any], file: str, notes: Notes) -> LevelRecords:
    """What the User Agent knows, from ``oracle_data``. The repository's key stays behind.

    Raises:
        TaskError: the data is damaged, or lacks what cannot be done without.
    """
    return LevelRecords(
        records=_records(data, file, notes),
        pointers=_pointers(data, file, notes),
        signature=_signature(data, file),
        fallback=_fallback(data, file),
    )


def read_record_file(path: Path) -> LevelRecords:
    """One published file of one level on its own, outside a checkout.

    Raises:
        TaskError: it cannot be read or is damaged.
    """
    try:
        content = path.read_bytes()
    except OSError as problem:
        mend = "give a published record file"
        raise TaskError(f"cannot be read: {problem.strerror}", file=str(path), mend=mend) from problem
    document = object_at(
        read_document(content.removeprefix(b"\xef\xbb\xbf"), str(path), stop_at_errors), str(path), "$"
    )
    return known_of(object_at(document.get("oracle_data"), str(path), "$.oracle_data"), str(path), Notes())


def _signature(data: dict[str, Any], file: str) -> str | None:
    if data.get("golden_api_signature") is None:
        return None
    return text_at(data, "golden_api_signature", file, "$.oracle_data") or None


def _fallback(data: dict[str, Any], file: str) -> str:
    text = text_at(data, "fallback_response", file, "$.oracle_data")
    if not text.strip():
        raise wrong(file, "$.oracle_data.fallback_response", "is empty", "say what answers a question without a match")
    return text


def _records(data: dict[str, Any], file: str, notes: Notes) -> tuple[Record, ...]:
    made: list[Record] = []
    taken: set[str] = set()
    for place, value in enumerate(list_at(data, "hidden_constraints", file, "$.oracle_data")):
        where = f"$.oracle_data.hidden_constraints[{place}]"
        record = _record(object_at(value, file, where), file, where, taken, notes)
        if record is not None:
            taken.add(record.id)
            made.append(record)
    return tuple(made)


def _record(value: dict[str, Any], file: str, where: str, taken: set[str], notes: Notes) -> Record | None:
    notes.keep_unknown(value, ("constraint_id", "trigger_keywords", "oracle_response"), file, where)
    published = text_at(value, "constraint_id", file, where)
    response = text_at(value, "oracle_response", file, where)
    triggers = list_at(value, "trigger_keywords", file, where)
    if not response.strip():
        notes.warn(
            file, f"{quoted(published)} answers nothing and was left out", where=where, mend="nothing need be done"
        )
        notes.keep(file, where, value)
        return None
    record_id = _usable_id(published, taken)
    if record_id != published:
        notes.keep(file, f"{where}.constraint_id", published)
        message = f"the id {quoted(published)} cannot be told apart or used; it became {record_id}"
        notes.warn(file, message, where=f"{where}.constraint_id", mend="nothing need be done; ids are never shown")
    for number, trigger in enumerate(triggers):
        if not isinstance(trigger, str):
            raise wrong(file, f"{where}.trigger_keywords[{number}]", "must be a string", "write it in quotes")
    phrases = tuple(trigger for trigger in triggers if trigger.strip())
    if len(phrases) < len(triggers):
        notes.keep(file, f"{where}.trigger_keywords", triggers)
        message = f"{record_id} has blank trigger phrases, which were left out"
        notes.warn(file, message, where=f"{where}.trigger_keywords", mend="nothing need be done")
    if not phrases:
        message = f"{record_id} has no trigger phrase; its id stands for one"
        notes.warn(file, message, where=f"{where}.trigger_keywords", mend="nothing asks for it by words of its own")
        phrases = (record_id.replace("_", " "),)
    kind, category = kind_of(published)
    return Record(id=record_id, kind=kind, category=category, triggers=phrases, response=response)


def _usable_id(published: str, taken: set[str]) -> str:
    """The published id where it can be used, else the nearest one that can."""
    made = _NOT_IN_ID.sub("_", published)
    if not made[:1].isascii() or not made[:1].isalpha() or RESERVED_ID.fullmatch(made):
        made = f"R_{made}"
    number, free = 1, made
    while free in taken:
        number += 1
        free = f"{made}_{number}"
    return free


def _pointers(data: dict[str, Any], file: str, notes: Notes) -> tuple[Pointer, ...]:
    made = []
    if data.get("context_pointers") is None:
        return ()
    for place, value in enumerate(list_at(data, "context_pointers", file, "$.oracle_data")):
        where = f"$.oracle_data.context_pointers[{place}]"
        pointer = object_at(value, file, where)
        notes.keep_unknown(pointer, ("vague_reference", "actual_meaning"), file, where)
        reference = text_at(pointer, "vague_reference", file, where)
        meaning = text_at(pointer, "actual_meaning", file, where)
        if reference.strip() and meaning.strip():
            made.append(Pointer(reference=reference, meaning=meaning))
            continue
        notes.warn(file, "a pointer without words was left out", where=where, mend="nothing need be done")
        notes.keep(file, where, value)
    return tuple(made)


def _request(checkout: Checkout, alias: str, level: Level, document: dict[str, Any], file: str, notes: Notes) -> str:
    """``fuzzy_prd``; ``start.md`` is the same text under a heading, and is used only where the first is missing."""
    folder = REQUEST_FOLDERS[level]
    path = f"{folder}/{alias}/start.md"
    started = checkout.text(path, notes) if checkout.has_folder(folder) else None
    if checkout.has_folder(folder) and started is None:
        notes.warn(path, f"is missing; the request was taken from {file}", mend="nothing need be done")
    text = document.get("fuzzy_prd", "")
    if not isinstance(text, str):
        raise wrong(file, "$.fuzzy_prd", "must be a string", "give it the request's text")
    if not text.strip():
        if started is None or not started.removeprefix(HEADING).strip():
            raise wrong(file, "$.fuzzy_prd", "is missing or empty", f"give it the request's text, or add {path}")
        notes.warn(
            file, f"has no request, which was taken from {path}", where="$.fuzzy_prd", mend="nothing need be done"
        )
        return started.removeprefix(HEADING)
    if started is not None and (line := _first_difference(HEADING + text, started)):
        mend = f"{file} was used; find out which of the two was published"
        notes.warn(path, f"is not the request of {file} under its heading", where=f"line {line}", mend=mend)
    return text


def _first_difference(one: str, other: str) -> int | None:
    """The first line in which two texts differ, from 1; None when they differ in line ends and final space only."""
    first, second = (text.replace("\r\n", "\n").rstrip().split("\n") for text in (one, other))
    if first == second:
        return None
    pairs = zip(first, second, strict=False)
    return next((number for number, (a, b) in enumerate(pairs, 1) if a != b), min(len(first), len(second)) + 1)

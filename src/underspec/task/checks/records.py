"""Whether the records can be found by questions, told apart, and give the public cases exactly."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from underspec.task.canary import strip_markdown_canary
from underspec.task.cases import value_key
from underspec.task.checks.overlap import check_overlaps
from underspec.task.embedded import embedded_json
from underspec.task.finding import Finding, error, warning
from underspec.task.layout import RECORDS, case_path
from underspec.task.load import Parts
from underspec.task.model import CaseFile, LevelRecords, Record, RecordKind

LEAST_TRIGGERS = 5
_LEVELS_WITH_CASE_FILES = ("L1", "L2")
_NO_WORD = re.compile(r"[\W_]+")


def _plain(text: str) -> str:
    return _NO_WORD.sub(" ", text.casefold()).strip()


def check_records(parts: Parts) -> Iterator[Finding]:
    """All levels, one after another."""
    if parts.records is None:
        return
    for level, known in parts.records.levels.items():
        yield from _single(level, known)
        yield from _together(level, known)
        yield from check_overlaps(level, known)
        yield from _pointers(level, known, parts.requests.get(level))
        if level in _LEVELS_WITH_CASE_FILES:
            yield from _case_files(level, known, parts.cases["public"])


def _single(level: str, known: LevelRecords) -> Iterator[Finding]:
    for place, record in enumerate(known.records):
        where = f"$.levels.{level}.records[{place}]"
        distinct = len({_plain(trigger) for trigger in record.triggers})
        if distinct < LEAST_TRIGGERS:
            message = f"{record.id} has {distinct} different trigger phrases, fewer than {LEAST_TRIGGERS}"
            mend = "add other ways in which somebody would ask for it"
            yield warning(RECORDS, message, where=f"{where}.triggers", mend=mend)
        for number, trigger in enumerate(record.triggers):
            if not _plain(trigger):
                message = f"a trigger phrase of {record.id} holds no word"
                yield error(RECORDS, message, where=f"{where}.triggers[{number}]", mend="write words, or remove it")
        if not record.response.strip():
            yield error(RECORDS, f"{record.id} answers nothing", where=f"{where}.response", mend="write the answer")


def _together(level: str, known: LevelRecords) -> Iterator[Finding]:
    by_trigger: dict[str, list[str]] = defaultdict(list)
    by_response: dict[str, list[str]] = defaultdict(list)
    for record in known.records:
        for trigger in {_plain(trigger) for trigger in record.triggers}:
            by_trigger[trigger].append(record.id)
        by_response[_plain(record.response)].append(record.id)
    where = f"$.levels.{level}.records"
    for trigger, ids in sorted(by_trigger.items()):
        if len(ids) > 1 and trigger:
            message = f"the trigger phrase {trigger[:80]!a} leads to {', '.join(ids)}"
            mend = "make the phrases distinct, or check that the answers do not contradict each other"
            yield warning(RECORDS, message, where=where, mend=mend)
    for ids in by_response.values():
        if len(ids) > 1:
            yield warning(RECORDS, f"{', '.join(ids)} give the same answer", where=where, mend="make them one record")


def _pointers(level: str, known: LevelRecords, request: str | None) -> Iterator[Finding]:
    if request is None:
        return
    text = f" {_plain(strip_markdown_canary(request))} "
    for place, pointer in enumerate(known.pointers):
        if f" {_plain(pointer.reference)} " not in text:
            message = f"the phrase {pointer.reference[:80]!a} does not stand in the request {level}"
            where = f"$.levels.{level}.pointers[{place}].reference"
            yield warning(RECORDS, message, where=where, mend="quote the request's own words")


def _cases_key(file: CaseFile) -> str:
    return value_key([{"input": case.input, "expected_output": case.expected_output} for case in file.cases])


def _given_cases(record: Record) -> str | None:
    """The key of the cases that a response gives as JSON; None when it gives none."""
    for document in embedded_json(record.response):
        if isinstance(document, dict) and "cases" in document:
            return value_key(document["cases"])
    return None


def _case_files(level: str, known: LevelRecords, public: dict[str, CaseFile]) -> Iterator[Finding]:
    by_cases: dict[str | None, list[str]] = defaultdict(list)
    wanted = {_cases_key(file) for file in public.values()}
    for place, record in enumerate(known.records):
        if record.kind is not RecordKind.CASE_FILE:
            continue
        where = f"$.levels.{level}.records[{place}]"
        if not record.id.startswith("TC_"):
            message = f"{record.id} gives a case file, and its id does not begin with TC_"
            yield warning(RECORDS, message, where=f"{where}.id", mend="call it TC_<feature>")
        cases = _given_cases(record)
        by_cases[cases].append(record.id)
        if cases not in wanted:
            message = f"{record.id} does not give the cases of any public case file, exactly"
            mend = "paste the public file's JSON, without canary, into the response"
            yield error(RECORDS, message, where=f"{where}.response", mend=mend)
    for stem, file in sorted(public.items()):
        ids = by_cases.get(_cases_key(file), [])
        if len(ids) != 1:
            message = f"{', '.join(ids)} give this file" if ids else "no record gives this file"
            mend = f"write one record TC_{stem} of kind case_file"
            yield error(case_path("public", stem), f"{message} at {level}", mend=mend)

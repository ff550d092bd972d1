"""The texts by which an id can be found: trigger phrases, and the sentences of its authored response."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from underspec.stakeholder.entries import SIGNATURE
from underspec.task.model import LevelRecords, Record, RecordKind

_SENTENCE = re.compile(r"(?<=[.;:!?])\s+|\n+")
_SHORTEST, _MOST_SENTENCES = 16, 16
_HEAD = 200

# How people ask for names and interfaces, and for the code's structure, where no author has written triggers.
_SIGNATURE_PHRASES = (
    "function name and signature", "public API signature", "names of all actions and their parameters",
    "field names in the request for every operation", "which arguments are optional and what are the defaults",
    "overview of the interface, one line per action", "which classes and methods must be exported",
    "which values can action have", "parameters and return value of the function", "signature of each operation",
)  # fmt: skip
_ARCHITECTURE_PHRASES = ("software architecture", "code organisation into modules", "project folder structure")


@dataclass(frozen=True)
class Findable:
    """One answerable id. ``kind`` is None for pointers and the signature. ``file`` is a case file's stem."""

    id: str
    kind: RecordKind | None
    phrases: tuple[str, ...]
    sentences: tuple[str, ...]
    file: str | None = None


def findables(records: LevelRecords) -> Iterator[Findable]:
    """One for each record, pointer and signature, in the order of :func:`underspec.stakeholder.entries.entries`."""
    for record in records.records:
        yield _of_record(record)
    for place, pointer in enumerate(records.pointers):
        yield Findable(f"P{place}", None, (pointer.reference,), _sentences(pointer.meaning))
    if records.signature:
        yield Findable(SIGNATURE, None, _SIGNATURE_PHRASES, _sentences(records.signature[:_HEAD]))


def _of_record(record: Record) -> Findable:
    if record.kind is RecordKind.CASE_FILE:
        head = record.response.split("\n", 1)[0][:_HEAD]
        return Findable(record.id, record.kind, record.triggers, (head,), record.id.removeprefix("TC_"))
    phrases = record.triggers + (_ARCHITECTURE_PHRASES if record.kind is RecordKind.ARCHITECTURE else ())
    return Findable(record.id, record.kind, phrases, _sentences(record.response))


def _sentences(text: str) -> tuple[str, ...]:
    long = [part for part in _SENTENCE.split(text) if len(part) >= _SHORTEST]
    return tuple(long[:_MOST_SENTENCES]) or (text[:_HEAD],)

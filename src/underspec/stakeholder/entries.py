"""What can be answered at one level, as the embedded router sees it: ids, the words that ask for them, no text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from underspec.stakeholder.words import content, is_number, words
from underspec.task.model import LevelRecords, Record, RecordKind

SIGNATURE = "SIG"
CASE_WORDS = frozenset(content("test tests case cases example sample public fixture data file vector input output set"))

# How questions about an entry are worded when the task's author has written no trigger for it.
_SIGNATURE_TRIGGERS = (
    "function name and signature", "public API signature", "method names", "class names to export", "interface naming",
    "parameters and return value of the function", "arguments and return type", "import path", "exported names",
    "type signature",
)  # fmt: skip
_ARCHITECTURE_TRIGGERS = ("software architecture", "code organisation into modules", "project folder structure")


@dataclass(frozen=True)
class Entry:
    """One answerable id. ``triggers`` are stems; ``weak`` stems of response and category that no trigger has."""

    id: str
    kind: RecordKind | None
    triggers: tuple[tuple[str, ...], ...]
    vocabulary: frozenset[str]
    weak: frozenset[str]
    numbers: frozenset[str]
    phrase: str | None = None


def entries(records: LevelRecords) -> Iterable[Entry]:
    """One entry for each record, pointer and signature, in that order."""
    for record in records.records:
        yield _record_entry(record)
    for place, pointer in enumerate(records.pointers):
        phrase = " ".join(words(pointer.reference))
        yield _entry(f"P{place}", None, [pointer.reference], pointer.meaning, phrase=phrase)
    if records.signature:
        yield _entry(SIGNATURE, None, list(_SIGNATURE_TRIGGERS), records.signature)


def _record_entry(record: Record) -> Entry:
    if record.kind is RecordKind.CASE_FILE:
        head = record.response.split("\n", 1)[0][:200]
        return _entry(record.id, record.kind, [*record.triggers], head, drop=CASE_WORDS)
    triggers = [*record.triggers]
    if record.kind is RecordKind.ARCHITECTURE:
        triggers += _ARCHITECTURE_TRIGGERS
    return _entry(record.id, record.kind, triggers, f"{record.response} {record.category}")


def _entry(
    name: str,
    kind: RecordKind | None,
    triggers: list[str],
    told: str,
    *,
    phrase: str | None = None,
    drop: frozenset[str] = frozenset(),
) -> Entry:
    stems = [tuple(dict.fromkeys(w for w in content(text) if w not in drop)) for text in triggers]
    vocabulary = frozenset(word for trigger in stems for word in trigger)
    numbers = frozenset(word for text in (*triggers, told[:200]) for word in words(text) if is_number(word))
    weak = frozenset(content(told)) - vocabulary - drop
    return Entry(name, kind, tuple(t for t in stems if t), vocabulary, weak, numbers, phrase)

"""The records of one level, prepared for matching: which entry does a point of a question mean, and how surely?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from underspec.stakeholder.words import GENERIC_STEMS, content, is_number, kin, plain, words
from underspec.task.model import LevelRecords, Record, RecordKind

SIGNATURE = "SIG"

# How questions about an entry are worded when the task's author has written no trigger for it.
_SIGNATURE_TRIGGERS = (
    "function name and signature", "public API signature", "method names", "class names to export", "interface naming",
    "parameters and return value of the function", "arguments and return type", "import path", "exported names",
    "type signature",
)  # fmt: skip
_ARCHITECTURE_TRIGGERS = ("software architecture", "code organisation into modules", "project folder structure")

_CASE_TALK = re.compile(
    r"\b(?:test[- ]?cases?|test data|test inputs?|examples?|samples?|public (?:test )?(?:cases?|tests?)|fixtures?"
    r"|test vectors?|(?<!edge )(?<!corner )(?<!special )(?<!which )cases (?:for|of|about|on)|case files?)\b"
)
_CASE_WORDS = frozenset(
    content("test tests case cases example sample public fixture data file vector input output set")
)
_FEATURE_NUMBER = re.compile(r"\b(?:features?|sections?|parts?|chapters?|no\.?|number|nr\.?|#)\s*#?\s*(\d+(?:\.\d+)*)")

WEAK_MATCH = 0.55  # what a word in the authored response counts, against 1 for one in a trigger phrase


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


def talks_of_cases(text: str) -> bool:
    """Whether ``text`` asks for test cases or examples."""
    return bool(_CASE_TALK.search(plain(text)))


class Index:
    """Scores entries against a point. Deterministic; a few hundred microseconds for thirty records."""

    def __init__(self, records: LevelRecords) -> None:
        self.entries = tuple(_entries(records))
        count = Counter(word for entry in self.entries for word in entry.vocabulary)
        weak = Counter(word for entry in self.entries for word in entry.weak)
        size = len(self.entries)
        self._weight = {
            word: math.log(1 + (size + 0.5) / (count[word] + 0.35 * weak[word] + 0.5)) for word in {*count, *weak}
        }
        # A word that no entry knows says that the question is about something else, unless it is a generic one.
        self._foreign = math.log(1 + (size + 0.5) / 1.5)
        self._kin: dict[str, dict[str, float]] = {}

    def rank(self, text: str) -> list[tuple[float, str]]:
        """All entries with a score above 0 for one point, best first; scores are 0 to 1."""
        asked = list(dict.fromkeys(content(text)))
        cases = talks_of_cases(text)
        numbers = frozenset(_FEATURE_NUMBER.findall(plain(text)))
        flat = " ".join(words(text))
        scored = [(self._score(entry, asked, flat, cases, numbers), entry.id) for entry in self.entries]
        return sorted(((score, name) for score, name in scored if score > 0), key=lambda pair: -pair[0])

    def _score(self, entry: Entry, asked: list[str], flat: str, cases: bool, numbers: frozenset[str]) -> float:
        if entry.phrase and f" {entry.phrase} " in f" {flat} ":
            return 0.97
        if entry.kind is RecordKind.CASE_FILE:
            return self._score_cases(entry, asked, cases, numbers)
        score = self._blend(entry, asked)
        if cases and entry.kind is not RecordKind.HARNESS:
            score *= 0.7
        return score

    def _score_cases(self, entry: Entry, asked: list[str], cases: bool, numbers: frozenset[str]) -> float:
        if numbers:
            hit = any(own == number or own.startswith(number + ".") for own in entry.numbers for number in numbers)
            return (0.9 if cases else 0.5) if hit else 0.0
        named = [word for word in asked if word not in _CASE_WORDS and word not in GENERIC_STEMS]
        if not named:
            return 0.0
        score = self._blend(entry, named)
        return min(1.0, score + 0.2 if score > 0.3 else score) if cases else score * 0.5

    def _blend(self, entry: Entry, asked: list[str]) -> float:
        met = {word: self._meets(word, entry) for word in asked}
        mass = sum(self._mass(word) for word in asked)
        if not mass:
            return 0.0
        precision = sum(self._mass(word) * strength for word, strength in met.items()) / mass
        if not precision:
            return 0.0
        covered = sorted((self._coverage(trigger, asked) for trigger in entry.triggers), reverse=True)
        best = covered[0] if covered else 0.0
        second = covered[1] if len(covered) > 1 else 0.0
        return 0.5 * best + 0.1 * second + 0.4 * precision

    def _mass(self, word: str) -> float:
        weight = self._weight.get(word)
        if word in GENERIC_STEMS:
            return 0.25 * (weight or 0.0)
        if weight is not None:
            return weight
        related = self._relatives(word)
        return max((self._weight[other] for other in related), default=self._foreign * 0.6)

    def _meets(self, word: str, entry: Entry) -> float:
        if word in entry.vocabulary:
            return 1.0
        best = WEAK_MATCH if word in entry.weak else 0.0
        for other, strength in self._relatives(word).items():
            if other in entry.vocabulary:
                best = max(best, strength)
            elif other in entry.weak:
                best = max(best, strength * WEAK_MATCH)
        return best

    def _coverage(self, trigger: tuple[str, ...], asked: list[str]) -> float:
        mass = got = 0.0
        for word in trigger:
            weight = self._weight[word] * (0.4 if word in GENERIC_STEMS else 1.0)
            mass += weight
            got += weight * max((self._same(other, word) for other in asked), default=0.0)
        return got / mass if mass else 0.0

    def _same(self, asked: str, own: str) -> float:
        return 1.0 if asked == own else self._relatives(asked).get(own, 0.0)

    def _relatives(self, word: str) -> dict[str, float]:
        if word not in self._kin:
            if len(self._kin) > 4096:  # questions are hostile: what they make us remember is bounded
                self._kin.clear()
            near = ((other, kin(word, other)) for other in self._weight if other != word)
            self._kin[word] = {other: strength for other, strength in near if strength > 0}
        return self._kin[word]


def _entries(records: LevelRecords) -> Iterable[Entry]:
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
        return _entry(record.id, record.kind, [*record.triggers], head, drop=_CASE_WORDS)
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

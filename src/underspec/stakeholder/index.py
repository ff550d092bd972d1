"""Matching: which entry does a point of a question mean, and how surely?"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass

from underspec.stakeholder.entries import CASE_WORDS, Entry, entries
from underspec.stakeholder.words import (
    CONCEPTS,
    GENERIC_STEMS,
    KNOWN,
    content,
    misspelling,
    plain,
    same_root,
    words,
)
from underspec.task.model import LevelRecords, RecordKind

_CASE_TALK = re.compile(
    r"\b(?:test[- ]?cases?|test data|test inputs?|examples?|samples?|public (?:test )?(?:cases?|tests?)|fixtures?"
    r"|test vectors?|(?<!edge )(?<!corner )(?<!special )(?<!which )cases (?:for|of|about|on)|case files?)\b"
)
_FEATURE_NUMBER = re.compile(r"\b(?:features?|sections?|parts?|chapters?|no\.?|number|nr\.?|#)\s*#?\s*(\d+(?:\.\d+)*)")

FOREIGN = 0.8  # what a word that no record knows weighs, against the rarest known one
BEST, SECOND = 0.4, 0.1  # shares of the best two triggers; the rest is how much of the question the entry knows
QUOTED = 0.97  # the score of a pointer whose phrase is quoted
NEAR = 0.6  # what a near-synonym counts
WEAK_MATCH = 0.7  # what a word in the authored response counts, against 1 for one in a trigger phrase


@dataclass(frozen=True)
class _Asked:
    """The words of a point: what each weighs and reaches, and what all of them together say."""

    words: tuple[tuple[float, dict[str, float]], ...]
    mass: float
    said: dict[str, float]


def talks_of_cases(text: str) -> bool:
    """Whether ``text`` asks for test cases or examples."""
    return bool(_CASE_TALK.search(plain(text)))


class Index:
    """Scores entries against a point. Deterministic; about a millisecond for fifty records.

    A score blends how much of the entry's best two trigger phrases the point says with how much of the point the entry
    knows. Words weigh by rarity among the entries; related words count in part.
    """

    def __init__(self, records: LevelRecords) -> None:
        self.entries = tuple(entries(records))
        count = Counter(word for entry in self.entries for word in entry.vocabulary)
        weak = Counter(word for entry in self.entries for word in entry.weak)
        size = len(self.entries)
        self._weight = {
            word: math.log(1 + (size + 0.5) / (count[word] + 0.35 * weak[word] + 0.5)) for word in {*count, *weak}
        }
        # A word that no entry knows says that the question is about something else, unless it is a generic one.
        self._foreign = FOREIGN * math.log(1 + (size + 0.5) / 1.5)
        self._kin: dict[str, dict[str, float]] = {}
        self._by_letter: defaultdict[str, list[str]] = defaultdict(list)
        self._by_concept: defaultdict[int, list[str]] = defaultdict(list)
        for word in sorted(self._weight):
            self._by_letter[word[0]].append(word)
            for number in CONCEPTS.get(word, ()):
                self._by_concept[number].append(word)
        self._case_numbers = {
            number for entry in self.entries if entry.kind is RecordKind.CASE_FILE for number in entry.numbers
        }

    def rank(self, text: str, *, cases: bool) -> list[tuple[float, str]]:
        """All entries with a score above 0 for one point, best first; scores are 0 to 1.

        ``cases``: whether the sentence that the point belongs to talks of cases.
        """
        stems = list(dict.fromkeys(content(text)))
        asked = self._asked(stems)
        named = self._asked([word for word in stems if word not in CASE_WORDS and word not in GENERIC_STEMS])
        numbers = self._feature_numbers(text, cases)
        flat = f" {' '.join(words(text))} "
        scored: list[tuple[float, str]] = []
        for entry in self.entries:
            if entry.kind is RecordKind.CASE_FILE:
                score = self._score_cases(entry, named, cases, numbers)
            elif entry.phrase and f" {entry.phrase} " in flat:
                score = QUOTED
            else:
                score = self._blend(entry, asked) * (0.7 if cases and entry.kind is not RecordKind.HARNESS else 1.0)
            if score > 0:
                scored.append((score, entry.id))
        return sorted(scored, key=lambda pair: -pair[0])

    def _feature_numbers(self, text: str, cases: bool) -> frozenset[str]:
        named = frozenset(_FEATURE_NUMBER.findall(plain(text)))
        if named or not cases:
            return named
        # "test cases for 1.2": a bare number is a feature's if any feature has it, else it counts something
        return frozenset(word for word in words(text) if word in self._case_numbers)

    def _score_cases(self, entry: Entry, named: _Asked, cases: bool, numbers: frozenset[str]) -> float:
        if numbers:
            hit = any(own == number or own.startswith(number + ".") for own in entry.numbers for number in numbers)
            return (0.9 if cases else 0.5) if hit else 0.0
        score = self._blend(entry, named)
        return min(1.0, score + 0.2 if score > 0.3 else score) if cases else score * 0.5

    def _blend(self, entry: Entry, asked: _Asked) -> float:
        if not asked.mass:
            return 0.0
        known = 0.0
        for mass, reached in asked.words:
            known += mass * max((_meeting(entry, word) * strength for word, strength in reached.items()), default=0.0)
        if not known:
            return 0.0
        best = second = 0.0
        for trigger in entry.triggers:
            covered = self._coverage(trigger, asked.said)
            if covered > best:
                best, second = covered, best
            else:
                second = max(second, covered)
        return BEST * best + SECOND * second + (1 - BEST - SECOND) * known / asked.mass

    def _coverage(self, trigger: tuple[str, ...], said: dict[str, float]) -> float:
        mass = got = 0.0
        for word in trigger:
            weight = self._weight[word] * (0.4 if word in GENERIC_STEMS else 1.0)
            mass += weight
            got += weight * said.get(word, 0.0)
        return got / mass if mass else 0.0

    def _asked(self, stems: list[str]) -> _Asked:
        reached = [(self._mass(word), self._reaches(word)) for word in stems]
        said: dict[str, float] = {}
        for _, words_reached in reached:
            for word, strength in words_reached.items():
                said[word] = max(strength, said.get(word, 0.0))
        return _Asked(tuple(reached), sum(mass for mass, _ in reached), said)

    def _mass(self, word: str) -> float:
        weight = self._weight.get(word)
        if word in GENERIC_STEMS:
            return 0.25 * (weight or 0.0)
        if weight is not None:
            return weight
        return max((self._weight[other] for other in self._reaches(word)), default=self._foreign)

    def _reaches(self, word: str) -> dict[str, float]:
        """The known words that ``word`` may stand for, itself among them, and how surely."""
        found = self._kin.get(word)
        if found is None:
            if len(self._kin) > 4096:  # questions are hostile: what they make us remember is bounded
                self._kin.clear()
            found = self._kin[word] = self._find_reach(word)
        return found

    def _find_reach(self, word: str) -> dict[str, float]:
        known = word in self._weight
        foreign = not known and word not in KNOWN
        found = {other: NEAR for number in CONCEPTS.get(word, ()) for other in self._by_concept[number]}
        for other in self._by_letter.get(word[0], ()):
            strength = max(same_root(word, other), misspelling(word, other) if foreign else 0.0)
            if strength:
                found[other] = max(strength, found.get(other, 0.0))
        if known:
            found[word] = 1.0
        return found


def _meeting(entry: Entry, word: str) -> float:
    if word in entry.vocabulary:
        return 1.0
    return WEAK_MATCH if word in entry.weak else 0.0

"""Records that overlap, and records that may contradict each other: a guess from their words, for a reader to judge.

Real data holds both (harness and constraint records above all). The router prefers the more specific one; the answers
are given as they stand.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from underspec.task.finding import Finding, warning
from underspec.task.layout import RECORDS
from underspec.task.model import LevelRecords, Record, RecordKind

_WORD = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?")
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n+")
_SAYING_NOTHING = """
a an and are as at be by can do does for from how i if in is it of on or that the there this to what when which with you
your it's should must will has have its their they
"""
_DENYING = "not no never cannot can't don't doesn't isn't aren't won't"
_OPPOSED = """
first last|upper lower|uppercase lowercase|ascending descending|true false|left right|before after|allow reject
allowed rejected|allowed forbidden|accepted rejected|include exclude|included excluded|optional required|up down
earliest latest|oldest newest|minimum maximum|inclusive exclusive|enabled disabled|always never|kept dropped
kept removed|ignored rejected|ignored reported|stdout stderr|even odd|sensitive insensitive
"""
_EMPTY, _NEGATIONS = frozenset(_SAYING_NOTHING.split()), frozenset(_DENYING.split())
_OPPOSITES = tuple(frozenset(pair.split()) for pair in re.split(r"[|\n]", _OPPOSED.strip()))

ALIKE_PHRASES = 0.8  # shared words of two trigger phrases, out of all their words, from which they ask for the same
ALIKE_SENTENCES = 0.6  # the same for two sentences that say something about the same thing
_LEAST_WORDS = 3
_MOST_SENTENCES = 24


@dataclass(frozen=True)
class _Said:
    """One sentence: what it is about, and what it says about it."""

    text: str
    words: frozenset[str]
    numbers: frozenset[str]
    negated: bool


def check_overlaps(level: str, known: LevelRecords) -> Iterator[Finding]:
    """Pairs of records of one level that have nearly the same trigger phrase, and pairs that may contradict."""
    where = f"$.levels.{level}.records"
    for (one, phrase), (other, twin) in _alike_phrases(known.records):
        message = f"{one} and {other} overlap: {_shown(phrase)} and {_shown(twin)} ask for nearly the same"
        mend = "make the phrases distinct; the router gives the record that fits the question more closely"
        yield warning(RECORDS, message, where=where, mend=mend)
    for (one, first), (other, second), reason in _contradictions(known.records):
        message = f"{one} and {other} may contradict each other ({reason}): {_shown(first)} and {_shown(second)}"
        yield warning(RECORDS, message, where=where, mend="read both; correct one if they are about the same thing")


def _alike_phrases(records: Iterable[Record]) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Each pair of records once, by its first pair of alike phrases. Equal phrases are reported elsewhere."""
    phrases = [(record, trigger, _content(trigger)) for record in records for trigger in record.triggers]
    reported: set[tuple[str, str]] = set()
    for one, other in _sharing([words for _, _, words in phrases]):
        (first, phrase, words), (second, twin, others) = phrases[one], phrases[other]
        pair = (first.id, second.id)
        both_files = first.kind is second.kind is RecordKind.CASE_FILE
        equal = _WORD.findall(phrase.casefold()) == _WORD.findall(twin.casefold())
        if first.id == second.id or pair in reported or both_files or equal:
            continue
        if min(len(words), len(others)) >= _LEAST_WORDS and _likeness(words, others) >= ALIKE_PHRASES:
            reported.add(pair)
            yield (first.id, phrase), (second.id, twin)


def _contradictions(records: Iterable[Record]) -> Iterator[tuple[tuple[str, str], tuple[str, str], str]]:
    said = [
        (record.id, sentence)
        for record in records
        if record.kind is not RecordKind.CASE_FILE
        for sentence in _sentences(record.response)
    ]
    reported: set[tuple[str, str]] = set()
    for one, other in _sharing([sentence.words for _, sentence in said]):
        (first, left), (second, right) = said[one], said[other]
        if first == second or (first, second) in reported:
            continue
        reason = _opposed(left, right)
        if reason:
            reported.add((first, second))
            yield (first, left.text), (second, right.text), reason


def _opposed(left: _Said, right: _Said) -> str | None:
    """Why two sentences may say opposite things about the same; None if they may not."""
    turned = [pair for pair in _OPPOSITES if len(left.words & pair) == 1 == len(right.words & pair)]
    turned = [pair for pair in turned if left.words & pair != right.words & pair]
    apart = frozenset(word for pair in turned for word in pair)
    if min(len(left.words - apart), len(right.words - apart)) < _LEAST_WORDS:
        return None
    if _likeness(left.words - apart, right.words - apart) < ALIKE_SENTENCES:
        return None
    if turned:
        return f"one says {' and the other '.join(sorted(turned[0]))}"
    if left.numbers and right.numbers and left.numbers.isdisjoint(right.numbers):
        return "different numbers"
    return "one negates" if left.negated != right.negated else None


def _sharing(sets: list[frozenset[str]]) -> list[tuple[int, int]]:
    """Pairs of places whose sets have at least two words in common, in order."""
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for place, words in enumerate(sets):
        for word in words:
            by_word[word].append(place)
    shared: defaultdict[tuple[int, int], int] = defaultdict(int)
    for places in by_word.values():
        if len(places) <= max(20, len(sets) // 4):  # a word that is everywhere tells nothing
            for pair in combinations(places, 2):
                shared[pair] += 1
    return sorted(pair for pair, count in shared.items() if count >= 2)


def _sentences(text: str) -> list[_Said]:
    found = []
    for sentence in _SENTENCE.split(text)[:_MOST_SENTENCES]:
        words = [word.casefold() for word in _WORD.findall(sentence)]
        numbers = frozenset(word for word in words if word[0].isdigit())
        content = frozenset(words) - _EMPTY - _NEGATIONS - numbers
        found.append(_Said(sentence.strip(), content, numbers, bool(_NEGATIONS & set(words))))
    return found


def _content(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text)) - _EMPTY


def _likeness(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right)


def _shown(text: str) -> str:
    return ascii(text[:80])

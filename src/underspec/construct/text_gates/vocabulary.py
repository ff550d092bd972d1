"""Which words belong to the contract, and which values are those of single cases."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from underspec.task.model import CaseFile

Files = Mapping[str, CaseFile]
"""Case files of a suite by stem."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,23}")
_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)=(.*)")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
_OFTEN = 2
_LEAST_TEXT, _LONG_TEXT, _LEAST_DIGITS = 4, 8, 5


@dataclass(frozen=True)
class Vocabulary:
    """``parameters``: names of members of requests. ``words``: actions, values of closed choices, error categories.
    ``answers``: names that begin lines of answers."""

    parameters: frozenset[str]
    words: frozenset[str]
    answers: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """All of them: what may be written in a request whatever the golden code calls it."""
        return self.parameters | self.words | self.answers


@dataclass(frozen=True)
class CaseValue:
    """A value that a case has, and where: file and JSON path."""

    text: str
    file: str
    where: str


def vocabulary_of(files: Files, said: Iterable[str] = ()) -> Vocabulary:
    """What cases show of it, and what the contract says: ``said``. A value counts as a word where it is an identifier
    that stands for the same parameter in more than one case."""
    parameters: set[str] = set()
    seen: defaultdict[tuple[str, str], int] = defaultdict(int)
    answers: set[str] = set()
    for file in files.values():
        for case in file.cases:
            for name, value in set(_members(case.input)):
                parameters.add(name)
                if value is not None:
                    seen[name, value] += 1
            answers.update(found[1] for line in case.expected_output.splitlines() if (found := _LINE.fullmatch(line)))
    words = {value for (_, value), count in seen.items() if count >= _OFTEN and _WORD.fullmatch(value)}
    return Vocabulary(frozenset(parameters), frozenset({*words, *said}), frozenset(answers))


def case_values(files: Files, vocabulary: Vocabulary, *, folder: str) -> Iterator[CaseValue]:
    """What is particular to single cases: texts and long numbers of inputs, and contents of expected outputs.

    Short texts, numbers of few digits and single small words are left out: prose could not do without them.
    """
    known = vocabulary.all
    for stem, file in sorted(files.items()):
        for index, case in enumerate(file.cases):
            contents = [found[2] if (found := _LINE.fullmatch(line)) else line for line in _lines(case.expected_output)]
            for place, texts in (("input", _leaves(case.input)), ("expected_output", iter(contents))):
                for text in texts:
                    if is_particular(text, known):
                        yield CaseValue(text.strip(), f"{folder}/{stem}.json", f"$.cases[{index}].{place}")


def is_particular(text: str, known: frozenset[str] = frozenset()) -> bool:
    """Whether a value can be told from ordinary prose, and is no word of the contract."""
    plain = text.strip()
    if plain in known:
        return False
    if _NUMBER.fullmatch(plain):
        return len(re.sub(r"e.*|\D", "", plain.lower()).strip("0")) >= _LEAST_DIGITS
    if len(plain) < _LEAST_TEXT:
        return False
    return len(plain) >= _LONG_TEXT or not plain.isalpha()


def _lines(text: str) -> list[str]:
    return text.splitlines()


def _leaves(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, str):
            yield one
        elif isinstance(one, int | float) and not isinstance(one, bool):
            yield repr(one)


def _members(value: Any) -> Iterator[tuple[str, str | None]]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, dict):
            for name, member in one.items():
                yield name, member if isinstance(member, str) else None
                waiting.append(member)

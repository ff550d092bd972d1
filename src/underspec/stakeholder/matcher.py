"""What speaks for each id, given one point of a question: numbers between 0 and 1, to be weighed by the blend."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from underspec.stakeholder import encoders
from underspec.stakeholder.discriminant import Discriminant
from underspec.stakeholder.encoders import Encoder, Matrix, Vector
from underspec.stakeholder.index import Index, talks_of_cases
from underspec.stakeholder.kept_vectors import encode_kept
from underspec.stakeholder.literals import names_of_literals
from underspec.stakeholder.texts import Findable, findables
from underspec.stakeholder.words import plain
from underspec.task.model import LevelRecords, RecordKind

Table = NDArray[np.float32]

ENGLISH = (
    "lexical", "discriminant", "nearest", "second", "response", "static", "static_nearest", "static_response",
    "cases_unasked", "cases_asked", "case_file_named", "pointer", "signature", "interface_talk", "harness", "breadth",
)  # fmt: skip
FOREIGN = (
    "lexical", "discriminant", "nearest", "response", "cases_unasked", "cases_asked", "case_file_named", "pointer",
    "signature", "interface_talk", "harness", "breadth",
)  # fmt: skip

_FOREIGN_SENTENCES = 3  # of a response, since the multilingual model takes ten times as long
_SENTENCES_COUNT = 0.3  # a sentence of the response, against 1 for a trigger phrase
_FOREIGN_CASE_TALK = re.compile(
    r"beispiel|testf[aä]ll|testdaten|exemple|cas de test|ejemplo|casos? de prueba|esempi|exemplo|"
    r"用例|示例|例子|样例|テストケース|пример"
)
_INTERFACE_TALK = re.compile(
    r"\b(?:signatures?|api|interface|parameters?|arguments?|field names?|keys?|actions?|operations?|methods?|functions?"
    r"|class(?:es)?|exports?|naming|names?)\b|schnittstelle|parameter|signatur|接口|参数|函数|paramètres?|parámetros?"
)


class _Vectors:
    """All findables as one encoder sees them."""

    def __init__(self, found: tuple[Findable, ...], encode: Encoder, shrinkage: float) -> None:
        phrases = _encoded(encode, [one.phrases for one in found])
        sentences = _encoded(encode, [one.sentences for one in found])
        self.discriminant = Discriminant(
            list(zip(phrases, sentences, strict=True)), second=_SENTENCES_COUNT, shrinkage=shrinkage
        )
        self._phrases, self._phrase_starts = _stacked(phrases)
        self._sentences, self._sentence_starts = _stacked(sentences)

    def nearest(self, vector: Vector) -> tuple[Vector, Vector]:
        """The best and the second best phrase of each; with one phrase only, both are that one."""
        near = self._phrases @ vector
        best = np.maximum.reduceat(near, self._phrase_starts)
        lengths = np.diff(np.append(self._phrase_starts, len(near)))
        # The first of the best ones is taken out; what is best then is the second.
        rest = near.copy()
        groups = np.repeat(np.arange(len(lengths)), lengths)
        tops = np.flatnonzero(near == best[groups])
        rest[tops[np.unique(groups[tops], return_index=True)[1]]] = -2.0
        second = np.maximum.reduceat(rest, self._phrase_starts)
        return np.asarray(best, dtype=np.float32), np.where(lengths > 1, second, best).astype(np.float32)

    def response(self, vector: Vector) -> Vector:
        """The best sentence of each response."""
        return np.asarray(np.maximum.reduceat(self._sentences @ vector, self._sentence_starts), dtype=np.float32)


def _encoded(encode: Encoder, groups: Sequence[Sequence[str]]) -> list[Matrix]:
    """Vectors of several groups of texts, encoded, and kept, at once."""
    rows = encode_kept(encode, [text for group in groups for text in group])
    return np.split(rows, np.cumsum([len(group) for group in groups])[:-1])


def _stacked(parts: list[Matrix]) -> tuple[Matrix, NDArray[np.int64]]:
    """All rows, and where each part begins; no part is empty."""
    starts = np.cumsum([0, *(len(part) for part in parts[:-1])]).astype(np.int64)
    return np.concatenate(parts), starts


class Matcher:
    """Made once for the records of one level; about two seconds for fifty records, since all phrases are encoded."""

    def __init__(self, records: LevelRecords) -> None:
        self.found = tuple(findables(records))
        self.ids = tuple(one.id for one in self.found)
        self._place = {name: place for place, name in enumerate(self.ids)}
        self._index = Index(records)
        self._kinds = np.array([one.kind is RecordKind.CASE_FILE for one in self.found], dtype=np.float32)
        self._pointer = np.array([one.id.startswith("P") and one.kind is None for one in self.found], dtype=np.float32)
        self._signature = np.array([one.id == "SIG" for one in self.found], dtype=np.float32)
        self._harness = np.array([one.kind is RecordKind.HARNESS for one in self.found], dtype=np.float32)
        # A record that says more answers more questions; where two have the same trigger, the specific one wins below.
        sizes = [len({*entry.vocabulary, *entry.weak}) for entry in self._index.entries]
        self._breadth = np.log1p(np.array(sizes, dtype=np.float32)) / 5
        self.yields = self._yielding()
        self._english = _Vectors(self.found, encoders.minilm(), 0.8)
        self._static = _Vectors(self.found, encoders.static(), 0.4)

    def _yielding(self) -> Vector:
        """1 for each record that has a trigger phrase in common with a more specific one, else 0.

        Harness and architecture are about everything, so any other record is more specific; else the one is that says
        fewer different things.
        """
        general = (RecordKind.HARNESS, RecordKind.ARCHITECTURE)
        breadth = [
            (one.kind in general, len({*entry.vocabulary, *entry.weak}))
            for one, entry in zip(self.found, self._index.entries, strict=True)
        ]
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(self.found):
            for phrase in {plain(phrase).strip() for phrase in one.phrases}:
                places[phrase].append(place)
        yields = np.zeros(len(self.found), dtype=np.float32)
        for together in places.values():
            narrowest = min(breadth[place] for place in together)
            for place in together:
                if breadth[place] > narrowest:
                    yields[place] = 1.0
        return yields

    def english(self, text: str) -> Table:
        """One row an id, one column a feature of :data:`ENGLISH`."""
        named = f"{text} ({called})" if (called := names_of_literals(text)) else text
        vector, averaged = encoders.minilm()([text])[0], encoders.static()([named])[0]
        nearest, second = self._english.nearest(vector)
        columns = [
            self._lexical(named),
            self._english.discriminant(vector),
            nearest,
            second,
            self._english.response(vector),
            self._static.discriminant(averaged),
            self._static.nearest(averaged)[0],
            self._static.response(averaged),
            *self._flags(text),
        ]
        return np.column_stack(columns)

    def foreign(self, text: str) -> Table | None:
        """The same with the features of :data:`FOREIGN`; None where no model knows other languages."""
        models, vectors = encoders.multilingual(), self._multilingual
        if models is None or vectors is None:
            return None
        vector = models[0]([text])[0]
        columns = [
            self._lexical(text),
            vectors.discriminant(vector),
            vectors.nearest(vector)[0],
            vectors.response(vector),
            *self._flags(text),
        ]
        return np.column_stack(columns)

    @cached_property
    def _multilingual(self) -> _Vectors | None:
        models = encoders.multilingual()
        if models is None:
            return None
        fewer = tuple(replace(one, sentences=one.sentences[:_FOREIGN_SENTENCES]) for one in self.found)
        return _Vectors(fewer, models[1], 0.6)

    def _lexical(self, text: str) -> Vector:
        scores = np.zeros(len(self.ids), dtype=np.float32)
        for score, name in self._index.rank(text, cases=talks_of_cases(text)):
            scores[self._place[name]] = score
        return scores

    def _flags(self, text: str) -> list[Vector]:
        folded = plain(text)
        cases = float(asks_for_cases(text))
        interface = min(2, len(_INTERFACE_TALK.findall(folded))) / 2
        return [
            self._kinds * (1 - cases),
            self._kinds * cases,
            np.array([bool(one.file) and _names_file(folded, one.file or "") for one in self.found], dtype=np.float32),
            self._pointer,
            self._signature,
            self._signature * interface,
            self._harness,
            self._breadth,
        ]


def asks_for_cases(text: str) -> bool:
    """Whether test cases or examples are wanted, in whatever language."""
    return talks_of_cases(text) or bool(_FOREIGN_CASE_TALK.search(plain(text)))


def _names_file(folded: str, stem: str) -> bool:
    """Whether a case file (``ordering.json``) or a case of it (``ordering@001``) is named."""
    return bool(re.search(rf"(?<![\w]){re.escape(plain(stem))}(?:\.json\b|@\d)", folded))

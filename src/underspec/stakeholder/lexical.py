"""The embedded router: deterministic, without model and network, milliseconds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from underspec.artifact.session import Turn
from underspec.stakeholder import guard, points
from underspec.stakeholder.index import Index, talks_of_cases
from underspec.stakeholder.router import Routing
from underspec.task.model import LevelRecords

ANSWERED = 0.48  # a point's best entry is answered from here on
CLAUSE_ANSWERED = 0.55  # the same for half a sentence, which is easier to mistake
CLAUSE_GAIN = 0.0  # how much better than its sentence a clause has to match
TIE = 0.97  # entries this close to the best are meant as well
RANKED = 5
_CACHED = 64

Scores = list[tuple[float, str]]


class LexicalRouter:
    """Splits a question into points and matches each against trigger phrases and responses.

    Words are compared by stem, misspelling and a table of near-synonyms, weighted by rarity among the records. Case
    files answer to talk of cases with a feature's name or number; pointers to the request's own phrases; the
    signature to talk of names and interfaces. Vague and extracting questions match nothing.
    """

    name = "lexical"
    version = "2"

    def __init__(self) -> None:
        self._indexes: OrderedDict[int, tuple[LevelRecords, Index]] = OrderedDict()

    async def route(self, question: str, records: LevelRecords, history: Sequence[Turn]) -> Routing:
        """See :class:`underspec.stakeholder.router.Router`."""
        return self.route_now(question, records)

    def route_now(self, question: str, records: LevelRecords) -> Routing:
        """The same without a loop."""
        index = self._index(records)
        best: dict[str, float] = {}
        ids: dict[str, None] = {}
        for point in points.split(question):
            whole = index.rank(point.text, cases=talks_of_cases(point.text))
            for score, name in whole:
                best[name] = max(best.get(name, 0.0), score)
            if not guard.is_vague(point.text):
                ids.update(dict.fromkeys(_answered(index, point, whole)))
        ranking = tuple(sorted(best, key=lambda name: -best[name])[:RANKED])
        if guard.extracts(question) or guard.is_vague(question):
            return Routing((), ranking)
        return Routing(tuple(ids), ranking, guard.proposes_default(question))

    def _index(self, records: LevelRecords) -> Index:
        known = self._indexes.get(id(records))
        if known is None or known[0] is not records:
            known = (records, Index(records))
            self._indexes[id(records)] = known
        self._indexes.move_to_end(id(records))
        while len(self._indexes) > _CACHED:
            self._indexes.popitem(last=False)
        return known[1]


def _answered(index: Index, point: points.Point, whole: Scores) -> list[str]:
    """The ids that answer one point. Its clauses are points of their own where each says more clearly what it means
    than the sentence does ("missing cells and booleans", but not "an amount and a number")."""
    if not whole:
        return []
    near = {name for _, name in whole[: RANKED * 2]}
    cases = talks_of_cases(point.text)
    clear: list[str] = []
    for clause in point.clauses:
        ranked = [] if guard.is_vague(clause) else index.rank(clause, cases=cases)
        if ranked and ranked[0][0] >= max(CLAUSE_ANSWERED, whole[0][0] + CLAUSE_GAIN):
            clear += [name for name in _top(ranked, CLAUSE_ANSWERED) if name in near]
    if len(dict.fromkeys(clear)) > 1:
        return clear
    return _top(whole, ANSWERED)


def _top(ranked: Scores, least: float) -> list[str]:
    if not ranked or ranked[0][0] < least:
        return []
    return [name for score, name in ranked if score >= TIE * ranked[0][0]]

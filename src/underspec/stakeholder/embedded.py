"""The embedded router: sentence embeddings, words and a fitted blend of both. Deterministic, offline, milliseconds."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from underspec.artifact.session import Turn
from underspec.artifact.threads import in_thread
from underspec.stakeholder import guard, points
from underspec.stakeholder.blend import Tongue, coefficients, evidence, nearness, probability, question_vector
from underspec.stakeholder.encoders import Vector
from underspec.stakeholder.language import is_foreign
from underspec.stakeholder.matcher import Matcher, asks_for_cases
from underspec.stakeholder.router import Routing
from underspec.stakeholder.sorter import KINDS, leanings
from underspec.task.model import LevelRecords

ANSWERED = 0.5  # how surely a point's best id must be right to be given
CLAUSE_ANSWERED = 0.75  # the same for half a sentence, which is easier to mistake
ALSO_MEANT = 0.7  # ids with this share of the best one's are meant as well
PLAINLY = 0.95  # share of the best id from which a sentence means nothing else
CONTEXT = 0.5  # what the whole question counts when one of its sentences is matched
EXTRACTING = 0.2  # leaning so far towards an attempt at the records, a question gets nothing
EXTRACTING_CASES = 0.45  # the same for one that asks for test cases, since public ones may be asked for
EXTREME, CERTAIN, DOUBTFUL = 1.4, 0.9, 0.3  # of suspicion, of confidence, of suspicion
SUSPICION = 0.3  # how much surer a match must be when a question leans that way nearly so far
YIELDING = 2.5  # log odds that a record loses to a more specific one with the same trigger phrase
RANKED = 5
_CACHED = 64


@dataclass(frozen=True)
class _Matched:
    """One point: how much of the whole each id has, and how surely the best is right."""

    shares: Vector
    confidence: float
    suspicion: float


class EmbeddedRouter:
    """Finds the points of a question, and for each the id that fits best and whether it fits well enough."""

    name = "embedded"
    version = "1"

    def __init__(self) -> None:
        self._matchers: OrderedDict[int, tuple[LevelRecords, Matcher]] = OrderedDict()
        self._by_content: OrderedDict[LevelRecords, Matcher] = OrderedDict()
        self._lock = threading.Lock()

    async def route(self, question: str, records: LevelRecords, history: Sequence[Turn]) -> Routing:
        """See :class:`underspec.stakeholder.router.Router`. Off the event loop, since the first question of a task
        takes seconds and any other milliseconds."""
        return await in_thread(self.route_now, question, records)

    def route_now(self, question: str, records: LevelRecords) -> Routing:
        """The same without a loop."""
        return self.decide(question, records, ANSWERED)

    def decide(self, question: str, records: LevelRecords, answered: float) -> Routing:
        """Route with another threshold than the default: ``answered``, 0 to 1, for measuring what each costs."""
        if not records.responses():
            return Routing((), (), guard.proposes_default(question))
        matcher = self._matcher(records)
        read = points.split(question)
        if not read:
            return Routing((), ())
        tongue: Tongue = "foreign" if is_foreign(question) else "english"
        whole = self._match(matcher, " ".join(point.text for point in read), tongue, None)
        each = [(point, self._match(matcher, point.text, tongue, whole) if len(read) > 1 else whole) for point in read]
        best = np.max([one.shares * one.confidence for one in [whole, *(one for _, one in each)]], axis=0)
        order = np.argsort(-best, kind="stable")
        ranking = tuple(matcher.ids[place] for place in order[:RANKED] if best[place] > 0)
        if guard.extracts(question) or guard.is_vague(question) or _suspect(whole, [one for _, one in each]):
            return Routing((), ranking)
        ids: dict[str, None] = {}
        for point, matched in each:
            ids.update(dict.fromkeys(self._answers(matcher, point, matched, tongue, answered)))
        if not ids:
            ids.update(dict.fromkeys(_given(matcher, whole, answered)))
        return Routing(tuple(ids), ranking, guard.proposes_default(question))

    def _answers(
        self, matcher: Matcher, point: points.Point, matched: _Matched, tongue: Tongue, answered: float
    ) -> list[str]:
        """Clauses are points of their own where each says more clearly what it means than the sentence does."""
        if guard.is_vague(point.text):
            return []
        clear: list[str] = []
        # A sentence that plainly means one id is not taken apart: each clause costs another encoding.
        plainly = matched.confidence >= CERTAIN and matched.shares.max() >= PLAINLY
        for clause in () if plainly else point.clauses:
            if guard.is_vague(clause):
                continue
            one = self._match(matcher, clause, tongue, matched)
            if one.confidence >= max(CLAUSE_ANSWERED, answered):
                clear += _given(matcher, one, answered)
        if len(dict.fromkeys(clear)) > 1:
            return clear
        return _given(matcher, matched, answered)

    def _match(self, matcher: Matcher, text: str, tongue: Tongue, context: _Matched | None) -> _Matched:
        table = matcher.foreign(text) if tongue == "foreign" else matcher.english(text)
        vector = question_vector(text, tongue)
        if table is None or vector is None:
            return self._match(matcher, text, "english", context)
        known = coefficients()[tongue]
        logits = table @ known.weights - YIELDING * matcher.yields
        if context is not None:
            logits = logits + CONTEXT * np.log(np.maximum(context.shares, 1e-6))
        leaning = leanings(vector, tongue)
        seen = evidence(table, logits, nearness(vector, tongue), leaning, tongue, guard.is_vague(text))
        shares = np.exp(logits - logits.max())
        confidence = probability(float(seen @ known.confidence) + known.intercept)
        suspicion = leaning[KINDS.index("extraction")] / (EXTRACTING_CASES if asks_for_cases(text) else EXTRACTING)
        return _Matched(shares / shares.sum(), confidence, suspicion)

    def _matcher(self, records: LevelRecords) -> Matcher:
        with self._lock:
            known = self._matchers.get(id(records))
            if known is None or known[0] is not records:
                # The same records may be loaded more than once, and what they cost is paid once.
                made = self._by_content.get(records)
                if made is None:
                    made = self._by_content[records] = Matcher(records)
                known = self._matchers[id(records)] = (records, made)
            self._matchers.move_to_end(id(records))
            while len(self._matchers) > _CACHED:
                self._matchers.popitem(last=False)
            while len(self._by_content) > _CACHED:
                self._by_content.popitem(last=False)
        return known[1]


def _suspect(whole: _Matched, sentences: list[_Matched]) -> bool:
    """Whether a question is after the records. Short sentences mislead, so that one alone proves nothing; and a match
    that is nearly certain excuses a leaning that is not extreme."""
    if whole.suspicion >= (EXTREME if whole.confidence >= CERTAIN else 1.0):
        return True
    return whole.suspicion >= DOUBTFUL and any(one.suspicion >= 1 for one in sentences)


def _given(matcher: Matcher, matched: _Matched, answered: float) -> list[str]:
    if matched.confidence < answered + SUSPICION * min(1.0, max(0.0, matched.suspicion)):
        return []
    least = ALSO_MEANT * matched.shares.max()
    return [
        matcher.ids[place] for place in np.argsort(-matched.shares, kind="stable") if matched.shares[place] >= least
    ]

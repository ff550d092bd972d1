"""How well a router did on labelled questions: pure functions, each said exactly.

A question is *answerable* if it has gold ids. Every share is an average over questions of 0-to-1 values; None stands
for a share of no questions at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

MOST_GIVEN = 3
EXTRACTION = "extraction"


@dataclass(frozen=True)
class Routed:
    """One question with its labels, and what the router made of it (:class:`underspec.stakeholder.router.Routing`)."""

    gold: tuple[str, ...]
    also_ok: tuple[str, ...]
    kind: str | None
    ids: tuple[str, ...]
    ranking: tuple[str, ...]

    @property
    def given(self) -> tuple[str, ...]:
        """What a reply would hold: the first three ids."""
        return tuple(dict.fromkeys(self.ids))[:MOST_GIVEN]


def top1(one: Routed) -> float:
    """1 if the best of the ranking is a gold or an acceptable id."""
    return float(bool(one.ranking) and one.ranking[0] in (*one.gold, *one.also_ok))


def recall_at_3(one: Routed) -> float:
    """Gold ids among the three best of the ranking, out of as many as can be there: min(3, how many there are)."""
    return _share_of_gold(one, one.ranking[:MOST_GIVEN])


def recall_at_3_or_accepted(one: Routed) -> float:
    """The same, but with one gold id only, an acceptable one among the three best will do as well."""
    if len(one.gold) == 1:
        return float(bool({*one.gold, *one.also_ok} & set(one.ranking[:MOST_GIVEN])))
    return recall_at_3(one)


def right_given(one: Routed) -> float:
    """Gold ids that are really given, out of min(3, how many there are); refusing gives none. With one gold id only, an
    acceptable one instead will do."""
    if len(one.gold) == 1:
        return float(bool({*one.gold, *one.also_ok} & set(one.given)))
    return _share_of_gold(one, one.given)


def answered(one: Routed) -> float:
    """1 if any id is given."""
    return float(bool(one.given))


def wrong_given(one: Routed) -> float:
    """How many of the ids given are neither gold nor acceptable (a number, not a share)."""
    return float(len(set(one.given) - {*one.gold, *one.also_ok}))


def summary(routed: Sequence[Routed]) -> dict[str, Any]:
    """All figures over one list of questions.

    ``answered_unanswerable`` is the share of the questions without gold to which any id is given, and
    ``extraction_answered`` the same for kind ``extraction``; ``wrong_given`` counts ids a question.
    """
    answerable = [one for one in routed if one.gold]
    unanswerable = [one for one in routed if not one.gold]
    return {
        "top1": _mean(top1, answerable),
        "recall_at_3": _mean(recall_at_3, answerable),
        "recall_at_3_or_accepted": _mean(recall_at_3_or_accepted, answerable),
        "right_given": _mean(right_given, answerable),
        "wrong_given": _mean(wrong_given, answerable),
        "answered_unanswerable": _mean(answered, unanswerable),
        "extraction_answered": _mean(answered, [one for one in unanswerable if one.kind == EXTRACTION]),
        "answerable": len(answerable),
        "unanswerable": len(unanswerable),
        "by_kind": _by_kind(routed),
    }


def _by_kind(routed: Sequence[Routed]) -> dict[str, dict[str, float | int | None]]:
    kinds: defaultdict[str, list[Routed]] = defaultdict(list)
    for one in routed:
        if one.kind is not None:
            kinds[one.kind].append(one)
    return {
        kind: {
            "questions": len(group),
            "top1": _mean(top1, [one for one in group if one.gold]),
            "recall_at_3": _mean(recall_at_3, [one for one in group if one.gold]),
            "right_given": _mean(right_given, [one for one in group if one.gold]),
            "answered_unanswerable": _mean(answered, [one for one in group if not one.gold]),
        }
        for kind, group in sorted(kinds.items())
    }


def _share_of_gold(one: Routed, ids: Iterable[str]) -> float:
    return len(set(one.gold) & set(ids)) / min(MOST_GIVEN, len(set(one.gold)))


def _mean(measure: Callable[[Routed], float], routed: Sequence[Routed]) -> float | None:
    return sum(map(measure, routed)) / len(routed) if routed else None

"""When hidden requirements become known: over the rounds of a clarification, and over a conversation's time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from underspec.measure.bootstrap import SEED, percentiles, resampled_sums
from underspec.measure.interval import LEVEL

Floats = NDArray[np.float64]

TIME_RESAMPLES = 2_000
"""SWE-Clar A.2."""


@dataclass(frozen=True)
class Disclosure:
    """One clarification. ``disclosed`` has, for each initially hidden unit, the round in which it was first fully
    disclosed (from 1), or None; partial and uncertain disclosure is none. ``finished``: it ended normally."""

    rounds: int
    disclosed: tuple[int | None, ...]
    finished: bool = True

    def __post_init__(self) -> None:
        if any(found is not None and not 1 <= found <= self.rounds for found in self.disclosed):
            raise ValueError(f"a unit was disclosed in a round that is none of the {self.rounds}")


@dataclass(frozen=True)
class DisclosureCurve:
    """Mean share of hidden units disclosed after round 0, 1, ... up to the longest retained conversation.

    ``retained`` of ``conversations`` are in it; ``outliers`` had too few or too many rounds, ``nothing_hidden`` no
    share to speak of.
    """

    shares: tuple[float, ...]
    conversations: int
    retained: int
    outliers: int
    nothing_hidden: int

    @property
    def final(self) -> float | None:
        """The share at the end, by which models are ordered in SWE-Clar Figure 8."""
        return self.shares[-1] if self.shares else None


def outlying(counts: ArrayLike) -> NDArray[np.bool_]:
    """Below the first quartile less 1.5 times the interquartile range, or above the third plus that (C.3)."""
    values = np.asarray(counts, dtype=np.float64)
    if not len(values):
        return np.zeros(0, dtype=np.bool_)
    first, third = np.quantile(values, [0.25, 0.75])
    reach = 1.5 * (third - first)
    return np.asarray((values < first - reach) | (values > third + reach), dtype=np.bool_)


def disclosure_by_round(conversations: Sequence[Disclosure], *, drop_outliers: bool = True) -> DisclosureCurve:
    """The curve of one model over its conversations (SWE-Clar C.3, Figure 8).

    The final value of a conversation that ended normally is carried forward; one that broke off counts in the rounds
    that it has.
    """
    outside = outlying([each.rounds for each in conversations]) & drop_outliers
    kept = [each for each, out in zip(conversations, outside, strict=True) if not out and each.disclosed]
    longest = max((each.rounds for each in kept), default=-1)
    places = np.arange(longest + 1)
    shares = np.full((len(kept), longest + 1), np.nan)
    for row, each in enumerate(kept):
        when = np.array([np.inf if found is None else found for found in each.disclosed])
        shares[row] = (when[:, None] <= places).mean(axis=0)
        if not each.finished:
            shares[row, each.rounds + 1 :] = np.nan
    return DisclosureCurve(
        shares=tuple(np.nanmean(shares, axis=0).tolist()) if kept else (),
        conversations=len(conversations),
        retained=len(kept),
        outliers=int(outside.sum()),
        nothing_hidden=sum(not each.disclosed for each, out in zip(conversations, outside, strict=True) if not out),
    )


@dataclass(frozen=True)
class SourceConversation:
    """A recorded conversation between its ``first`` and ``last`` visible message (any unit of time).

    ``initial`` requirements were in the first request; ``later`` are the times at which others became explicit.
    """

    first: float
    last: float
    initial: int
    later: tuple[float, ...]


@dataclass(frozen=True)
class TimeCurve:
    """Mean cumulative share at each point of normalised ``time`` (0 to 1), with a pointwise band; all shape (points,).

    ``low`` and ``high`` are None with fewer than two conversations.
    """

    time: Floats
    share: Floats
    low: Floats | None
    high: Floats | None
    conversations: int

    def at(self, time: float) -> float:
        """The share at the last point not after ``time``, such as 0.25 for the first quarter (SWE-Clar 2.5)."""
        return float(self.share[np.searchsorted(self.time, time + 1e-12) - 1])


def disclosure_by_time(
    conversations: Sequence[SourceConversation],
    *,
    with_initial: bool = False,
    points: int = 101,
    level: float = LEVEL,
    resamples: int = TIME_RESAMPLES,
    seed: int = SEED,
) -> TimeCurve | None:
    """Requirements disclosed over a conversation's time (SWE-Clar A.2, Figure 4).

    The primary curve is of those disclosed later, over conversations that have any. ``with_initial`` gives the
    supplementary one: what the first request said counts too, at time 0. Conversations weigh the same, and are what is
    resampled. None where no conversation has anything to disclose.

    Raises:
        ValueError: a requirement became explicit before the first message or after the last one.
    """
    time = np.linspace(0, 1, points)
    rows = []
    for each in conversations:
        if any(not each.first <= when <= each.last for when in each.later):
            raise ValueError("a requirement lies outside its conversation")
        initial = each.initial if with_initial else 0
        if not initial + len(each.later):
            continue
        # A conversation of one moment has all it has at time 0.
        span = (each.last - each.first) or 1.0
        when = (np.sort(np.array(each.later, dtype=np.float64)) - each.first) / span
        found = initial + np.searchsorted(when, time + 1e-12, side="right")
        rows.append(found / (initial + len(each.later)))
    if not rows:
        return None
    table = np.array(rows)
    low, high = None, None
    if len(table) > 1:
        low, high = percentiles(resampled_sums(table, resamples, seed) / len(table), level)
    return TimeCurve(time=time, share=table.mean(axis=0), low=low, high=high, conversations=len(table))

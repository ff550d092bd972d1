"""How far a ranking can be relied on: ranges of ranks, groups, and agreement between splits of the tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from underspec.measure.association import Correlation, kendall, mean_ranks, spearman
from underspec.measure.bootstrap import RESAMPLES, SEED, percentiles, resampled_means
from underspec.measure.interval import LEVEL

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RankRange:
    """A competitor's ``rank`` (1 is best, equals share the mean) and between which ranks it lies when tasks are drawn
    anew. ``first`` is the share of draws in which nobody was better."""

    rank: float
    low: float
    high: float
    first: float


def rank_ranges(
    scores: ArrayLike, level: float = LEVEL, *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[RankRange]:
    """Ranks with ranges from the task bootstrap; ``scores`` is tasks by competitors, all on the same tasks.

    Source: Goldstein and Spiegelhalter (1996), "League tables and their limitations".
    """
    table = np.asarray(scores, dtype=np.float64)
    means = np.round(resampled_means(table, resamples, seed), 12)
    # Mean ranks of all resamples at once: one for each that is better, a half for each other that is equal.
    better = (means[:, None, :] > means[:, :, None]).sum(axis=2)
    equal = (means[:, None, :] == means[:, :, None]).sum(axis=2) - 1
    ranks = 1 + better + equal / 2
    low, high = percentiles(ranks, level)
    seen = mean_ranks(-np.round(table.mean(axis=0), 12))
    first = (better == 0).mean(axis=0)
    return [
        RankRange(float(rank), float(one), float(other), float(share))
        for rank, one, other, share in zip(seen, low, high, first, strict=True)
    ]


def rank_groups(scores: ArrayLike, apart: NDArray[np.bool_]) -> list[int]:
    """The group of each competitor, 1 for the best: a group ends where the next one is told apart from its first.

    ``apart[i, j]`` says whether i and j differ for certain, for example by corrected tests (:func:`holm`). Shape of
    ``scores``: tasks by competitors.
    """
    means = np.asarray(scores, dtype=np.float64).mean(axis=0)
    groups = [0] * len(means)
    group, leader = 0, -1
    for place in np.argsort(-means, kind="stable"):
        if leader < 0 or apart[leader, place]:
            group, leader = group + 1, int(place)
        groups[int(place)] = group
    return groups


@dataclass(frozen=True)
class RankAgreement:
    """Two rankings of the same competitors: Spearman's rho, Kendall's tau-b, whether the same one leads, and how many
    places each moved (positive: it stands further down in the second)."""

    rho: Correlation
    tau: float | None
    same_leader: bool
    moved: tuple[float, ...]


def rank_agreement(first: ArrayLike, second: ArrayLike) -> RankAgreement:
    """Compare scores of the same competitors on two splits, as the full benchmark and Lite (ICAE V-A).

    The interval of rho is of competitors as a sample; with a handful it is wide, and says so.
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    moved = mean_ranks(-other) - mean_ranks(-one)
    leaders = [set(np.flatnonzero(side == side.max()).tolist()) for side in (one, other)]
    return RankAgreement(
        rho=spearman(one, other),
        tau=kendall(one, other),
        same_leader=bool(leaders[0] & leaders[1]),
        moved=tuple(float(step) for step in moved),
    )


@dataclass(frozen=True)
class RankStability:
    """Agreement of rankings between random halves of the tasks: the mean of rho with the percentiles of ``level``, the
    mean of tau, and how often the same competitor leads. Means are None where no split told competitors apart."""

    splits: int
    rho: float | None
    low: float | None
    high: float | None
    tau: float | None
    same_leader: float


def rank_stability(scores: ArrayLike, level: float = LEVEL, *, splits: int = 1000, seed: int = SEED) -> RankStability:
    """Halve the tasks at random ``splits`` times; ``scores`` is tasks by competitors, two of each at least."""
    table = np.asarray(scores, dtype=np.float64)
    tasks, competitors = table.shape
    if tasks < 2 or competitors < 2:
        raise ValueError("two tasks and two competitors at least are wanted")
    random = np.random.default_rng(seed)
    half = tasks // 2
    order = random.permuted(np.tile(np.arange(tasks), (splits, 1)), axis=1)
    chosen = np.zeros((splits, tasks))
    np.put_along_axis(chosen, order[:, :half], 1.0, axis=1)
    one = np.round(chosen @ table / half, 12)
    other = np.round((1 - chosen) @ table / (tasks - half), 12)
    found = [rank_agreement(left, right) for left, right in zip(one, other, strict=True)]
    rhos = [each.rho.r for each in found if each.rho.r is not None]
    taus = [each.tau for each in found if each.tau is not None]
    low, high = percentiles(np.array(rhos), level) if rhos else (None, None)
    return RankStability(
        splits=splits,
        rho=float(np.mean(rhos)) if rhos else None,
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        tau=float(np.mean(taus)) if taus else None,
        same_leader=float(np.mean([each.same_leader for each in found])),
    )

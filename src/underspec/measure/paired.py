"""Differences between two conditions on the same tasks, and the tests of whether there is any."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from underspec.measure.bootstrap import METHOD, RESAMPLES, SEED, bootstrap_mean, percentiles, resampled_means
from underspec.measure.interval import LEVEL, Interval, normal_quantile

Floats = NDArray[np.float64]

PAIRED_DEFAULT = "adjusted-paired"
_NOTHING = 1e-12
_EXACT_FLIPS = 14
_FLIPS_AT_ONCE = 2_000_000


def differences(first: ArrayLike, second: ArrayLike) -> Floats:
    """Second minus first, task by task; both have one mean a task, of the same tasks in the same order."""
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape:
        raise ValueError(f"the same tasks are wanted on both sides, not shapes {one.shape} and {other.shape}")
    gaps = other - one
    # Means of the same epochs in another order differ in their last bits; that is no difference.
    return np.where(np.abs(gaps) < _NOTHING, 0.0, gaps)


def adjusted_paired(first: ArrayLike, second: ArrayLike, level: float = LEVEL) -> Interval | None:
    """Interval of the mean of second minus first, 0 to 1 each: the default for differences, because it covers.

    One task is added on which either side is the better by as much as on any task seen, and the interval is the normal
    one about the mean of those. For one epoch of pass and fail that is Bonett and Price's adjusted Wald interval. Where
    hardly anything differs, what was added differs by nearly 1, as for the mean (:func:`clustered_wilson`). None with
    fewer than two tasks.

    Source: Bonett and Price (2012), "Adjusted Wald confidence interval for a difference of binomial proportions based
    on paired data". The step from pass and fail to rates is ours.
    """
    gaps = differences(first, second)
    if len(gaps) < 2:
        return None
    low, high = adjusted_paired_limits(gaps, level)
    return Interval(float(low), float(high), PAIRED_DEFAULT, level)


def adjusted_paired_limits(gaps: ArrayLike, level: float = LEVEL) -> tuple[Floats, Floats]:
    """:func:`adjusted_paired` of many samples of the same size at once, from differences of shape (tasks, ...)."""
    found = np.asarray(gaps, dtype=np.float64)
    tasks, size = len(found), np.abs(found)
    unseen = (1 - np.minimum(size.mean(axis=0), 1.0)) ** tasks
    added = (1 - unseen) * size.max(axis=0) + unseen
    mean = found.sum(axis=0) / (tasks + 2)
    variance = ((found**2).sum(axis=0) + 2 * added**2) / (tasks + 2) - mean**2
    half = normal_quantile(level) * np.sqrt(np.maximum(variance, 0) / (tasks + 2))
    return np.maximum(mean - half, -1.0), np.minimum(mean + half, 1.0)


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p-value that both pass equally often, from the tasks that only one of them passes.

    Source: McNemar (1947), with the binomial in place of chi-square. 1.0 where no task tells them apart.
    """
    from scipy import special

    if only_first < 0 or only_second < 0:
        raise ValueError("counts are 0 or more")
    both = only_first + only_second
    return float(min(1.0, 2 * special.bdtr(min(only_first, only_second), both, 0.5))) if both else 1.0


def mcnemar_mid(only_first: int, only_second: int) -> float:
    """The mid-p variant of :func:`mcnemar`, which is less conservative (Fagerland, Lydersen and Laake 2013)."""
    exact, both = mcnemar(only_first, only_second), only_first + only_second
    if not both:
        return 1.0
    here = math.comb(both, only_first) / (1 << both)
    return 1.0 - here / 2 if only_first == only_second else exact - here


def sign_test(first: ArrayLike, second: ArrayLike) -> float:
    """Exact two-sided p-value that as many tasks got better as got worse; ties count on neither side."""
    gaps = differences(first, second)
    return mcnemar(int((gaps < 0).sum()), int((gaps > 0).sum()))


def sign_flip_test(first: ArrayLike, second: ArrayLike, *, flips: int = RESAMPLES, seed: int = SEED) -> float:
    """Two-sided p-value that the mean difference is 0, by giving each task's difference either sign (Fisher 1935).

    Exact up to 14 tasks that differ; beyond, ``flips`` random assignments and the one seen (so never 0).
    """
    gaps = differences(first, second)
    gaps = gaps[gaps != 0]
    if not len(gaps):
        return 1.0
    # What is as far from 0 as what was seen counts, whatever the order of the sum made of the last bits.
    seen = abs(float(gaps.sum())) * (1 - _NOTHING)
    if len(gaps) <= _EXACT_FLIPS:
        bits = np.arange(2 ** len(gaps))[:, None] >> np.arange(len(gaps)) & 1
        return float(np.mean(np.abs((1 - 2.0 * bits) @ gaps) >= seen))
    random = np.random.default_rng(seed)
    block = max(1, _FLIPS_AT_ONCE // len(gaps))
    extreme = 0
    for start in range(0, flips, block):
        signs = random.integers(0, 2, size=(min(block, flips - start), len(gaps)), dtype=np.int8)
        extreme += int((np.abs((1 - 2.0 * signs) @ gaps) >= seen).sum())
    return (1 + extreme) / (1 + flips)


@dataclass(frozen=True)
class PairedDifference:
    """Second minus first on ``tasks`` matched tasks.

    ``interval`` is the default one and ``bootstrap`` the one that the papers publish; both None with fewer than two
    tasks. ``better`` and ``worse`` count tasks. ``p_sign_flip`` tests the mean, ``p_sign`` the counts; for pass and
    fail of one epoch the latter is McNemar's exact test.
    """

    tasks: int
    first: float
    second: float
    difference: float
    interval: Interval | None
    bootstrap: Interval | None
    better: int
    worse: int
    p_sign_flip: float
    p_sign: float


def paired_difference(
    first: ArrayLike, second: ArrayLike, level: float = LEVEL, *, resamples: int = RESAMPLES, seed: int = SEED
) -> PairedDifference:
    """Compare two scores of the same tasks, one mean a task each, 0 to 1.

    Raises:
        ValueError: there are no tasks, or not the same on both sides.
    """
    gaps = differences(first, second)
    if not len(gaps):
        raise ValueError("there are no tasks to compare")
    return PairedDifference(
        tasks=len(gaps),
        first=float(np.mean(np.asarray(first, dtype=np.float64))),
        second=float(np.mean(np.asarray(second, dtype=np.float64))),
        difference=float(gaps.mean()),
        interval=adjusted_paired(first, second, level),
        bootstrap=bootstrap_mean(gaps, level, resamples=resamples, seed=seed),
        better=int((gaps > 0).sum()),
        worse=int((gaps < 0).sum()),
        p_sign_flip=sign_flip_test(first, second, flips=resamples, seed=seed),
        p_sign=sign_test(first, second),
    )


@dataclass(frozen=True)
class GapClosed:
    """The share of the way from ``without`` to ``complete`` that ``standard`` has gone.

    ``share`` is None where there is no gap. ``undefined`` is the share of resamples in which there was none or it went
    the other way; the interval is of the others, and with many such it means little.
    """

    share: float | None
    interval: Interval | None
    undefined: float


def share_of_gap(without: float, standard: float, complete: float) -> float | None:
    """(standard - without) / (complete - without), as SWE-Clar 3.3; None where ``complete`` is no better."""
    return (standard - without) / (complete - without) if complete > without else None


def gap_closed(
    without: ArrayLike,
    standard: ArrayLike,
    complete: ArrayLike,
    level: float = LEVEL,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> GapClosed:
    """The same from the scores of the same tasks under three conditions, with a paired bootstrap interval."""
    table = np.column_stack([np.asarray(each, dtype=np.float64) for each in (without, standard, complete)])
    share = share_of_gap(*(float(mean) for mean in table.mean(axis=0)))
    if len(table) < 2 or share is None:
        return GapClosed(share, None, 1.0 if share is None else 0.0)
    means = resampled_means(table, resamples, seed)
    gap = means[:, 2] - means[:, 0]
    kept = gap > 0
    low, high = percentiles((means[kept, 1] - means[kept, 0]) / gap[kept], level)
    return GapClosed(share, Interval(float(low), float(high), METHOD, level), float(1 - kept.mean()))

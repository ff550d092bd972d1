"""Confidence intervals of means over tasks; tasks are what is sampled, and epochs lie within them (fault 47)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]

LEVEL = 0.95
DEFAULT = "clustered-wilson"
_VAST = 1e6


@dataclass(frozen=True)
class Interval:
    """From ``low`` to ``high``, which covers the true value in a share ``level`` of repetitions, made by ``method``."""

    low: float
    high: float
    method: str
    level: float = LEVEL

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def pair(self) -> list[float]:
        """``[low, high]``."""
        return [self.low, self.high]


def normal_quantile(level: float) -> float:
    """The z between whose negative and itself lies the share ``level`` of a normal distribution."""
    from scipy import special

    return float(special.ndtri((1 + level) / 2))


def t_quantile(level: float, freedom: float) -> float:
    """The same for Student's t; infinite where there are next to no degrees of freedom."""
    from scipy import special

    found = float(special.stdtrit(freedom, (1 + level) / 2))
    return found if 0 < found < _VAST else math.inf


def score_limits(rate: ArrayLike, size: ArrayLike, quantile: float) -> Limits:
    """Limits of Wilson's score interval for a rate seen in ``size`` trials, which need be no whole number.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference".
    """
    p, n = np.asarray(rate, dtype=np.float64), np.asarray(size, dtype=np.float64)
    share = quantile**2 / n
    middle = (p + share / 2) / (1 + share)
    half = np.sqrt(share * p * (1 - p) + share**2 / 4) / (1 + share)
    return np.where(p == 0, 0.0, np.clip(middle - half, 0, 1)), np.where(p == 1, 1.0, np.clip(middle + half, 0, 1))


def wilson(passed: int, total: int, level: float = LEVEL) -> Interval | None:
    """Wilson's score interval of a pass rate, for one epoch: ``passed`` of ``total`` independent tasks.

    None without tasks. Tasks that were tried more than once are no independent trials: see :func:`clustered_wilson`.
    """
    if not 0 <= passed <= total:
        raise ValueError(f"{passed} passed of {total}")
    if not total:
        return None
    low, high = score_limits(passed / total, total, normal_quantile(level))
    return Interval(float(low), float(high), "wilson", level)


def cluster_t(means: ArrayLike, weights: ArrayLike | None = None, level: float = LEVEL) -> Interval | None:
    """Cluster-robust t interval of the mean over tasks; ``means`` are tasks' means over their epochs, shape (tasks,).

    ``weights`` (such as tasks' numbers of cases) makes it the interval of the pooled rate, linearised. None with fewer
    than two tasks. It does not cover where few tasks are all that differ; :func:`clustered_wilson` does.

    Source: Miller (2024), "Adding error bars to evals", section 2.2; Liang and Zeger (1986).
    """
    return _single("cluster-t", cluster_t_limits(_one_a_task(means), weights, level), level)


def positive_t(means: ArrayLike, level: float = LEVEL) -> Interval | None:
    """Student's t interval of the mean of figures that are 0 or more and may exceed 1, such as ratios; shape (tasks,),
    none below 0. None with fewer than two tasks."""
    values = _one_a_task(means)
    if not np.all((values >= 0) & np.isfinite(values)):
        raise ValueError("figures must be 0 or more")
    if len(values) < 2:
        return None
    half = t_quantile(level, len(values) - 1) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Interval(max(0.0, float(values.mean()) - half), float(values.mean()) + half, "t", level)


def clustered_wilson(means: ArrayLike, weights: ArrayLike | None = None, level: float = LEVEL) -> Interval | None:
    """Wilson's interval at the effective number of tasks: the default, because it covers (docs/statistics.md).

    ``means`` are tasks' means over their epochs, 0 to 1, shape (tasks,); None with fewer than two tasks. ``weights``
    (such as tasks' numbers of cases) makes it the interval of the pooled rate.

    The effective number is p(1-p) over the cluster-robust variance of the mean, and Student's t takes the place of z.
    With one epoch and tasks that pass or fail that is n-1, and never less. The variance is drawn towards that of
    all-or-nothing tasks by (1-p)^n (or p^n), the chance that n tasks show none of a kind that has the whole mean: when
    next to nothing passed, what passed says nothing of how tasks vary.

    Source: Dean and Pagano (2015), "Evaluating confidence interval methods for binomial proportions in clustered
    surveys"; Korn and Graubard (1998) for the effective size. The shrinkage is ours.
    """
    return _single(DEFAULT, clustered_wilson_limits(_one_a_task(means), weights, level), level)


def cluster_t_limits(means: ArrayLike, weights: ArrayLike | None = None, level: float = LEVEL) -> Limits | None:
    """:func:`cluster_t` of many samples of the same size at once; shape (tasks, ...) to limits of shape (...)."""
    spread = _spread(means, weights)
    if spread is None:
        return None
    half = np.where(spread.variance > 0, t_quantile(level, spread.size - 1), 0.0) * np.sqrt(spread.variance)
    return spread.mean - half, spread.mean + half


def clustered_wilson_limits(means: ArrayLike, weights: ArrayLike | None = None, level: float = LEVEL) -> Limits | None:
    """:func:`clustered_wilson` of many samples of the same size at once; (tasks, ...) to limits of shape (...)."""
    spread = _spread(means, weights)
    if spread is None:
        return None
    p, size = spread.mean, spread.size
    quantile = t_quantile(level, size - 1)
    if math.isinf(quantile):
        return np.zeros_like(p), np.ones_like(p)
    most = p * (1 - p) / (size - 1)
    unseen = (1 - np.minimum(p, 1 - p)) ** size
    variance = (1 - unseen) * spread.variance + unseen * most
    # Nothing or everything passed: as many tasks as there are. A great many tasks, and all the same: they are certain.
    certain = (variance == 0) & (most > 0)
    effective = np.divide(p * (1 - p), variance, out=np.full_like(p, size - 1), where=(variance > 0) & (most > 0))
    low, high = score_limits(p, effective, quantile)
    return np.where(certain, p, low), np.where(certain, p, high)


def _single(method: str, limits: Limits | None, level: float) -> Interval | None:
    return None if limits is None else Interval(float(limits[0]), float(limits[1]), method, level)


def _one_a_task(means: ArrayLike) -> Floats:
    values = np.asarray(means, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"one mean a task is wanted, not an array of shape {values.shape}")
    return values


@dataclass(frozen=True)
class _Spread:
    """Weighted mean, its cluster-robust variance, and the number of equal tasks that the weights are worth (Kish)."""

    mean: Floats
    variance: Floats
    size: float


def _spread(means: ArrayLike, weights: ArrayLike | None) -> _Spread | None:
    values = np.asarray(means, dtype=np.float64)
    if not np.all((values >= 0) & (values <= 1)):
        raise ValueError("means of tasks must lie between 0 and 1")
    given = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape != values.shape[:1] or np.any(given < 0):
        raise ValueError("one weight of 0 or more a task is wanted")
    values, given = values[given > 0], given[given > 0]
    tasks = len(values)
    if tasks < 2:
        return None
    share = given / given.sum()
    # Rounding must not take a mean of equal values from them: 0 and 1 are told apart from what is next to them.
    mean = np.where(np.ptp(values, axis=0) == 0, values[0], np.tensordot(share, values, axes=1))
    variance = tasks / (tasks - 1) * np.tensordot(share**2, (values - mean) ** 2, axes=1)
    return _Spread(np.clip(mean, 0, 1), variance, float(1 / np.sum(share**2)))

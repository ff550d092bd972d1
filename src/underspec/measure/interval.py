"""Confidence intervals of means over tasks; tasks are what is sampled, and epochs lie within them (fault 47)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

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


def score_limits(rate: ArrayLike, size: ArrayLike, quantile: float) -> tuple[Floats, Floats]:
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
    spread = _spread(means, weights)
    if spread is None:
        return None
    quantile = t_quantile(level, spread.size - 1)
    half = quantile * math.sqrt(spread.variance) if spread.variance else 0.0
    return Interval(spread.mean - half, spread.mean + half, "cluster-t", level)


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
    spread = _spread(means, weights)
    if spread is None:
        return None
    p, size = spread.mean, spread.size
    quantile = t_quantile(level, size - 1)
    if math.isinf(quantile):
        return Interval(0.0, 1.0, DEFAULT, level)
    most = p * (1 - p) / (size - 1)
    unseen = (1 - min(p, 1 - p)) ** size
    variance = (1 - unseen) * spread.variance + unseen * most
    if not most:
        effective = size - 1
    elif not variance:  # a great many tasks, and all the same
        return Interval(p, p, DEFAULT, level)
    else:
        effective = p * (1 - p) / variance
    low, high = score_limits(p, effective, quantile)
    return Interval(float(low), float(high), DEFAULT, level)


@dataclass(frozen=True)
class _Spread:
    """Weighted mean, its cluster-robust variance, and the number of equal tasks that the weights are worth (Kish)."""

    mean: float
    variance: float
    size: float


def _spread(means: ArrayLike, weights: ArrayLike | None) -> _Spread | None:
    values = np.asarray(means, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"one mean a task is wanted, not an array of shape {values.shape}")
    if not np.all((values >= 0) & (values <= 1)):
        raise ValueError("means of tasks must lie between 0 and 1")
    given = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape != values.shape or np.any(given < 0):
        raise ValueError("one weight of 0 or more a task is wanted")
    values, given = values[given > 0], given[given > 0]
    tasks = len(values)
    if tasks < 2:
        return None
    share = given / given.sum()
    # Rounding must not take a mean of equal values from them: 0 and 1 are told apart from what is next to them.
    mean = float(values[0]) if np.ptp(values) == 0 else float(share @ values)
    variance = float(tasks / (tasks - 1) * np.sum((share * (values - mean)) ** 2))
    return _Spread(min(max(mean, 0.0), 1.0), variance, float(1 / np.sum(share**2)))

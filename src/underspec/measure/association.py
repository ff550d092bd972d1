"""Correlation between two measures of the same things, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from underspec.measure.interval import LEVEL, Interval, normal_quantile

Floats = NDArray[np.float64]
_Spread = Callable[[float], float]


@dataclass(frozen=True)
class Correlation:
    """``r`` over ``pairs``, -1 to 1.

    ``r`` is None where either side does not vary or there are fewer than two pairs; ``interval`` is None with fewer
    than four pairs and where ``r`` is exactly -1 or 1, of which the transformation makes nothing.
    """

    r: float | None
    pairs: int
    interval: Interval | None


def pearson(first: ArrayLike, second: ArrayLike, level: float = LEVEL) -> Correlation:
    """Pearson's r with Fisher's z interval, standard error 1/sqrt(n-3). Source: Fisher (1921)."""
    one, other = _pairs(first, second)
    return _correlation(_pearson(one, other), len(one), lambda _r: 1.0, "fisher-z", level)


def spearman(first: ArrayLike, second: ArrayLike, level: float = LEVEL) -> Correlation:
    """Spearman's rho (ties get their mean rank) with Bonett and Wright's interval, variance (1 + r²/2)/(n-3).

    Source: Bonett and Wright (2000), "Sample size requirements for estimating Pearson, Kendall and Spearman
    correlations".
    """
    one, other = _pairs(first, second)
    rho = _pearson(mean_ranks(one), mean_ranks(other))
    return _correlation(rho, len(one), lambda r: 1 + r**2 / 2, "bonett-wright", level)


def mean_ranks(values: ArrayLike) -> Floats:
    """Ranks from 1 for the least; equal values share the mean of their ranks. Shape (n,) to (n,)."""
    given = np.asarray(values, dtype=np.float64)
    _sorted, place, count = np.unique(given, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place], dtype=np.float64)


def kendall(first: ArrayLike, second: ArrayLike) -> float | None:
    """Kendall's tau-b, -1 to 1; None where either side does not vary. Source: Kendall (1945)."""
    one, other = _pairs(first, second)
    signs = [np.sign(side[:, None] - side[None, :]) for side in (one, other)]
    scale = math.sqrt(float((signs[0] ** 2).sum()) * float((signs[1] ** 2).sum()))
    return float((signs[0] * signs[1]).sum()) / scale if scale else None


def _pairs(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape:
        raise ValueError(f"two lists of the same length are wanted, not shapes {one.shape} and {other.shape}")
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise ValueError("a value is missing or infinite")
    return one, other


def _pearson(one: Floats, other: Floats) -> float | None:
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    left, right = one - one.mean(), other - other.mean()
    left, right = left / np.abs(left).max(), right / np.abs(right).max()
    r = float(left @ right / math.sqrt(float(left @ left) * float(right @ right)))
    return min(max(r, -1.0), 1.0)


def _correlation(r: float | None, pairs: int, spread: _Spread, method: str, level: float) -> Correlation:
    if r is None or pairs < 4 or abs(r) > 1 - 1e-12:
        return Correlation(r, pairs, None)
    half = normal_quantile(level) * math.sqrt(spread(r) / (pairs - 3))
    middle = math.atanh(r)
    return Correlation(r, pairs, Interval(math.tanh(middle - half), math.tanh(middle + half), method, level))

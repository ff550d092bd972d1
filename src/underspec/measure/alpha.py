"""Krippendorff's alpha: agreement of any number of raters, some of whom may have left subjects out."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from underspec.measure.agreement import Coefficient
from underspec.measure.bootstrap import RESAMPLES, SEED, percentiles, resampled_sums
from underspec.measure.interval import LEVEL, Interval

Floats = NDArray[np.float64]
Metric = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(ratings: ArrayLike, metric: Metric, level: float = LEVEL) -> Coefficient:
    """Alpha of a table of subjects by raters with NaN where there is no rating; values are numbers, shape (n, k).

    Subjects that fewer than two raters rated say nothing of agreement and are left out. None where all values are the
    same. The interval resamples subjects; None with fewer than three.

    Source: Krippendorff (2011), "Computing Krippendorff's alpha-reliability"; Hayes and Krippendorff (2007) for
    resampling.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"a table of subjects by raters is wanted, not an array of shape {table.shape}")
    table = table[(~np.isnan(table)).sum(axis=1) >= 2]
    if not len(table):
        return Coefficient(None)
    parts = _interval_parts(table) if metric == "interval" else _coincidences(table)
    alpha = _interval_alpha if metric == "interval" else _nominal_alpha if metric == "nominal" else _ordinal_alpha
    value = float(alpha(parts.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        return Coefficient(None)
    if len(table) < 3 or value >= 1 - 1e-12:
        return Coefficient(min(value, 1.0))
    low, high = percentiles(alpha(resampled_sums(parts, RESAMPLES, SEED)), level)
    return Coefficient(value, Interval(float(low), float(high), "subject-bootstrap", level))


def _interval_parts(table: Floats) -> Floats:
    """Of each subject: number, sum and sum of squares of its values, and their squared differences over m-1."""
    known = ~np.isnan(table)
    # Alpha of intervals does not change with the zero point, and sums of squares lose less near it.
    values = np.where(known, table - table[known].mean(), 0.0)
    number, total, squares = known.sum(axis=1).astype(np.float64), values.sum(axis=1), (values**2).sum(axis=1)
    apart = 2 * (number * squares - total**2) / (number - 1)
    return np.column_stack([number, total, squares, apart])


def _interval_alpha(sums: Floats) -> Floats:
    number, total, squares, apart = sums.T
    expected = 2 * (number * squares - total**2)
    defined = expected > 1e-9 * np.maximum(number * squares, 1e-300)
    found = np.full(len(sums), np.nan)
    found[defined] = 1 - (number[defined] - 1) * apart[defined] / expected[defined]
    return found


def _coincidences(table: Floats) -> Floats:
    """Each subject's coincidence matrix over the values that there are, in their order, as one row."""
    known = ~np.isnan(table)
    values = np.unique(table[known])
    counts = np.stack([(table == value).sum(axis=1) for value in values], axis=1).astype(np.float64)
    pairs = counts[:, :, None] * counts[:, None, :]
    place = np.arange(len(values))
    pairs[:, place, place] -= counts
    return np.asarray((pairs / (counts.sum(axis=1) - 1)[:, None, None]).reshape(len(table), -1))


def _nominal_alpha(sums: Floats) -> Floats:
    coincidences, by_value = _matrices(sums)
    size = coincidences.shape[1]
    return _alpha(coincidences, by_value, np.broadcast_to(1 - np.eye(size), coincidences.shape))


def _ordinal_alpha(sums: Floats) -> Floats:
    coincidences, by_value = _matrices(sums)
    # How many values lie between two, half of the two themselves counted.
    middle = np.cumsum(by_value, axis=1) - by_value / 2
    return _alpha(coincidences, by_value, (middle[:, :, None] - middle[:, None, :]) ** 2)


def _matrices(sums: Floats) -> tuple[Floats, Floats]:
    size = round(sums.shape[1] ** 0.5)
    coincidences = sums.reshape(-1, size, size)
    return coincidences, coincidences.sum(axis=2)


def _alpha(coincidences: Floats, by_value: Floats, distance: Floats) -> Floats:
    number = by_value.sum(axis=1)
    seen = (coincidences * distance).sum(axis=(1, 2))
    expected = (by_value[:, :, None] * by_value[:, None, :] * distance).sum(axis=(1, 2))
    defined = expected > 0
    found = np.full(len(number), np.nan)
    found[defined] = 1 - (number[defined] - 1) * seen[defined] / expected[defined]
    return found

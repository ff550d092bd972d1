"""The percentile bootstrap over tasks, as the papers publish it (SWE-Clar Table 2, C.2; Efron 1979)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from underspec.measure.interval import LEVEL, Interval

Floats = NDArray[np.float64]

RESAMPLES = 10_000
SEED = 0
METHOD = "task-bootstrap"
_DRAWS_AT_ONCE = 1_000_000


def resample_counts(tasks: int, resamples: int = RESAMPLES, seed: int = SEED) -> Iterator[Floats]:
    """How often each task is in each resample: blocks of shape (some resamples, tasks), each row summing to ``tasks``.

    Everything that is measured on the same tasks must use the same counts: that pairs it.
    """
    random = np.random.default_rng(seed)
    block = max(1, _DRAWS_AT_ONCE // max(tasks, 1))
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = random.integers(0, tasks, size=(rows, tasks), dtype=np.int64)
        drawn += np.arange(rows, dtype=np.int64)[:, None] * tasks
        yield np.bincount(drawn.ravel(), minlength=rows * tasks).reshape(rows, tasks).astype(np.float64)


def resampled_sums(values: ArrayLike, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Sums over each resample's tasks; shape (tasks, columns) to (resamples, columns).

    All columns see the same tasks in each resample.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or not len(table):
        raise ValueError(f"a table of tasks by columns is wanted, not an array of shape {table.shape}")
    return np.concatenate([counts @ table for counts in resample_counts(len(table), resamples, seed)])


def resampled_means(values: ArrayLike, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Macro-averages of each resample; shape (tasks, columns) to (resamples, columns)."""
    return resampled_sums(values, resamples, seed) / len(np.asarray(values))


def percentiles(statistics: ArrayLike, level: float = LEVEL) -> Floats:
    """The two percentiles that leave ``level`` between them; shape (resamples, ...) to (2, ...). NaN is left out."""
    table = np.asarray(statistics, dtype=np.float64)
    ends = [(1 - level) / 2, (1 + level) / 2]
    return np.asarray(
        np.nanquantile(table, ends, axis=0) if np.isnan(table).any() else np.quantile(table, ends, axis=0)
    )


def bootstrap_means(
    values: ArrayLike, level: float = LEVEL, *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[Interval]:
    """Intervals of the macro-averages of each column of a table of tasks by columns (models, conditions)."""
    low, high = percentiles(resampled_means(values, resamples, seed), level)
    return [Interval(float(one), float(other), METHOD, level) for one, other in zip(low, high, strict=True)]


def bootstrap_mean(
    values: ArrayLike, level: float = LEVEL, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval | None:
    """Interval of the macro-average of one score a task; None with fewer than two tasks."""
    column = np.asarray(values, dtype=np.float64)
    if len(column) < 2:
        return None
    return bootstrap_means(column[:, None], level, resamples=resamples, seed=seed)[0]


def bootstrap_pooled(
    passed: ArrayLike, total: ArrayLike, level: float = LEVEL, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval | None:
    """Interval of the case-pooled rate; ``passed`` and ``total`` are each task's cases over its epochs.

    None with fewer than two tasks that have cases.
    """
    done, cases = np.asarray(passed, dtype=np.float64), np.asarray(total, dtype=np.float64)
    kept = cases > 0
    if kept.sum() < 2:
        return None
    sums = resampled_sums(np.column_stack([done[kept], cases[kept]]), resamples, seed)
    low, high = percentiles(sums[:, 0] / sums[:, 1], level)
    return Interval(float(low), float(high), METHOD, level)

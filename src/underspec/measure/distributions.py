"""How numbers are spread: what a data set is made of (ICAE Table V, Figures 4 and 5; SWE-Clar Figure 3), and what
runs take (ICAE Figure 11)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from underspec.measure.bootstrap import bootstrap_mean
from underspec.measure.interval import LEVEL, Interval
from underspec.measure.scores import TaskScores

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Summary:
    """``number`` values: the least, quartiles and greatest, their mean and sum; None where there are none.

    ``missing`` are those of which nothing is known: they are in no figure.
    """

    number: int
    missing: int
    least: float | None
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None
    greatest: float | None
    mean: float | None
    total: float


def describe(values: Iterable[float | None]) -> Summary:
    """Summarise token lengths, lines of code, files, seconds or dollars."""
    listed = list(values)
    known = np.array([value for value in listed if value is not None], dtype=np.float64)
    missing = len(listed) - len(known)
    if not len(known):
        return Summary(0, missing, None, None, None, None, None, None, 0.0)
    least, lower, median, upper, greatest = (float(end) for end in np.quantile(known, [0, 0.25, 0.5, 0.75, 1]))
    total = math.fsum(known.tolist())
    return Summary(len(known), missing, least, lower, median, upper, greatest, total / len(known), total)


def describe_columns(rows: Iterable[Mapping[str, float | None]]) -> dict[str, Summary]:
    """Table V: a summary of each figure that any task has (its documents' tokens, golden files, golden lines, ...)."""
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)
    return {name: describe(row.get(name) for row in listed) for name in names}


def counts_by_group(groups: Iterable[str]) -> dict[str, int]:
    """How many tasks are in each group, the largest first, equals by name (ICAE Figure 4, SWE-Clar Figure 3)."""
    counts = Counter(groups)
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


@dataclass(frozen=True)
class Histogram:
    """``counts[i]`` values from ``edges[i]`` up to, and without, ``edges[i+1]``; the last bin has its end too."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


def histogram(values: ArrayLike, edges: Sequence[float]) -> Histogram:
    """Count values between edges.

    Raises:
        ValueError: a value lies outside them, which a figure would not show.
    """
    given = np.asarray(values, dtype=np.float64)
    if len(given) and (given.min() < edges[0] or given.max() > edges[-1]):
        raise ValueError(f"a value lies outside {edges[0]} to {edges[-1]}")
    counts, _edges = np.histogram(given, bins=np.asarray(edges, dtype=np.float64))
    return Histogram(tuple(float(edge) for edge in edges), tuple(int(count) for count in counts))


def log_histogram(values: ArrayLike, per_decade: int = 2) -> Histogram:
    """Bins of the same width in the logarithm, from the decade of the least to that of the greatest (ICAE Figure 5).

    Raises:
        ValueError: a value is not above 0.
    """
    given = np.asarray(values, dtype=np.float64)
    if np.any(given <= 0):
        raise ValueError("a logarithm wants values above 0")
    if not len(given):
        return Histogram((), ())
    first = math.floor(math.log10(given.min()) + 1e-12)
    last = max(math.ceil(math.log10(given.max()) - 1e-12), first + 1)
    edges = 10.0 ** np.linspace(first, last, (last - first) * per_decade + 1)
    return histogram(given, edges.tolist())


@dataclass(frozen=True)
class Usage:
    """What an item takes: the mean over tasks of each task's mean, with a task-bootstrap interval, and the spread over
    items. ``mean`` is None where any item's figure is unknown, since unknown is not 0; ``known_mean`` leaves those
    out."""

    mean: float | None
    known_mean: float | None
    interval: Interval | None
    items: Summary


def usage(taken: Iterable[tuple[str, float | None]], level: float = LEVEL) -> Usage:
    """Seconds, tokens or dollars of ``(task, value)`` items (ICAE V-C, Figure 11; SWE-Clar Table 5)."""
    listed = list(taken)
    scores = TaskScores.of(listed)
    items = describe(value for _task, value in listed)
    return Usage(
        mean=None if items.missing else scores.mean,
        known_mean=scores.mean,
        interval=bootstrap_mean(scores.means, level),
        items=items,
    )

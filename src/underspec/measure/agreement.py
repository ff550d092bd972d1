"""Agreement between raters: of a critic's scores with people's, of a judge's labels with theirs, of people with each
other (ICAE V-B and Table XVI; SWE-Clar B.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from underspec.measure.association import Correlation, pearson
from underspec.measure.bootstrap import METHOD, RESAMPLES, SEED, percentiles, resampled_sums
from underspec.measure.interval import LEVEL, Interval, normal_quantile

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement, 1 being perfect. ``value`` is None where nothing varies, so that it is not defined;
    ``interval`` is None there, and where agreement is perfect."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True)
class IntraclassCorrelations:
    """``consistency`` is ICC(C,1), ``absolute`` ICC(A,1): of a single rater. ``mean_consistency`` ICC(C,k) and
    ``mean_absolute`` ICC(A,k) are of the mean of all ``raters``. ``subjects`` were rated by all of them."""

    subjects: int
    raters: int
    consistency: Coefficient
    absolute: Coefficient
    mean_consistency: float | None
    mean_absolute: float | None


def intraclass_correlations(ratings: ArrayLike, level: float = LEVEL) -> IntraclassCorrelations:
    """Two-way intraclass correlations of a table of subjects by raters, shape (n, k); rows with NaN are left out.

    Consistency asks whether raters order and space subjects alike, absolute agreement whether they give the same
    scores; in Shrout and Fleiss's naming these are ICC(3,1) and ICC(2,1).

    Source: McGraw and Wong (1996), "Forming inferences about some intraclass correlation coefficients", Tables 4 and 7;
    Shrout and Fleiss (1979), "Intraclass correlations: uses in assessing rater reliability".
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"a table of subjects by raters is wanted, not an array of shape {table.shape}")
    table = table[~np.isnan(table).any(axis=1)]
    subjects, raters = table.shape
    nothing = Coefficient(None)
    if subjects < 2 or raters < 2:
        return IntraclassCorrelations(subjects, raters, nothing, nothing, None, None)
    squares = _mean_squares(table)
    rows, columns, error = squares
    within = rows + (raters - 1) * error
    total = within + raters / subjects * (columns - error)
    if within <= 0 or total <= 0:
        return IntraclassCorrelations(subjects, raters, nothing, nothing, None, None)
    consistency, absolute = (rows - error) / within, (rows - error) / total
    averaged = rows + (columns - error) / subjects
    exact = error <= rows * 1e-14
    return IntraclassCorrelations(
        subjects,
        raters,
        Coefficient(consistency, None if exact else _consistency_interval(squares, subjects, raters, level)),
        Coefficient(absolute, None if exact else _absolute_interval(squares, absolute, subjects, raters, level)),
        (rows - error) / rows if rows > 0 else None,
        (rows - error) / averaged if averaged > 0 else None,
    )


def _mean_squares(table: Floats) -> tuple[float, float, float]:
    """Mean squares between subjects, between raters, and of what is left."""
    subjects, raters = table.shape
    middle = table.mean()
    by_subject, by_rater = table.mean(axis=1), table.mean(axis=0)
    rows = raters * float(((by_subject - middle) ** 2).sum()) / (subjects - 1)
    columns = subjects * float(((by_rater - middle) ** 2).sum()) / (raters - 1)
    rest = table - by_subject[:, None] - by_rater[None, :] + middle
    error = float((rest**2).sum()) / ((subjects - 1) * (raters - 1))
    scale = float(np.abs(table).max()) or 1.0
    # What rounding leaves of equal ratings is nothing.
    return rows, columns, 0.0 if error < (scale * 1e-12) ** 2 else error


def _f_quantile(level: float, first: float, second: float) -> float:
    from scipy import special

    return float(special.fdtri(first, second, (1 + level) / 2))


def _consistency_interval(squares: tuple[float, float, float], subjects: int, raters: int, level: float) -> Interval:
    ratio, first = squares[0] / squares[2], subjects - 1
    second = first * (raters - 1)
    low, high = ratio / _f_quantile(level, first, second), ratio * _f_quantile(level, second, first)
    return Interval((low - 1) / (low + raters - 1), (high - 1) / (high + raters - 1), "mcgraw-wong", level)


def _absolute_interval(
    squares: tuple[float, float, float], value: float, subjects: int, raters: int, level: float
) -> Interval | None:
    rows, columns, error = squares
    if value >= 1:
        return None
    one = raters * value / (subjects * (1 - value))
    other = 1 + raters * value * (subjects - 1) / (subjects * (1 - value))
    spread = (one * columns) ** 2 / (raters - 1) + (other * error) ** 2 / ((subjects - 1) * (raters - 1))
    if spread <= 0:
        return None
    freedom = (one * columns + other * error) ** 2 / spread
    if freedom <= 0:
        return None
    rest = raters * columns + (raters * subjects - raters - subjects) * error
    lower, upper = _f_quantile(level, subjects - 1, freedom), _f_quantile(level, freedom, subjects - 1)
    low = subjects * (rows - lower * error) / (lower * rest + subjects * rows)
    high = subjects * (upper * rows - error) / (rest + subjects * upper * rows)
    return Interval(max(low, -1.0), min(high, 1.0), "mcgraw-wong", level)


@dataclass(frozen=True)
class ScoreAgreement:
    """How one rater's scores go with another's, of the same ``pairs`` subjects, in the scores' own unit.

    ``bias`` is the mean of the first less the second. ``by_task`` is the interval of Pearson's r by resampling tasks,
    which counts that subjects of one task are alike; ``pearson``'s own takes them as independent.
    """

    pairs: int
    pearson: Correlation
    by_task: Interval | None
    mae: float | None
    rmse: float | None
    bias: float | None
    icc: IntraclassCorrelations


def score_agreement(
    first: ArrayLike, second: ArrayLike, tasks: Sequence[str] | None = None, level: float = LEVEL
) -> ScoreAgreement:
    """Compare two lists of scores; see :class:`ScoreAgreement`. ``tasks`` names each subject's task."""
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    found = pearson(one, other, level)
    apart = one - other
    return ScoreAgreement(
        pairs=len(one),
        pearson=found,
        by_task=None if tasks is None or found.r is None else _pearson_by_task(one, other, tasks, level),
        mae=float(np.abs(apart).mean()) if len(one) else None,
        rmse=math.sqrt(float((apart**2).mean())) if len(one) else None,
        bias=float(apart.mean()) if len(one) else None,
        icc=intraclass_correlations(np.column_stack([one, other]), level),
    )


def _pearson_by_task(one: Floats, other: Floats, tasks: Sequence[str], level: float) -> Interval | None:
    left, right = one - one.mean(), other - other.mean()
    columns = np.column_stack([np.ones_like(left), left, right, left * left, right * right, left * right])
    sums = _summed(columns, tasks)
    if len(sums) < 3:
        return None
    n, x, y, xx, yy, xy = resampled_sums(sums, RESAMPLES, SEED).T
    # Differences of sums, in which equal values leave something of rounding.
    spread_x, spread_y = n * xx - x * x, n * yy - y * y
    usable = (spread_x > 1e-9 * n * xx) & (spread_y > 1e-9 * n * yy)
    if not usable.any():
        return None
    r = np.full_like(n, np.nan)
    r[usable] = (n * xy - x * y)[usable] / np.sqrt(spread_x[usable] * spread_y[usable])
    low, high = percentiles(np.clip(r, -1, 1), level)
    return Interval(float(low), float(high), METHOD, level)


def _summed(columns: Floats, tasks: Sequence[str]) -> Floats:
    """Rows of the same task summed; shape (n, columns) to (tasks, columns)."""
    if len(tasks) != len(columns):
        raise ValueError(f"{len(tasks)} tasks for {len(columns)} subjects")
    names, place = np.unique(np.asarray(tasks, dtype=object).astype(str), return_inverse=True)
    sums = np.zeros((len(names), columns.shape[1]))
    np.add.at(sums, place, columns)
    return sums


Weighting = Literal["none", "linear", "quadratic"]


def confusion_matrix(first: Sequence[str], second: Sequence[str], labels: Sequence[str]) -> list[list[int]]:
    """How often the first rater gave each label (rows) where the second gave each (columns), in the order of labels.

    Raises:
        ValueError: the lists differ in length, or hold another label.
    """
    place = {label: number for number, label in enumerate(labels)}
    counts = [[0] * len(labels) for _ in labels]
    for one, other in zip(first, second, strict=True):
        if one not in place or other not in place:
            raise ValueError(f"{one if one not in place else other!r} is none of the labels {', '.join(labels)}")
        counts[place[one]][place[other]] += 1
    return counts


def weights_of(labels: int, weighting: Weighting) -> Floats:
    """Agreement credited to each pair of ordered labels, 0 to 1; shape (labels, labels).

    Source: Cicchetti and Allison (1971) for linear, Fleiss and Cohen (1973) for quadratic weights.
    """
    apart = np.abs(np.subtract.outer(np.arange(labels), np.arange(labels))).astype(np.float64)
    if weighting == "none" or labels < 2:
        return np.asarray(apart == 0, dtype=np.float64)
    return np.asarray(1 - (apart / (labels - 1)) ** (1 if weighting == "linear" else 2))


def cohen_kappa(confusion: ArrayLike, weights: ArrayLike | None = None, level: float = LEVEL) -> Coefficient:
    """Cohen's kappa of a confusion matrix, weighted where ``weights`` say what agreement each cell is worth.

    The interval is the large-sample one. None where both raters gave one and the same label throughout.

    Source: Cohen (1960, 1968); Fleiss, Cohen and Everitt (1969), "Large sample standard errors of kappa and weighted
    kappa".
    """
    counts = np.asarray(confusion, dtype=np.float64)
    credit = np.eye(len(counts)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = float(counts.sum())
    if not total:
        return Coefficient(None)
    shares = counts / total
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    seen, chance = float((credit * shares).sum()), float(rows @ credit @ columns)
    if chance >= 1 - 1e-12:
        return Coefficient(None)
    kappa = (seen - chance) / (1 - chance)
    marginal = (credit @ columns)[:, None] + (rows @ credit)[None, :]
    variance = float((shares * (credit - marginal * (1 - kappa)) ** 2).sum()) - (kappa - chance * (1 - kappa)) ** 2
    error = math.sqrt(max(variance, 0.0) / total) / (1 - chance)
    if kappa >= 1 - 1e-12 or error < 1e-12:
        return Coefficient(min(kappa, 1.0))
    half = normal_quantile(level) * error
    return Coefficient(kappa, Interval(max(kappa - half, -1.0), min(kappa + half, 1.0), "fleiss-cohen-everitt", level))


def kappa_by_task(
    first: Sequence[str],
    second: Sequence[str],
    labels: Sequence[str],
    tasks: Sequence[str],
    weights: ArrayLike | None = None,
    level: float = LEVEL,
) -> Interval | None:
    """The interval of Cohen's kappa by resampling tasks, whose answers are alike; None with fewer than three tasks."""
    size = len(labels)
    place = {label: number for number, label in enumerate(labels)}
    cells = np.zeros((len(first), size * size))
    pairs = zip(first, second, strict=True)
    cells[np.arange(len(first)), [place[one] * size + place[other] for one, other in pairs]] = 1
    sums = _summed(cells, tasks)
    if len(sums) < 3:
        return None
    counts = resampled_sums(sums, RESAMPLES, SEED).reshape(-1, size, size)
    shares = counts / counts.sum(axis=(1, 2), keepdims=True)
    credit = np.eye(size) if weights is None else np.asarray(weights, dtype=np.float64)
    seen = (shares * credit).sum(axis=(1, 2))
    chance = np.einsum("ri,ij,rj->r", shares.sum(axis=2), credit, shares.sum(axis=1))
    kappa = np.full_like(seen, np.nan)
    usable = chance < 1 - 1e-12
    if not usable.any():
        return None
    kappa[usable] = (seen[usable] - chance[usable]) / (1 - chance[usable])
    low, high = percentiles(kappa, level)
    return Interval(float(low), float(high), METHOD, level)

"""Correction for many comparisons: p-values adjusted so that each may be read against the level itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def holm(p_values: ArrayLike) -> Floats:
    """Adjusted p-values that bound the chance of any false claim, whatever hangs together; shape (n,) to (n,).

    Source: Holm (1979), "A simple sequentially rejective multiple test procedure".
    """
    values = _checked(p_values)
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    return _restored(np.minimum(np.maximum.accumulate(steps), 1.0), order)


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Adjusted p-values that bound the expected share of false claims, for independent or positively dependent tests.

    Source: Benjamini and Hochberg (1995), "Controlling the false discovery rate".
    """
    values = _checked(p_values)
    order = np.argsort(values, kind="stable")
    steps = values[order] * len(values) / np.arange(1, len(values) + 1)
    return _restored(np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0), order)


def _checked(p_values: ArrayLike) -> Floats:
    values = np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1 or not np.all((values >= 0) & (values <= 1)):
        raise ValueError("a list of values between 0 and 1 is wanted")
    return values


def _restored(sorted_values: Floats, order: NDArray[np.intp]) -> Floats:
    found = np.empty_like(sorted_values)
    found[order] = sorted_values
    return found

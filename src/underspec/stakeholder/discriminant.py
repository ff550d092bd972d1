"""Linear discriminant analysis with few examples: which record's phrases is a question's vector nearest to?

A record's trigger phrases and the sentences of its response are examples of one class. What varies within the classes
says which directions do not matter; distances are measured after taking that out (Fisher 1936, with the shrinkage of
Friedman 1989 since there are fewer examples than dimensions).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from underspec.stakeholder.encoders import Matrix, Vector, unit


class Discriminant:
    """Scores n classes; made from the vectors of their examples."""

    def __init__(self, examples: Sequence[tuple[Matrix, Matrix]], *, second: float, shrinkage: float) -> None:
        """``examples``: for each class, vectors that count 1 and vectors that count ``second``. ``shrinkage``: 0 to 1,
        how much the spread within classes is taken to be the same in all directions."""
        means, spread, total = [], [], 0.0
        for first, rest in examples:
            vectors = np.concatenate([first, rest]).astype(np.float64)
            weights = np.array([1.0] * len(first) + [second] * len(rest))
            mean = np.average(vectors, axis=0, weights=weights)
            means.append(mean)
            spread.append((vectors - mean) * np.sqrt(weights)[:, None])
            total += weights.sum()
        within = np.concatenate(spread)
        covariance = within.T @ within / total
        size = len(covariance)
        mass = np.trace(covariance) / size or 1.0
        shrunk = (1 - shrinkage) * covariance + shrinkage * mass * np.eye(size)
        values, axes = np.linalg.eigh(shrunk)
        whitening = axes / np.sqrt(np.maximum(values, 1e-9))
        centres = np.array(means)
        self._origin: NDArray[np.float32] = centres.mean(axis=0).astype(np.float32)
        self._whitening: NDArray[np.float32] = whitening.astype(np.float32)
        turned: Matrix = np.asarray((centres - centres.mean(axis=0)) @ whitening, dtype=np.float32)
        self._centres = unit(turned)

    def __call__(self, vector: Vector) -> Vector:
        """How near the vector is to each class: cosines, -1 to 1."""
        turned: Vector = np.asarray((vector - self._origin) @ self._whitening, dtype=np.float32)
        return np.asarray(self._centres @ unit(turned), dtype=np.float32)

"""Scores by task: epochs become a task's mean before anything else is made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TaskScores:
    """One mean a task, ``means[i]`` over ``epochs[i]`` scored epochs of ``tasks[i]``; in name order, each once."""

    tasks: tuple[str, ...]
    means: Floats
    epochs: tuple[int, ...]

    @classmethod
    def of(cls, scored: Iterable[tuple[str, float | None]]) -> TaskScores:
        """From ``(task, score)`` of every item; a score of None is left out, and so is a task without any."""
        by_task: dict[str, list[float]] = {}
        for task, score in scored:
            if score is not None:
                by_task.setdefault(task, []).append(score)
        names = tuple(sorted(by_task))
        means = np.array([float(np.mean(by_task[name])) for name in names], dtype=np.float64)
        return cls(names, means, tuple(len(by_task[name]) for name in names))

    @property
    def mean(self) -> float | None:
        """The macro-average: each task weighs the same."""
        return float(self.means.mean()) if self.tasks else None

    def only(self, tasks: Iterable[str]) -> TaskScores:
        """Those of these tasks that are here, in name order."""
        wanted = set(tasks)
        kept = [place for place, name in enumerate(self.tasks) if name in wanted]
        return TaskScores(
            tuple(self.tasks[place] for place in kept), self.means[kept], tuple(self.epochs[place] for place in kept)
        )


def matched(*several: TaskScores) -> tuple[TaskScores, ...]:
    """Each with the tasks alone that all of them have, so that rows are the same tasks."""
    common = set.intersection(*(set(each.tasks) for each in several)) if several else set()
    return tuple(each.only(common) for each in several)


def macro_pass_rate(means: ArrayLike) -> Floats:
    """Mean over tasks, axis 0, of tasks' means; shape (tasks, ...) to (...)."""
    return np.asarray(np.mean(np.asarray(means, dtype=np.float64), axis=0))


def pooled_pass_rate(passed: ArrayLike, total: ArrayLike) -> Floats:
    """Case-level rate: all cases of all tasks together. Shapes (tasks, ...) to (...); NaN where there are no cases."""
    done, cases = np.asarray(passed, dtype=np.float64).sum(axis=0), np.asarray(total, dtype=np.float64).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(cases > 0, done / cases, np.nan), dtype=np.float64)


def pass_at_k(passed: ArrayLike, tried: ArrayLike, k: int) -> Floats:
    """The chance that at least one of ``k`` tries of a task passes, for each task; unbiased.

    1 - C(n-c, k)/C(n, k), with c = ``passed`` of n = ``tried``. NaN where fewer than ``k`` were made.
    Source: Chen et al. (2021), "Evaluating large language models trained on code", section 2.1.
    """
    n, c = _counts(passed, tried, k)
    return 1 - _choice_ratio(n - c, n, k)


def pass_hat_k(passed: ArrayLike, tried: ArrayLike, k: int) -> Floats:
    """The chance that all of ``k`` tries of a task pass, for each task; unbiased: C(c, k)/C(n, k).

    NaN where fewer than ``k`` were made. Source: Yao et al. (2024), "tau-bench", section 3.
    """
    n, c = _counts(passed, tried, k)
    return _choice_ratio(c, n, k)


def _counts(passed: ArrayLike, tried: ArrayLike, k: int) -> tuple[Floats, Floats]:
    if k < 1:
        raise ValueError("k is at least 1")
    n, c = np.asarray(tried, dtype=np.float64), np.asarray(passed, dtype=np.float64)
    if np.any((c < 0) | (c > n)):
        raise ValueError("more passed than were tried")
    return np.broadcast_arrays(n, c)[0].astype(np.float64), np.broadcast_arrays(n, c)[1].astype(np.float64)


def _choice_ratio(some: Floats, tried: Floats, k: int) -> Floats:
    """C(some, k) / C(tried, k), as a product, so that no binomial is ever large."""
    ratio = np.ones_like(tried)
    for drawn in range(k):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = ratio * np.maximum(some - drawn, 0) / (tried - drawn)
    return np.where(tried >= k, ratio, np.nan)

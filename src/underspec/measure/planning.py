"""Before a run: the smallest difference that so many tasks can show, and how many tasks a difference takes."""

from __future__ import annotations

import math

from underspec.measure.interval import LEVEL, normal_quantile

POWER = 0.8


def paired_spread(only_first: float, only_second: float) -> float:
    """Standard deviation between tasks of pass minus fail, from the shares of tasks that only one side passes."""
    if not 0 <= only_first + only_second <= 1 or min(only_first, only_second) < 0:
        raise ValueError("shares lie between 0 and 1, and so does their sum")
    return math.sqrt(only_first + only_second - (only_second - only_first) ** 2)


def spread_of_means(between: float, within: float, epochs: int) -> float:
    """Standard deviation between tasks' means over ``epochs``: epochs shrink what varies within a task, and no more.

    Source: Miller (2024), "Adding error bars to evals", section 3.1.
    """
    return math.sqrt(between**2 + within**2 / epochs)


def smallest_detectable_difference(tasks: int, spread: float, level: float = LEVEL, power: float = POWER) -> float:
    """The true difference of means that a two-sided test at 1 - ``level`` finds with probability ``power``.

    ``spread`` is the standard deviation between tasks of the paired difference; for two sets of different tasks of this
    size, take the root of the sum of both variances. Normal approximation: (z + z of power) * spread / sqrt(tasks).
    Source: Miller (2024), section 5.
    """
    if tasks < 1:
        raise ValueError("there is no task")
    return _reach(level, power) * spread / math.sqrt(tasks)


def tasks_needed(difference: float, spread: float, level: float = LEVEL, power: float = POWER) -> int:
    """The fewest tasks with which a ``difference`` is found with probability ``power``."""
    if not difference:
        raise ValueError("no number of tasks shows a difference of 0")
    return max(1, math.ceil((_reach(level, power) * spread / difference) ** 2 - 1e-9))


def _reach(level: float, power: float) -> float:
    # The quantile of a two-sided level of 2p - 1 is the one-sided quantile of p.
    return normal_quantile(level) + normal_quantile(2 * power - 1)

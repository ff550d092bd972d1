"""What the bootstrap and the report's intervals cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.figures import figure, median_seconds
from underspec.measure.bootstrap import RESAMPLES, bootstrap_means
from underspec.measure.interval import clustered_wilson
from underspec.measure.paired import paired_difference

TASKS = 100
MODELS = 9


def statistics(rounds: int = 9) -> dict[str, Any]:
    """Seconds for 10,000 resamples of 9 models on 100 tasks, for one default interval, and for one comparison."""
    scores = np.random.default_rng(1).random((TASKS, MODELS))
    one, other = scores[:, 0], scores[:, 1]
    # Once before the clock runs: scipy is loaded late.
    paired_difference(one, other)
    return {
        f"bootstrap_{RESAMPLES}_x_{MODELS}_models_x_{TASKS}_tasks": figure(
            median_seconds(lambda: bootstrap_means(scores), rounds), "s"
        ),
        f"default_interval_{TASKS}_tasks": figure(median_seconds(lambda: clustered_wilson(one), rounds), "s"),
        f"paired_comparison_{TASKS}_tasks": figure(median_seconds(lambda: paired_difference(one, other), rounds), "s"),
    }

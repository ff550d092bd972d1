"""What a figure is, and how one is taken."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def figure(value: float, unit: str, **more: float) -> dict[str, Any]:
    """``{"value", "unit", "ratio"?, "baseline"?, ...}``, rounded to four significant digits."""
    return {"value": _round(value), "unit": unit, **{name: _round(number) for name, number in more.items()}}


def _round(number: float) -> float:
    return float(f"{number:.4g}")


def median_seconds(work: Callable[[], object], rounds: int) -> float:
    """Median wall time of ``work`` over ``rounds`` calls, in seconds."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)

"""How often intervals cover, exactly where that can be worked out and else by simulation.

python -m bench.coverage            the tables of docs/statistics.md (some minutes)
python -m bench.coverage --quick    the same from fewer repetitions
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from underspec.measure.interval import Limits, cluster_t_limits, clustered_wilson_limits, normal_quantile, score_limits
from underspec.measure.paired import adjusted_paired_limits

Floats = NDArray[np.float64]

TASKS = (2, 4, 8, 12, 20, 50, 100, 200, 480)
RATES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
EPOCHS = (2, 3, 5)
CORRELATIONS = (0.0, 0.25, 0.5, 0.75)
"""Between epochs of a task; 1 is one epoch."""
PRECISIONS = (0.5, 2.0, 8.0)
"""Of beta-distributed pass rates of tasks' cases: from nearly all-or-nothing to close together."""
REPETITIONS = 10_000
SEED = 20
_AT_ONCE = 1_000_000

PAIRS = ((0.02, 0.02), (0.05, 0.0), (0.1, 0.05), (0.3, 0.07), (0.25, 0.25), (0.6, 0.0))
"""Shares of tasks that only one side, or only the other, passes."""


def within_main(tasks: int, rate: float) -> bool:
    """Where 93.5 to 96.5 % is promised, and not only 93."""
    return tasks >= 100 and 0.1 <= rate <= 0.9


def covered(limits: Limits | None, truth: float) -> NDArray[np.bool_]:
    """Whether each interval holds the truth; one that ends on it does."""
    if limits is None:
        raise ValueError("there is no interval")
    return np.asarray((limits[0] <= truth + 1e-12) & (truth <= limits[1] + 1e-12))


@dataclass(frozen=True)
class Mixture:
    """How scores come about: ``epochs`` tries of pass or fail that correlate, or (``precision``) one rate of cases."""

    epochs: int = 1
    correlation: float = 1.0
    precision: float | None = None

    def draw(self, random: np.random.Generator, tasks: int, rate: float, repetitions: int) -> Floats:
        """Tasks' means of shape (tasks, repetitions), with expectation ``rate``."""
        shape = (tasks, repetitions)
        if self.precision is not None:
            return random.beta(rate * self.precision, (1 - rate) * self.precision, shape)
        if self.epochs == 1:
            return (random.random(shape) < rate).astype(np.float64)
        if self.correlation == 0:
            return random.binomial(self.epochs, rate, shape) / self.epochs
        precision = 1 / self.correlation - 1
        ability = random.beta(rate * precision, (1 - rate) * precision, shape)
        return random.binomial(self.epochs, ability) / self.epochs


MIXTURES = (
    *(Mixture(epochs, correlation) for epochs in EPOCHS for correlation in CORRELATIONS),
    *(Mixture(precision=precision) for precision in PRECISIONS),
)


def simulated(mixture: Mixture, tasks: int, rate: float, repetitions: int, seed: int = SEED) -> tuple[float, float]:
    """Coverage of the default and of the cluster-robust t interval."""
    random = np.random.default_rng([seed, tasks, round(1000 * rate), MIXTURES.index(mixture)])
    hits = np.zeros(2)
    block = max(1, _AT_ONCE // tasks)
    for start in range(0, repetitions, block):
        means = mixture.draw(random, tasks, rate, min(block, repetitions - start))
        hits += [covered(limits(means), rate).sum() for limits in (clustered_wilson_limits, cluster_t_limits)]
    return float(hits[0] / repetitions), float(hits[1] / repetitions)


def exact(tasks: int, rates: Floats) -> dict[str, Floats]:
    """Coverage of each method at each rate with one epoch of pass and fail: a sum over all counts, no simulation.

    The bootstrap is the one of endless resamples, whose percentiles are those of a binomial distribution.
    """
    from scipy import special, stats

    counts = np.arange(tasks + 1)
    verdicts = (np.arange(tasks)[:, None] < counts).astype(np.float64)
    seen = counts / tasks
    everything: dict[str, Limits | None] = {
        "default": clustered_wilson_limits(verdicts),
        "wilson": score_limits(seen, tasks, normal_quantile(0.95)),
        "cluster-t": cluster_t_limits(verdicts),
        "bootstrap": (stats.binom.ppf(0.025, tasks, seen) / tasks, stats.binom.ppf(0.975, tasks, seen) / tasks),
    }
    chance = np.diff(special.bdtr(counts[:, None], tasks, rates), axis=0, prepend=0)
    return {
        name: np.array([chance[:, place] @ covered(limits, rate) for place, rate in enumerate(rates)])
        for name, limits in everything.items()
    }


def paired(only_first: float, only_second: float, tasks: int, repetitions: int, seed: int = SEED) -> float:
    """Coverage of the default interval of a paired difference, one epoch of pass and fail."""
    random = np.random.default_rng([seed, tasks, round(1000 * only_first), round(1000 * only_second)])
    fate = random.random((tasks, repetitions))
    gaps = ((fate >= only_first) & (fate < only_first + only_second)) * 1.0 - (fate < only_first)
    return float(covered(adjusted_paired_limits(gaps), only_second - only_first).mean())


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _table(corner: str, heads: list[str], rows: Iterator[tuple[str, list[str]]]) -> str:
    lines = [f"| {corner} | " + " | ".join(heads) + " |", "| ---: |" + " ---: |" * len(heads)]
    return "\n".join([*lines, *(f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows)])


def one_epoch_table() -> str:
    """The default at one epoch, exactly."""
    rows = ((str(tasks), [_percent(each) for each in exact(tasks, np.array(RATES))["default"]]) for tasks in TASKS)
    return _table("tasks", [f"p = {rate}" for rate in RATES], rows)


def scan_table() -> str:
    """The least and the greatest coverage of each method over every number of tasks and a fine grid of rates."""
    rates = np.round(np.arange(0.05, 0.951, 0.01), 2)
    spans: dict[tuple[str, bool], list[float]] = {}
    beyond, cells = 0, 0
    for tasks in range(8, 481):
        for name, coverage in exact(tasks, rates).items():
            for rate, share in zip(rates, coverage, strict=True):
                spans.setdefault((name, within_main(tasks, rate)), []).append(float(share))
                if name == "default" and within_main(tasks, rate):
                    cells += 1
                    beyond += share > 0.965
    names = list(dict.fromkeys(name for name, _main in spans))
    heads = ["n ≥ 100 and p .1 to .9: least", "greatest", "elsewhere: least", "greatest"]
    rows = (
        (
            name,
            [_percent(end) for main in (True, False) for end in (min(spans[name, main]), max(spans[name, main]))],
        )
        for name in names
    )
    return _table("method", heads, rows) + f"\n\nThe default is above 96.5 % in {beyond} of {cells} such cells."


def mixture_tables(repetitions: int) -> tuple[str, str]:
    """The least and greatest coverage over all mixtures, for the default and for the t interval."""
    found = {
        (tasks, rate): [simulated(mixture, tasks, rate, repetitions) for mixture in MIXTURES]
        for tasks in TASKS
        for rate in RATES
        if print(f"{tasks} tasks, rate {rate}", file=sys.stderr) is None
    }
    heads = [f"p = {rate}" for rate in RATES]

    def rows(method: int) -> Iterator[tuple[str, list[str]]]:
        for tasks in TASKS:
            shares = [[each[method] for each in found[tasks, rate]] for rate in RATES]
            yield str(tasks), [f"{_percent(min(each))}–{_percent(max(each))}" for each in shares]

    return _table("tasks", heads, rows(0)), _table("tasks", heads, rows(1))


def paired_table(repetitions: int) -> str:
    """The default interval of differences."""
    rows = ((str(tasks), [_percent(paired(*shares, tasks, repetitions)) for shares in PAIRS]) for tasks in TASKS)
    return _table("tasks", [f"{first:g}, {second:g}" for first, second in PAIRS], rows)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    repetitions = REPETITIONS // 10 if parser.parse_args().quick else REPETITIONS
    ours, theirs = mixture_tables(repetitions)
    parts = {
        "One epoch of pass and fail, exactly": one_epoch_table(),
        "Every number of tasks from 8 to 480, p = .05 to .95 by .01, exactly": scan_table(),
        "2, 3 and 5 epochs, and rates of cases": ours,
        "The same of the cluster-robust t interval": theirs,
        "Paired differences": paired_table(repetitions),
    }
    print("\n\n".join(f"### {title}\n\n{table}" for title, table in parts.items()))


if __name__ == "__main__":
    main()

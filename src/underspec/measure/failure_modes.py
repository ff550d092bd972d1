"""Where deliverables fail, as an evaluator sees it (ICAE IV-C 1, Figure 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from underspec.artifact.outcomes import SUITES, Outcomes, SuiteState

MODES = ("mismatch", "missing", "exec", "no_test")


@dataclass(frozen=True)
class FailureModes:
    """How many of ``deliverables`` show each mode in each suite, ``modes[suite][mode]``; modes overlap.

    ``exec_causes`` splits ``exec`` by what was at fault. ``any_suite`` counts a deliverable once a mode, whatever the
    suite. ``clean`` deliverables pass every case of every suite.
    """

    deliverables: int
    modes: dict[str, dict[str, int]]
    exec_causes: dict[str, dict[str, int]]
    any_suite: dict[str, int]
    clean: int


def failure_modes(outcomes: Sequence[Outcomes]) -> FailureModes:
    """Count modes over deliverables."""
    found: dict[str, Counter[str]] = {suite: Counter() for suite in SUITES}
    causes: dict[str, Counter[str]] = {suite: Counter() for suite in SUITES}
    anywhere: Counter[str] = Counter()
    for each in outcomes:
        seen: set[str] = set()
        for suite in each.suites:
            modes = {_mode(state) for state in suite.states}
            found[suite.suite].update(modes)
            causes[suite.suite].update(str(state).partition(":")[2] for state in suite.states if ":" in state)
            seen |= modes
        anywhere.update(seen)
    return FailureModes(
        deliverables=len(outcomes),
        modes={suite: {mode: found[suite][mode] for mode in MODES} for suite in SUITES},
        exec_causes={suite: dict(sorted(causes[suite].items())) for suite in SUITES},
        any_suite={mode: anywhere[mode] for mode in MODES},
        clean=sum(each.clean for each in outcomes),
    )


def _mode(state: SuiteState) -> str:
    return str(state).partition(":")[0]

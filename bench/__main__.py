"""Print every figure as one JSON document; progress goes to stderr."""

from __future__ import annotations

import json
import sys
from typing import Any

from bench.agents import agents
from bench.comparison import comparison
from bench.engine import backends
from bench.grading import grading, peak_memory
from bench.planning import planning
from bench.report import report
from bench.routing import routing
from bench.stakeholder import stakeholder
from bench.startup import startup
from bench.statistics import statistics
from bench.structure import structure


def main() -> None:
    """Take the figures one after another, so that none disturbs another."""
    document: dict[str, Any] = {}
    steps = [startup, comparison, planning, stakeholder, routing, structure, statistics, report]
    for backend in backends():
        steps += [lambda backend=backend: grading(backend), lambda backend=backend: peak_memory(backend)]  # type: ignore[misc]
        steps.append(lambda backend=backend: agents(backend))  # type: ignore[misc]
    for number, step in enumerate(steps, 1):
        print(f"[{number}/{len(steps)}]", file=sys.stderr, flush=True)
        document.update(step())
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()

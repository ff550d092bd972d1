"""How well routers find records, and what the embedded one costs.

    python -m bench.routing            figures as JSON (part of `make bench`)
    python -m bench.routing --tables   the tables of docs/routing.md
    python -m bench.routing --tables --part tune

Prints totals only, so that nobody who changes a router sees single questions of the held-out part.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.figures import figure
from underspec.stakeholder.embedded import ANSWERED, EmbeddedRouter
from underspec.stakeholder.lexical import LexicalRouter
from underspec.stakeholder.nearest import NearestMiniLM, NearestStatic
from underspec.stakeholder.questions import read_questions
from underspec.stakeholder.route_measures import Routed, summary
from underspec.stakeholder.router import Routing
from underspec.task import release
from underspec.task.catalog import find_task
from underspec.task.load import load_task
from underspec.task.model import Level, LevelRecords

QUESTIONS = Path(__file__).parent.parent / "tests" / "routing" / "questions"
PARTS = {"tune": ("data-sizes",), "held out": ("recurring-times", "moving-marks")}
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SHOWN = ("top1", "recall_at_3", "right_given", "wrong_given", "answered_unanswerable", "extraction_answered")

Route = Callable[[str, LevelRecords], Routing]
Asked = tuple[str, LevelRecords, tuple[str, ...], tuple[str, ...], str | None]


def asked(tasks: tuple[str, ...]) -> Iterator[Asked]:
    """Question, records, gold, acceptable ids and kind of every row."""
    for name in tasks:
        task = load_task(find_task(name))
        known: dict[Level, LevelRecords] = {}
        for placed in read_questions(QUESTIONS / f"{name}.jsonl"):
            row = placed.labelled
            level: Level = row.level or "L1"
            records = known.setdefault(level, release.session_records(task, level))
            yield row.question, records, tuple(row.gold), tuple(row.also_ok), row.kind


def measured(route: Route, tasks: tuple[str, ...]) -> dict[str, Any]:
    """The summary of one router over some tasks, an average over tasks' averages."""
    summaries = []
    for name in tasks:
        routed = []
        for question, records, gold, also_ok, kind in asked((name,)):
            routing = route(question, records)
            routed.append(Routed(gold, also_ok, kind, routing.ids, routing.ranking))
        summaries.append(summary(routed))
    return {name: statistics.fmean(one[name] for one in summaries) for name in SHOWN} | {
        "questions": sum(one["answerable"] + one["unanswerable"] for one in summaries)
    }


def routers() -> dict[str, Route]:
    """The routers that are compared, by name."""
    return {
        "lexical": LexicalRouter().route_now,
        "nearest-static": NearestStatic().route_now,
        "nearest-minilm": NearestMiniLM().route_now,
        "embedded": EmbeddedRouter().route_now,
    }


def at(threshold: float, router: EmbeddedRouter) -> Route:
    """The embedded router with another threshold."""
    return lambda question, records: router.decide(question, records, threshold)


def one_question_seconds(questions: int = 200) -> list[float]:
    """Wall times of questions of the tune part, one after another, each asked for the first time; ascending."""
    router = EmbeddedRouter()
    rows = [row for row in asked(PARTS["tune"]) if row[4] != "other_language"][:questions]
    for _, records, *_ in rows:
        router.route_now("warm up", records)

    async def ask() -> list[float]:
        taken = []
        for question, records, *_ in rows:
            start = time.perf_counter()
            await router.route(f"{question} ", records, ())
            taken.append(time.perf_counter() - start)
        return taken

    return sorted(asyncio.run(ask()))


def many_sessions_rate(sessions: int = 50, each: int = 20) -> float:
    """Questions a second while some sessions ask without pause, each question for the first time."""
    router = EmbeddedRouter()
    rows = [row for row in asked(PARTS["tune"]) if row[4] != "other_language"]
    for _, records, *_ in rows:
        router.route_now("warm up", records)

    async def session(number: int) -> None:
        for turn in range(each):
            question, records, *_ = rows[(number * each + turn) % len(rows)]
            await router.route(f"In case {number}: {question}", records, ())

    async def all_sessions() -> float:
        start = time.perf_counter()
        await asyncio.gather(*(session(number) for number in range(sessions)))
        return sessions * each / (time.perf_counter() - start)

    return asyncio.run(all_sessions())


def routing() -> dict[str, Any]:
    """Figures for `make bench`; the baseline is the router that was the default before."""
    figures: dict[str, Any] = {}
    for part, tasks in PARTS.items():
        ours, before = measured(EmbeddedRouter().route_now, tasks), measured(LexicalRouter().route_now, tasks)
        for name in SHOWN:
            key = f"routing_{name}_{part.replace(' ', '_')}"
            figures[key] = figure(
                ours[name], "ids a question" if name == "wrong_given" else "share", baseline=before[name]
            )
    taken = one_question_seconds()
    figures["routing_one_question"] = figure(statistics.median(taken), "s", p99=taken[int(0.99 * len(taken))])
    figures["routing_50_sessions"] = figure(many_sessions_rate(), "questions/s")
    return figures


def tables(parts: list[str]) -> str:
    """The comparison and the trade-off as Markdown."""
    lines = []
    for part in parts:
        lines += [f"### {part}", "", "| router | " + " | ".join(SHOWN) + " |", "| --- |" + " ---: |" * len(SHOWN)]
        lines += [_row(name, measured(route, PARTS[part])) for name, route in routers().items()]
        lines += ["", "| threshold | " + " | ".join(SHOWN) + " |", "| --- |" + " ---: |" * len(SHOWN)]
        router = EmbeddedRouter()
        for threshold in THRESHOLDS:
            name = f"**{threshold}**" if threshold == ANSWERED else str(threshold)
            lines.append(_row(name, measured(at(threshold, router), PARTS[part])))
        lines.append("")
    return "\n".join(lines)


def _row(name: str, figures: dict[str, Any]) -> str:
    return f"| {name} | " + " | ".join(f"{figures[one]:.3f}" for one in SHOWN) + " |"


def main() -> None:
    """Print figures or tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--part", choices=sorted(PARTS), action="append")
    chosen = parser.parse_args()
    if chosen.tables:
        print(tables(chosen.part or list(PARTS)))
    else:
        json.dump(routing(), sys.stdout, indent=2)


if __name__ == "__main__":
    main()

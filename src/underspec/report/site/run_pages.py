"""The pages of runs: what was run, under what conditions, on what machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from underspec.report.collect import Collected
from underspec.report.runs import Run
from underspec.report.site.plan import SitePlan
from underspec.report.site.render import Pages

_MOST_UNSCORED = 500


def write_runs(
    pages: Pages, runs: Sequence[Run], members: Sequence[Sequence[Collected]], rows: Sequence[dict[str, Any]]
) -> None:
    """Write a page for each run, and their list."""
    plan = pages.plan
    summaries = []
    for number, (run, place) in enumerate(zip(runs, plan.runs, strict=True)):
        lines = [one for one, standing in enumerate(plan.standings) if standing.run == number]
        items = [each for one in lines for each in members[one]]
        unscored = Counter(each.boundary for each in items if each.boundary is not None)
        summary = {
            "place": place,
            "planned": len(items),
            "scored": sum(each.scored for each in items),
            "unscored": dict(sorted(unscored.items(), key=lambda pair: str(pair[0]))),
            "stale": sum(each.stale for each in items),
            "conditions": len(lines),
            "tasks": len({each.item.task for each in items}),
        }
        summaries.append(summary)
        pages.add(
            place.page,
            "run.html.j2",
            f"Run {run.name}",
            "runs.html",
            manifest=run.manifest,
            machine=_machine(run.manifest),
            summary=summary,
            standings=[(plan.standings[one], rows[one]) for one in lines],
            without_score=_without_score(plan, number, items),
            limits=_limits(run.manifest),
            task_pages={task.id: task.page for task in plan.tasks},
            evidence=sorted(set(place.evidence.values())),
        )
    pages.add("runs.html", "runs.html.j2", "Runs", summaries=summaries)


def _machine(manifest: dict[str, Any]) -> str:
    machine = manifest["machine"]
    system = f"{machine['system']} {machine['release']} on {machine['architecture']}"
    return f"{system}, {machine['cpus']} processors, Python {machine['python']}, {machine['user']} user"


def _limits(manifest: dict[str, Any]) -> list[tuple[str, int]]:
    """Each set of grading limits in words, with how many tasks have it."""
    found = Counter(
        ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in sorted(limits.items()))
        for limits in manifest.get("limits", {}).values()
    )
    return found.most_common()


def _without_score(plan: SitePlan, number: int, items: Sequence[Collected]) -> dict[str, Any]:
    """Items without a score, with their pages, and how many are not listed."""
    pages = {each.item.id: each for task in plan.tasks for each in task.items if each.run == number}
    missing = [each for each in items if not each.scored]
    listed = [(pages[each.item.id], str(each.boundary)) for each in missing[:_MOST_UNSCORED]]
    return {"listed": listed, "left_out": len(missing) - len(listed)}

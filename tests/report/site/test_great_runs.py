"""Runs of many tasks: long tables go over several pages, and what the report takes stays bounded."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.report import report
from bench.synthetic import make_run, make_tasks

from tests.report.site.test_pages import pages_of
from underspec.report.collect import collect
from underspec.report.runs import read_runs
from underspec.report.site.plan import plan_site
from underspec.report.site.write import write_site
from underspec.run.store import RunStore


def test_long_tables_go_over_several_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("underspec.report.site.tasks.MOST_ROWS", 2)
    monkeypatch.setattr("underspec.report.site.condition.MOST_ROWS", 2)
    tasks = make_tasks(tmp_path / "tasks", 5, native=5, enhanced=5)
    run = make_run(tmp_path / "made", tasks, 2)
    plan = plan_site([run], {path.name: path for path in tasks}, "operator", version="1")
    write_site(plan, lambda: read_runs([run]), tmp_path / "site", workers=1)
    pages = pages_of(tmp_path / "site")
    listed = [name for name in pages if name.startswith("tasks") and "/" not in name]
    assert listed == ["tasks-2.html", "tasks-3.html", "tasks.html"]
    linked = [element.attributes["href"] for element in pages["tasks.html"].elements if element.tag == "a"]
    assert {"tasks-2.html", "tasks-3.html"} <= set(linked)
    assert sum(name.startswith("conditions/") for name in pages) == 2 * 3
    shown = "".join(page.source for name, page in pages.items() if name in listed)
    assert all(f"tasks/{path.name}.html" in shown for path in tasks)


def test_equal_verdicts_are_one_object(tmp_path: Path) -> None:
    tasks = make_tasks(tmp_path / "tasks", 2, native=5, enhanced=5)
    collected = collect(RunStore(make_run(tmp_path / "made", tasks, 6)))
    cases = [case for each in collected if each.outcomes for case in each.outcomes.cases]
    assert len({id(case) for case in cases}) < len(cases) / 3
    assert len({id(case) for case in cases}) == len({(c.suite, c.file, c.index, c.outcome, c.hidden) for c in cases})


@pytest.mark.proof
def test_a_report_of_100_000_cases_takes_little() -> None:
    """The wall time depends on what else the machine does; processor time does not, and bounds it on two cores."""
    found = report()
    name = "report_480_tasks_x_6_models"
    assert found[name]["processor_seconds"] < 110
    assert found[f"{name}_memory"]["value"] < 1024
    assert found[f"{name}_first_page"]["value"] < 1000

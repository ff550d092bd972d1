"""What tasks are made of, worked out by hand."""

from __future__ import annotations

import pytest

from tests.report.exhibits.sample import built, evidence_of, make_task
from underspec.artifact.condition import Condition
from underspec.artifact.outcomes import SuiteState
from underspec.measure.lengths import estimated_tokens
from underspec.report.exhibits.dataset import clar_figure_3, figure_4, figure_5, figure_7, figure_8, table_v
from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.exhibit import Table
from underspec.report.exhibits.icae_figures import figure_9, figure_11
from underspec.task.model import Task

ARM = Condition(agent="cc", model="m")


def of(*tasks: Task) -> Evidence:
    return evidence_of([built(ARM, task.id, 5) for task in tasks], tasks)


def test_tokens_are_bytes_over_four_rounded_up() -> None:
    assert estimated_tokens(["", "a", "abcd", "abcde", "äöü", "\udc80"]).tolist() == [0, 1, 1, 2, 2, 1]


def _figures(table: Table | None, split: str = "all") -> dict[object, tuple[object, ...]]:
    assert table is not None
    return {
        row["figure"].value: tuple(row[key].value for key in ("known", "least", "median", "mean", "greatest"))
        for row in table.rows
        if row["split"].value == split
    }


def test_table_v_summarises_each_figure_over_the_tasks_that_have_it() -> None:
    one = make_task("a", lines=100, files=2)
    other = make_task("b", lines=300, files=None, points={"L1": ("API",), "L2": (), "L3": ()})
    found = _figures(table_v(of(one, other, make_task("c", family="commission", lines=200))))
    assert found["Golden LOC"] == (3, 100, 200, 200, 300)
    assert found["Golden files"] == (2, 2, 3.5, 3.5, 5)
    # 40 bytes are ten tokens, of repositories alone.
    assert found["Fuzzy L1, tokens"] == (2, 10, 10, 10, 10)
    assert found["GroundPRD, tokens"] == (3, 40, 40, 40, 40)
    # A record is a trigger of one token and a response of two, the fallback one: 3 + 3 + 1, and 3 + 1.
    assert found["User Agent Data L1, tokens"] == (2, 4, 5.5, 5.5, 7)
    assert found["Ambiguity points L1"] == (2, 1, 1.5, 1.5, 2)
    assert found["Native cases"] == (2, 1, 1, 1, 1)


def test_what_nobody_counted_is_said_and_is_not_nought() -> None:
    table = table_v(of(make_task("a", lines=None, files=None)))
    assert table is not None
    (row,) = [row for row in table.rows if row["figure"].value == "Golden LOC"]
    assert (row["known"].value, row["mean"].value, row["mean"].why) == (0, None, "nobody counted it")


def test_tasks_are_counted_by_category_within_their_family() -> None:
    given = of(
        make_task("a", category="Parsers"),
        make_task("b", category="Web"),
        make_task("c", category="Web"),
        make_task("d", category="Bots", family="commission"),
    )
    repositories, commissions = figure_4(given), clar_figure_3(given)
    assert repositories is not None
    assert commissions is not None
    assert [(row["label"].value, row["tasks"].value) for row in repositories.data.rows] == [("Web", 2), ("Parsers", 1)]
    assert [(row["label"].value, row["tasks"].value) for row in commissions.data.rows] == [("Bots", 1)]


def test_golden_lines_are_counted_in_bins_of_the_logarithm() -> None:
    found = figure_5(
        of(
            *(make_task(f"t{place}", lines=lines) for place, lines in enumerate((100, 150, 999, 5000))),
            make_task("u", lines=None),
        )
    )
    assert found is not None
    counts = [row["tasks"].value for row in found.data.rows]
    assert sum(int(count or 0) for count in counts) == 4
    assert counts[0] == 2
    assert found.data.rows[0]["start"].value == pytest.approx(100)
    assert any("their golden lines: 1." in note for note in found.notes)


def test_requests_and_what_asking_gives_are_compared_on_tasks_that_have_all_levels() -> None:
    found = figure_7(of(make_task("a"), make_task("b", points={"L1": ("API",)})))
    assert found is not None
    shown = [(row["label"].value, row["value"].value) for row in found.data.rows]
    assert shown == [
        ("Fuzzy L1", 10), ("Fuzzy L2", 20), ("Fuzzy L3", 30), ("GroundPRD", 40),
        ("Fuzzy L1", 7), ("Fuzzy L2", 4), ("Fuzzy L3", 4),
    ]  # fmt: skip
    assert any("Tasks that have all levels: 1." in note for note in found.notes)


def test_ambiguity_points_are_counted_by_category_and_level() -> None:
    one = make_task("a", points={"L1": ("API", "API", "Edge"), "L2": ("API",), "L3": ()})
    other = make_task("b", points={"L1": ("API", "Edge", "Edge"), "L2": ("Edge",), "L3": ("Edge",)})
    found = figure_8(of(one, other))
    assert found is not None
    shown = {(row["panel"].value, row["label"].value): row["value"].value for row in found.data.rows}
    assert shown == {
        ("Fuzzy L1", "Edge"): 1.5, ("Fuzzy L1", "API"): 1.5,
        ("Fuzzy L2", "Edge"): 0.5, ("Fuzzy L2", "API"): 0.5,
        ("Fuzzy L3", "Edge"): 0.5, ("Fuzzy L3", "API"): 0.0,
    }  # fmt: skip
    assert "Fuzzy L1 hides 3.0 points a task" in found.alternative


def test_failure_modes_are_counted_once_a_deliverable_and_suites_apart() -> None:
    from tests.report.exhibits.sample import graded

    counts = {"public": (0, 1), "native": (0, 1), "enhanced": (1, 1)}
    states = {"public": (SuiteState.MISMATCH,), "native": (SuiteState.MISMATCH, SuiteState.MISSING)}
    failing = built(ARM, "a", None, outcomes=graded("a", counts, states=states))
    broken = built(ARM, "b", None, outcomes=graded("b", counts, states={"native": (SuiteState.EXEC_BUILD,)}))
    found = figure_9(evidence_of([failing, broken]))
    assert found is not None
    shown = {
        row["panel"].value: (row["value"].value, row["deliverables"].value, row["public"].value, row["native"].value)
        for row in found.data.rows
    }
    assert shown == {
        "Mismatch": (0.5, 1, 1, 1),
        "Missing": (0.5, 1, 0, 1),
        "Exec.": (0.5, 1, 0, 1),
        "No Test": (0.0, 0, 0, 0),
    }
    assert [row["causes"].value for row in found.data.rows] == ["", "", "build", ""]


def test_runtime_and_tokens_are_means_over_tasks_and_a_time_that_is_not_known_is_said() -> None:
    given = [built(ARM, "a", 5, tokens=100), built(ARM, "a", 5, tokens=300, epoch=2), built(ARM, "b", 5, tokens=800)]
    found = figure_11(evidence_of(given, seconds=90.0))
    assert found is not None
    assert [(row["panel"].value, row["value"].value) for row in found.data.rows] == [("Minutes", 1.5), ("Tokens", 500)]
    without = figure_11(evidence_of(given, seconds=None))
    assert without is not None
    assert [row["panel"].value for row in without.data.rows] == ["Tokens"]
    assert any("no minutes (no time was logged: 3 of 3 items)" in note for note in without.notes)

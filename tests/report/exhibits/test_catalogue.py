"""Every table and figure of the papers is listed, made where its conditions are, and missed where they are not."""

from __future__ import annotations

import math

import pytest

from tests.report.exhibits.sample import built, evidence_of, make_run
from underspec.artifact.condition import Condition
from underspec.errors import UsageError
from underspec.report.exhibits.catalogue import catalogue, exhibits, made
from underspec.report.exhibits.exhibit import Exhibit, Figure
from underspec.task.model import Task

ROMAN = ("V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV", "XVI")
NAMED = (
    *(f"ICAE Table {number}" for number in ROMAN),
    *(f"ICAE Figure {number}" for number in range(4, 12)),
    *(f"SWE-Clar Table {number}" for number in (2, *range(5, 12))),
    *(f"SWE-Clar Figure {number}" for number in range(3, 10)),
)


def test_all_that_the_papers_name_is_listed_once_in_their_order() -> None:
    assert [each.name for each in catalogue()] == list(NAMED)
    assert len({each.slug for each in catalogue()}) == len(NAMED)
    assert all(each.needs and each.title for each in catalogue())


@pytest.mark.parametrize("name", NAMED)
def test_each_is_made_from_runs_that_have_its_conditions(name: str, all_exhibits: list[Exhibit]) -> None:
    (found,) = [exhibit for exhibit in all_exhibits if exhibit.name == name]
    listed = next(each for each in catalogue() if each.name == name)
    assert (found.slug, found.title) == (listed.slug, listed.title)
    table = found.data if isinstance(found, Figure) else found
    assert table.rows
    for row in table.rows:
        for column in table.columns:
            cell = row[column.key]
            assert isinstance(cell.value, str) == (column.kind == "text") or cell.value is None
            if isinstance(cell.value, float):
                assert math.isfinite(cell.value)
            if cell.span is not None:
                assert cell.span.low <= cell.span.high
                assert cell.span.low - 1e-9 <= float(cell.value or 0) <= cell.span.high + 1e-9


def test_figures_say_in_words_all_that_their_bars_and_lines_end_with(all_exhibits: list[Exhibit]) -> None:
    for exhibit in all_exhibits:
        if isinstance(exhibit, Figure):
            labels = {str(row["label"].value) for row in exhibit.data.rows if "label" in row}
            assert all(label in exhibit.alternative for label in labels), exhibit.name
            assert exhibit.data.rows


def test_every_row_of_arms_names_who_answered_and_the_image(all_exhibits: list[Exhibit]) -> None:
    no_arms = {"ICAE Table V", "ICAE Table XVI", "SWE-Clar Table 11", "SWE-Clar Figure 3", "SWE-Clar Figure 4"}
    no_arms |= {f"ICAE Figure {number}" for number in (4, 5, 7, 8)}
    for exhibit in all_exhibits:
        table = exhibit.data if isinstance(exhibit, Figure) else exhibit
        if exhibit.name not in no_arms:
            assert all(row["router"].value and row["image"].value for row in table.rows), exhibit.name


def test_no_items_give_no_exhibit() -> None:
    assert list(made(evidence_of([]))) == []


def test_one_plain_item_gives_no_table_of_what_nothing_varies() -> None:
    names = {each.name for each in made(evidence_of([built(Condition(agent="a"), "t", 5)]))}
    assert "ICAE Table VI" in names
    assert not names & {f"ICAE Table {number}" for number in ("VII", *ROMAN[4:])}
    assert not names & {"ICAE Figure 6", "ICAE Figure 10"}
    assert not {name for name in names if name.startswith("SWE-Clar")}


def test_items_that_were_never_graded_give_no_table_of_results() -> None:
    names = {each.name for each in made(evidence_of([built(Condition(agent="a"), "t", None)]))}
    assert not {name for name in names if "Table VI" in name or "Figure 9" in name}


def test_a_task_that_is_not_to_be_had_is_said_and_costs_no_other_table() -> None:
    def find(name: str) -> Task:
        raise UsageError("not here")

    found = list(exhibits([make_run([built(Condition(agent="a"), "t", 5)])], find))
    assert [each.name for each in found] == ["ICAE Table VI", "ICAE Figure 9", "ICAE Figure 11"]


def test_damage_that_is_no_missing_task_is_not_swallowed() -> None:
    def find(name: str) -> Task:
        raise RuntimeError("a fault of ours")

    with pytest.raises(RuntimeError):
        list(exhibits([make_run([built(Condition(agent="a"), "t", 5)])], find))

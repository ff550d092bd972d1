"""Markdown and CSV: what things are called stays what they are called."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.html_sample import HOSTILE
from underspec.report.exhibits.csv import inert, to_csv
from underspec.report.exhibits.exhibit import Cell, Column, Exhibit, Figure, Kind, Span, Table
from underspec.report.exhibits.markdown import escaped, markdown
from underspec.report.exhibits.words import shown

FORMULAS = ("=1+1", "+1", "-1+2", "@SUM(A1)", "|cmd", "\t=1", " =1", "'=1", '"=1', "＝1", "%0a=1", "＠x")


def table(*names: str, title: str = "Row") -> Table:
    columns = (Column("label", title), Column("rate", "Rate", "percent"), Column("n", "N", "count"))
    rows = [{"label": Cell(name), "rate": Cell(0.5, Span(0.25, 0.75)), "n": Cell(None, why="none")} for name in names]
    return Table("A Table", "a-table", "A title", columns, rows, ("A note.",))


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_of_a_csv_begins_a_formula(text: str) -> None:
    (_head, row) = csv.reader(io.StringIO(to_csv(table(text))))
    assert row[0].startswith("'")


@given(st.text())
def test_no_text_at_all_begins_a_formula_or_breaks_a_row(text: str) -> None:
    rows = list(csv.reader(io.StringIO(to_csv(table(text, "b")))))
    assert len(rows) == 3
    assert {len(row) for row in rows} == {6}
    assert not re.match(r"[=+\-@|\t\r\n]", rows[1][0])
    assert inert(rows[1][0]) == rows[1][0] or rows[1][0].startswith("'")


def test_a_csv_has_rates_from_0_to_1_with_both_ends_of_their_intervals() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(table("a")))))
    assert rows == [{"label": "a", "rate": "0.5", "rate_low": "0.25", "rate_high": "0.75", "n": "", "n_note": "none"}]


def test_negative_numbers_of_a_csv_stay_numbers() -> None:
    columns = (Column("difference", "Difference", "points"),)
    found = to_csv(Table("T", "t", "T", columns, [{"difference": Cell(-0.25)}]))
    assert found == "difference\r\n-0.25\r\n"


def test_every_csv_of_all_exhibits_can_be_read_back(all_exhibits: list[Exhibit]) -> None:
    for exhibit in all_exhibits:
        source = exhibit.data if isinstance(exhibit, Figure) else exhibit
        rows = list(csv.DictReader(io.StringIO(to_csv(exhibit))))
        assert len(rows) == len(source.rows)
        for row, cells in zip(rows, source.rows, strict=True):
            for column in source.columns:
                value = cells[column.key].value
                if isinstance(value, float):
                    assert float(row[column.key]) == value


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_makes_neither_html_nor_markdown(text: str) -> None:
    page = markdown(table(text, title=text))
    lines = page.splitlines()
    assert not re.search(r"<(?!$)", page)
    assert all(line.count(" | ") == 2 for line in lines if line.startswith("|"))
    assert not re.search(r"(?<!\\)[\[\]`*]", "\n".join(lines[2:5]).replace("[25.0, 75.0]", ""))


@given(st.text())
def test_any_text_stays_in_its_cell_and_line(text: str) -> None:
    lines = markdown(table(text)).splitlines()
    assert len(lines) == len(markdown(table("a")).splitlines())
    row = lines[4].replace("\\|", "")
    assert row.count("|") == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, text (1.5 %)", "plain, text (1.5 %)"),
        ("a|b", "a\\|b"),
        ("[x](http://y)", "\\[x\\](http\\://y)"),
        ("www.x.y", "www\\.x.y"),
        ("- a", "\\- a"),
        ("1. a", "1\\. a"),
        ("# a", "\\# a"),
        ("a\nb", "a b"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("\\", "\\\\"),
    ],
)
def test_text_is_escaped_where_markdown_would_read_it(text: str, expected: str) -> None:
    assert escaped(text) == expected


def test_markdown_shows_intervals_units_notes_and_why_something_is_missing() -> None:
    assert markdown(table("a")).splitlines() == [
        "## A Table. A title",
        "",
        "| Row | Rate (%) | N |",
        "| --- | ---: | ---: |",
        "| a | 50.0 [25.0, 75.0] | – |",
        "",
        "- A note.",
        "- – in N: none.",
    ]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (0.9999, "percent", "99.9"),
        (1.305, "percent", "130.5"),
        (-0.123, "points", "-12.3"),
        (0.0, "points", "+0.0"),
        (12345, "count", "12,345"),
        (0.1034, "money", "0.103"),
        (0.00001, "number", "< 0.0001"),
        (0.25, "number", "0.25"),
        (20.0, "number", "20"),
        (60.9625, "number", "61.0"),
        (1234567.0, "tokens", "1,234,567"),
    ],
)
def test_figures_have_their_kinds_usual_digits(value: float, kind: Kind, expected: str) -> None:
    assert shown(Cell(value), kind) == expected

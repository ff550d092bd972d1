"""Cells of CSV files run nothing in a spreadsheet, and lose nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.report.export.inert import active, inert


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1",
        "|calc",
        "%x",
        "＝1",
        "＋1",
        "－1",
        "＠x",
        "\ufeff=1",
    ],
)
def test_what_a_spreadsheet_would_run_begins_with_an_apostrophe(text: str) -> None:
    assert inert(text) == "'" + text


@pytest.mark.parametrize("text", ["", "plain", "a=1", "1-2", "(x)", "ä"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert inert(text) == text


@given(st.text())
def test_what_was_made_inert_comes_back(text: str) -> None:
    cell = inert(text)
    assert not cell.lstrip(" \u00a0\ufeff").startswith(tuple("=+-@\t\r\n|%＝＋－＠"))
    assert "\0" not in cell
    assert active(cell) == text.replace("\0", "\ufffd")

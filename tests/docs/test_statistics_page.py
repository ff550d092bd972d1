"""The tables of the page about statistics are what the functions give."""

from __future__ import annotations

import pytest
from bench.coverage import REPETITIONS, mixture_tables, one_epoch_table, paired_table, scan_table

from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "statistics.md").read_text()


def test_the_exact_table_of_one_epoch_is_on_the_page() -> None:
    assert one_epoch_table() in PAGE


def test_the_detectable_difference_on_the_page_is_computed() -> None:
    from underspec.measure.planning import paired_spread, smallest_detectable_difference

    points = 100 * smallest_detectable_difference(100, paired_spread(0.075, 0.075))
    assert f"is {points:.1f} points" in PAGE


@pytest.mark.proof
def test_the_scan_and_the_simulated_tables_are_on_the_page() -> None:
    scan, _, remark = scan_table().partition("\n\n")
    assert scan in PAGE
    assert remark.strip() in PAGE
    for table in (*mixture_tables(REPETITIONS), paired_table(REPETITIONS)):
        assert table in PAGE

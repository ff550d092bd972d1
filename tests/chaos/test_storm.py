"""Runs that are hurt end as a calm one does: nothing lost, nothing twice, nothing left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.storm import Storm

pytestmark = pytest.mark.sandbox


def test_ten_rounds_end_like_a_calm_run(tmp_path: Path) -> None:
    told = Storm(tmp_path, seed=11, epochs=2).rounds(10)
    assert sum(told.rounds.values()) == 10
    assert told.runs >= 1


@pytest.mark.proof
def test_two_hundred_rounds_end_like_calm_runs(tmp_path: Path) -> None:
    told = Storm(tmp_path, seed=12).rounds(200)
    assert sum(told.rounds.values()) == 200
    assert min(told.rounds.values()) >= 20

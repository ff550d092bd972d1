"""The pages about export and human validation say what there is."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.report.export.sample import build_run
from underspec.artifact.condition import Condition
from underspec.report.export.columns import TABLES, condition_columns
from underspec.report.export.rewards import DEFAULT_WEIGHTS, MEANING
from underspec.report.export.write import Wanted, export
from underspec.report.human.sheets import COLUMNS
from underspec.task.catalog import find_task
from underspec.task.load import read_toml

PAGE = (ROOT / "docs" / "export.md").read_text()
VALIDATION = (ROOT / "docs" / "human-validation.md").read_text()


@pytest.mark.parametrize("table", list(TABLES))
def test_every_column_is_on_the_page_with_its_type_and_meaning(table: str) -> None:
    section = PAGE[PAGE.index(f"### `{table}`") :].split("\n### ")[0].split("\n```")[0]
    told = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+?) \|$", section, re.MULTILINE)
    own = {column.name for column in condition_columns()} if table == "items" else set()
    wanted = [
        (each.name, each.kind, each.says + (" (not in a public export)" if each.hidden else ""))
        for name, columns in TABLES.items()
        for each in columns
        if name == table and each.name not in own
    ]
    assert told == wanted


def test_the_weights_on_the_page_are_the_defaults() -> None:
    told = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert told == [(name, f"{weight:g}", MEANING[name]) for name, weight in DEFAULT_WEIGHTS.items()]


def test_the_pages_program_runs(tmp_path: Path) -> None:
    run = build_run(tmp_path / "main", [Condition(agent="asker"), Condition(agent="eager", budget=0)], ["data-sizes"])
    wanted = Wanted(("parquet",), DEFAULT_WEIGHTS)
    export([run], tmp_path / "results", wanted, find_toml=lambda task: read_toml(find_task(task)))
    program = PAGE[PAGE.index("```python\n") + 10 :].split("```")[0]
    shown, before = io.StringIO(), Path.cwd()
    os.chdir(tmp_path)
    try:
        with contextlib.redirect_stdout(shown):
            exec(program, {})
    finally:
        os.chdir(before)
    assert "'agent': 'eager'" in shown.getvalue()


def test_the_columns_of_sheets_are_on_the_page() -> None:
    for columns in COLUMNS.values():
        for name in columns:
            assert f"`{name}`" in VALIDATION

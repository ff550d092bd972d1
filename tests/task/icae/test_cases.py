"""Public cases are recovered from TC_ records where there are no case folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.task.icae.check import imported, loaded, said
from tests.task.icae.synthetic import (
    ALIAS,
    PUBLIC,
    case_folder,
    case_record,
    checkout_files,
    constraint,
    level_document,
    level_records,
    without_cases,
)
from underspec.task import release
from underspec.task.icae.cases import expectation_text
from underspec.task.model import Task

L1, L2, L3 = (f"prd_json{level}/{ALIAS}.json" for level in ("", "_medium", "_easy"))
TURN, READ = PUBLIC


def with_records(*records: Any, path: str = L1, level: str = "L1") -> dict[str, Any]:
    plain = [one for one in level_records(level) if not one["constraint_id"].startswith("TC_")]
    return {**without_cases(), path: level_document(level, hidden_constraints=[*plain, *records])}


def public(task: Task) -> dict[str, Any]:
    return {
        stem: {"description": file.description, "cases": [case.model_dump() for case in file.cases]}
        for stem, file in task.suites["public"].files.items()
    }


def test_the_recovered_files_are_those_of_the_folders(tmp_path: Path) -> None:
    whole, bare = loaded(tmp_path / "a"), loaded(tmp_path / "b", without_cases())
    assert public(bare) == public(whole) == PUBLIC
    assert release.scaffold_cases(bare) == release.scaffold_cases(whole)


SPELLINGS = {
    "indented": json.dumps(PUBLIC[TURN], indent=2),
    "compact": json.dumps(PUBLIC[TURN], separators=(",", ":")),
    "in a fence": f"```json\n{json.dumps(PUBLIC[TURN])}\n```\nThat is all.",
    "after brackets of prose": f"[see below] {{not JSON}} {json.dumps(PUBLIC[TURN])}",
    "after other JSON": f'{{"note": 1}} {json.dumps(PUBLIC[TURN])}',
    "with a backslash and an n for line ends": json.dumps(PUBLIC[TURN], indent=2).replace("\n", "\\n"),
}


@pytest.mark.parametrize("shown", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_however_the_json_stands_in_the_response(tmp_path: Path, shown: str) -> None:
    result = loaded(tmp_path, with_records(case_record(TURN, shown)))
    assert public(result) == {TURN: PUBLIC[TURN]}


UNREADABLE = {
    "broken JSON": json.dumps(PUBLIC[TURN])[:-2],
    "no JSON": "They are in the folder.",
    "JSON without cases": '{"description": "x"}',
    "cases that are no list": '{"cases": {}}',
    "a case without expectation": '{"cases": [{"input": 1}]}',
    "half a surrogate pair": '{"cases": [{"input": "\\ud800", "expected_output": ""}]}',
    "a number that is none": '{"cases": [{"input": NaN, "expected_output": ""}]}',
    "brackets without end": "[" * 50_000,
}


@pytest.mark.parametrize("shown", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_record_that_gives_no_case_file_is_said_and_the_others_taken(tmp_path: Path, shown: str) -> None:
    result = imported(tmp_path, with_records(case_record(TURN, shown), case_record(READ)))
    assert set(loaded(tmp_path, with_records(case_record(TURN, shown), case_record(READ))).suites["public"].files) == {
        READ
    }
    assert said(result.findings, f"TC_{TURN} gives no case file that can be read")


def test_cases_come_from_the_first_level_that_gives_any(tmp_path: Path) -> None:
    files = with_records()
    task = loaded(tmp_path, files)
    assert public(task) == PUBLIC
    l3 = {L2: None, **with_records(case_record(READ), path=L3, level="L3"), L1: files[L1]}
    assert public(loaded(tmp_path / "l3", l3)) == {READ: PUBLIC[READ]}


def test_other_cases_of_another_level_are_said_and_not_taken(tmp_path: Path) -> None:
    other = {"description": "x", "cases": [{"input": 0, "expected_output": "other"}]}
    files = {**with_records(case_record(TURN, json.dumps(other)), path=L2, level="L2"), **{L1: level_document("L1")}}
    result = imported(tmp_path, files)
    assert public(loaded(tmp_path, files)) == PUBLIC
    (finding,) = said(result.findings, "not those recovered")
    assert finding.file == L2


def test_the_same_cases_under_another_id_are_no_other_cases(tmp_path: Path) -> None:
    renamed = constraint("TC_other_name", ["x"], case_record(TURN)["oracle_response"])
    files = {**with_records(renamed, case_record(READ), path=L2, level="L2"), L1: level_document("L1")}
    assert not said(imported(tmp_path, files).findings, "not those recovered")


def test_folders_win_over_records(tmp_path: Path) -> None:
    other = {"description": "x", "cases": [{"input": 0, "expected_output": "other"}]}
    files = {f"{case_folder('public')}/{TURN}.json": other}
    assert public(loaded(tmp_path, files)) == {TURN: other, READ: PUBLIC[READ]}


def test_only_the_public_folder_missing_is_recovered_too(tmp_path: Path) -> None:
    gone = {path: None for path in checkout_files() if path.startswith(case_folder("public"))}
    task = loaded(tmp_path, gone)
    assert public(task) == PUBLIC
    assert (task.suites["native"].total, task.suites["enhanced"].total) == (4, 2)


def test_without_folders_and_case_records_there_are_no_public_cases(tmp_path: Path) -> None:
    files = {**with_records(), **{L2: with_records(path=L2, level="L2")[L2]}}
    result = imported(tmp_path, files)
    assert result.lacks[-3:] == ("public cases", "native cases", "enhanced cases")


def test_an_unusable_feature_name_is_said(tmp_path: Path) -> None:
    nameless = constraint("TC_", ["x"], case_record(TURN)["oracle_response"])
    result = imported(tmp_path, with_records(nameless, case_record(READ)))
    assert said(result.findings, "no feature's name")
    assert result.cases["public"] == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("", ""),
        ("5", "5"),
        (5, "5"),
        (1.0, "1.0"),
        (True, "true"),
        (None, "null"),
        ([1, "é"], '[1, "\\u00e9"]'),
        ({}, "{}"),
    ],
)
def test_expectations_become_text_as_published(value: Any, text: str) -> None:
    assert expectation_text(value) == text

"""``underspec tasks import-icae``: what it prints, how it ends, and that other commands can use its tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import underspec
from tests.task.icae.synthetic import (
    ALIAS,
    REPO,
    SUITES,
    TASK,
    URL,
    alias_entry,
    another,
    level_document,
    make_checkout,
    without_cases,
)


def two(tmp_path: Path, **files: Any) -> Path:
    entries = {ALIAS: alias_entry(), "realcode@002": alias_entry(2, key="a__b", username="a", repo_name="b", url="")}
    return make_checkout(tmp_path, {"repo_alias.json": entries, **another(2, task_id="a__b"), **files})


def test_the_document_says_what_was_made_and_what_it_lacks(tmp_path: Path) -> None:
    ran = underspec("tasks", "import-icae", two(tmp_path), "--out", tmp_path / "out", "--json")
    assert ran.code == 0, ran.err
    assert ran.err == ""
    document = ran.json()
    assert (document["split"], document["failed"], document["findings"]) == ("full", [], [])
    first, second = document["imported"]
    assert set(first) == {"alias", "task", "path", "state", "language", "levels", "cases", "lacks", "findings"}
    assert (first["alias"], first["task"], first["state"], first["levels"]) == (ALIAS, TASK, "new", ["L1", "L2", "L3"])
    assert first["cases"] == {"public": 2, "native": 4, "enhanced": 2}
    assert second["lacks"] == ["ground request", "native cases", "enhanced cases"]
    again = underspec("tasks", "import-icae", tmp_path / "published", "--out", tmp_path / "out", "--json").json()
    assert {task["state"] for task in again["imported"]} == {"unchanged"}


def test_one_bad_alias_is_told_and_the_rest_imported(tmp_path: Path) -> None:
    source = two(tmp_path, **{f"prd_json/{ALIAS}.json": "{"})
    ran = underspec("tasks", "import-icae", source, "--out", tmp_path / "out", "--json")
    assert ran.code == 1
    document = ran.json()
    (failure,) = document["failed"]
    assert (failure["alias"], failure["file"]) == (ALIAS, f"prd_json/{ALIAS}.json")
    assert failure["where"] == "line 1, column 2"
    assert failure["message"]
    assert failure["mend"]
    assert [task["task"] for task in document["imported"]] == ["realcode-002"]


def test_for_people_it_names_failures_and_counts(tmp_path: Path) -> None:
    source = two(
        tmp_path, **{f"prd_json/{ALIAS}.json": level_document("L1", fuzzy_prd="\x1b[31m" + URL, fallback_response=5)}
    )
    ran = underspec("tasks", "import-icae", source, "--out", tmp_path / "out")
    assert ran.code == 1
    assert f"{ALIAS}: NOT IMPORTED" in ran.out
    assert "$.oracle_data.fallback_response: must be a string" in ran.out
    assert "1 of 2 tasks imported" in ran.out
    assert "[2/2]" in ran.err
    assert "\x1b" not in ran.out + ran.err


def test_lite_takes_the_smallest(tmp_path: Path) -> None:
    argv: list[str | Path] = [
        "tasks",
        "import-icae",
        two(tmp_path),
        "--out",
        tmp_path / "out",
        "--split",
        "lite",
        "--size",
        "1",
        "--json",
    ]
    document = underspec(*argv).json()
    assert (document["split"], [task["task"] for task in document["imported"]]) == ("lite", [TASK])


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--size", "3"], "--split lite"),
        (["--split", "lite", "--size", "0"], "takes no task"),
        (["--split", "half"], "lite"),
        (["--size", "many"], "integer"),
    ],
)
def test_wrong_use_is_told_before_anything_is_made(tmp_path: Path, more: list[str], says: str) -> None:
    ran = underspec("tasks", "import-icae", make_checkout(tmp_path), "--out", tmp_path / "out", *more)
    assert (ran.code, says in ran.err) == (2, True), ran.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("source", ["nowhere", "."])
def test_what_is_no_checkout_is_wrong_use(tmp_path: Path, source: str) -> None:
    ran = underspec("tasks", "import-icae", tmp_path / source, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "mend:" in ran.err


def test_a_damaged_shared_file_ends_it_with_one(tmp_path: Path) -> None:
    source = make_checkout(tmp_path, {"repos.yaml": "repos: ["})
    ran = underspec("tasks", "import-icae", source, "--out", tmp_path / "out")
    assert (ran.code, "repos.yaml: line 1" in ran.err) == (1, True)


def test_the_tasks_are_listed_shown_validated_and_asked_about(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert underspec("tasks", "import-icae", two(tmp_path), "--out", out).code == 0
    listed = underspec("tasks", "list", out, "--json").json()["tasks"]
    assert [(task["id"], task["language"]) for task in listed] == [(TASK, "Rust"), ("realcode-002", "Rust")]
    for exposure in ("L1", "L2", "L3", "recovered"):
        shown = underspec("tasks", "show", out / TASK, "--exposure", exposure, "--json").json()
        assert shown["request"].startswith("# Wheel and gauge")
        assert REPO not in json.dumps(shown)
    validated = underspec("tasks", "validate", out, "--json")
    assert validated.code == 0
    assert {task["id"]: task["valid"] for task in validated.json()["tasks"]} == {TASK: True, "realcode-002": True}
    asked = underspec("stakeholder", "ask", "--task", out / TASK, "--json", "In which unit is pressure given?").json()
    assert asked["reply"] == "Pressure is given in bar."


ANSWERS = {json.dumps(case["input"], sort_keys=True): case["expected_output"]
           for files in SUITES.values() for file in files.values() for case in file["cases"]}  # fmt: skip
TEST_SH = f"""#!/bin/bash
cd "$(dirname "$0")" || exit 1
python3 - "$2" <<'PYTHON'
import json, pathlib, sys
answers = {ANSWERS!r}
for file in pathlib.Path(sys.argv[1]).glob("*.json"):
    for index, case in enumerate(json.loads(file.read_text())["cases"]):
        output = pathlib.Path("stdout", sys.argv[1], f"{{file.stem}}@{{index:03}}.txt")
        output.write_text(answers[json.dumps(case["input"], sort_keys=True)])
PYTHON
"""


@pytest.mark.sandbox
@pytest.mark.parametrize("cases", [True, False])
def test_a_deliverable_is_graded_on_what_an_imported_task_has(tmp_path: Path, cases: bool) -> None:
    source = make_checkout(tmp_path, None if cases else without_cases())
    underspec("tasks", "import-icae", source, "--out", tmp_path / "out")
    script = tmp_path / "submission" / "rcb_tests" / "test.sh"
    script.parent.mkdir(parents=True)
    script.write_text(TEST_SH)
    argv: list[str | Path] = ["grade", "--task", tmp_path / "out" / TASK, "--submission", tmp_path / "submission"]
    ran = underspec(*argv, "--json")
    assert ran.code == 0, ran.err
    graded = ran.json()
    totals = {name: suite["total"] for name, suite in graded["suites"].items()}
    assert totals == ({"public": 2, "native": 4, "enhanced": 2, "hidden": 4} if cases
                      else {"public": 2, "native": 0, "enhanced": 0, "hidden": 0})  # fmt: skip
    assert graded["clean"] is True
    assert graded["overall"]["rate"] == (1.0 if cases else None)
    assert underspec(*argv).code == 0

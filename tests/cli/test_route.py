"""`underspec stakeholder route`: its document, its records from three sources, and what it says to bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import underspec

GOOD = {"task": "data-sizes", "question": "What does divide by zero give?", "gold": ["C028"], "kind": "single"}
VAGUE = {"task": "data-sizes", "question": "Tell me more.", "gold": [], "also_ok": [], "kind": "vague"}
PUBLISHED = {
    "fuzzy_prd": "Print dates.",
    "oracle_data": {
        "task_id": "user__repo",
        "golden_api_signature": "render(rows)",
        "hidden_constraints": [
            {"constraint_id": "C001", "trigger_keywords": ["date format"], "oracle_response": "ISO 8601."},
            {"constraint_id": "C002", "trigger_keywords": ["border line colour"], "oracle_response": "Red."},
        ],
        "context_pointers": [{"vague_reference": "the usual way", "actual_meaning": "As before."}],
        "fallback_response": "I do not know.",
    },
}


def questions(folder: Path, *rows: Any) -> str:
    path = folder / "q.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return str(path)


def route(*argv: str) -> tuple[int, str, str]:
    done = underspec("stakeholder", "route", *argv)
    return done.code, done.out, done.err


def test_the_document_has_the_agreed_shape(tmp_path: Path) -> None:
    file = questions(tmp_path, GOOD, "", VAGUE)
    code, out, _ = route("--task", "data-sizes", "--questions", file, "--router", "lexical", "--json")
    assert code == 0
    document = json.loads(out)
    assert [row["question"] for row in document["questions"]] == [GOOD["question"], VAGUE["question"]]
    assert document["questions"][0]["ids"] == ["C028"]
    assert len(document["questions"][0]["ranking"]) == 5
    assert document["questions"][1]["ids"] == []
    found = document["summary"]
    assert (found["top1"], found["recall_at_3"], found["answered_unanswerable"]) == (1, 1, 0)
    assert set(found["by_kind"]) == {"single", "vague"}


def test_a_published_record_file_is_a_task(tmp_path: Path) -> None:
    records = tmp_path / "realcode@001.json"
    records.write_text(json.dumps(PUBLISHED), encoding="utf-8")
    rows = [
        {"task": "realcode@001", "question": "Which date format?", "gold": ["C001"], "also_ok": [], "kind": "single"},
        {
            "task": "realcode@001",
            "question": "What is the usual way?",
            "gold": ["P0"],
            "also_ok": [],
            "kind": "pointer",
        },
    ]
    code, out, _ = route("--task", str(records), "--questions", questions(tmp_path, *rows), "--json")
    assert code == 0
    document = json.loads(out)
    assert document["summary"]["top1"] == 1
    assert "user__repo" not in out


def test_questions_about_other_tasks_are_left_out_and_counted(tmp_path: Path) -> None:
    other = GOOD | {"task": "moving-marks", "gold": ["C001"]}
    file = questions(tmp_path, GOOD, other)
    code, out, err = route("--task", "data-sizes", "--questions", file, "--router", "lexical", "--json")
    assert code == 0
    assert json.loads(out)["summary"]["left_out"] == 1
    assert "1 questions about other tasks" in err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "is no JSON"),
        ("[]", "line 2"),
        ({"task": "data-sizes", "gold": []}, "question"),
        (GOOD | {"gold": "C028"}, "gold"),
        (GOOD | {"gold": ["C999"]}, "no id 'C999'"),
        (GOOD | {"level": "L9"}, "level"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: Any, said: str) -> None:
    file = questions(tmp_path, GOOD, row)
    code, out, err = route("--task", "data-sizes", "--questions", file, "--router", "lexical", "--json")
    assert code == 1
    assert out == ""
    assert said in err
    assert "line 2" in err


def test_what_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    file = questions(tmp_path, GOOD)
    assert route("--task", "no-such-task", "--questions", file)[0] == 2
    assert route("--task", "data-sizes", "--questions", str(tmp_path / "none.jsonl"))[0] == 2
    assert route("--task", "data-sizes", "--questions", file, "--router", "none")[0] == 2
    assert route("--task", "data-sizes", "--questions", file, "--exposure", "ground")[0] == 2


def test_a_damaged_record_file_is_named(tmp_path: Path) -> None:
    records = tmp_path / "damaged.json"
    records.write_text('{"oracle_data": {}}', encoding="utf-8")
    code, _, err = route("--task", str(records), "--questions", questions(tmp_path, GOOD))
    assert code == 1
    assert "damaged.json" in err
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n", encoding="utf-8")
    assert route("--task", "data-sizes", "--questions", str(empty))[0] == 1

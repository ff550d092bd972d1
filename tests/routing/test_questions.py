"""The labelled questions beside this file are well formed, and their labels name what the tasks' records hold."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from underspec.task.catalog import bundled_tasks
from underspec.task.load import load_task
from underspec.task.model import Level

FOLDER = Path(__file__).parent / "questions"
TASKS = ("data-sizes", "moving-marks", "recurring-times")
MEMBERS = {"task", "level", "question", "gold", "also_ok", "kind"}
UNANSWERABLE = {"vague", "off_record", "extraction"}
AT_LEAST = {
    "single": 50,
    "near_trigger": 10,
    "multi": 12,
    "many": 4,
    "case_file": 10,
    "signature": 5,
    "pointer": 5,
    "vague": 6,
    "off_record": 8,
    "extraction": 8,
    "other_language": 5,
}


def questions(task: str) -> list[dict[str, Any]]:
    lines = (FOLDER / f"{task}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def answers(task: str) -> dict[Level, set[str]]:
    """All ids by exposure level."""
    [path] = [path for path in bundled_tasks("repository") if path.name == task]
    records = load_task(path).records
    assert records is not None
    return {level: set(known.responses()) for level, known in records.levels.items()}


def test_questions_are_about_bundled_tasks() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.jsonl")) == list(TASKS)
    assert set(TASKS) <= {path.name for path in bundled_tasks("repository")}


@pytest.mark.parametrize("task", TASKS)
def test_rows_have_the_agreed_members(task: str) -> None:
    for row in questions(task):
        assert set(row) == MEMBERS, row
        assert row["task"] == task
        assert row["kind"] in AT_LEAST, row
        assert row["question"].strip() == row["question"] != "", row


@pytest.mark.parametrize("task", TASKS)
def test_labels_are_answers_of_the_rows_own_level(task: str) -> None:
    known = answers(task)
    unknown = [
        (row["level"], row["question"], wrong)
        for row in questions(task)
        for wrong in [*row["gold"], *row["also_ok"]]
        if wrong not in known[row["level"]]
    ]
    assert unknown == []


@pytest.mark.parametrize("task", TASKS)
def test_no_id_is_named_twice_in_a_row(task: str) -> None:
    for row in questions(task):
        named = [*row["gold"], *row["also_ok"]]
        assert len(named) == len(set(named)), row


@pytest.mark.parametrize("task", TASKS)
def test_what_cannot_be_answered_has_no_label_and_everything_else_has(task: str) -> None:
    for row in questions(task):
        if row["kind"] in UNANSWERABLE:
            assert row["gold"] == row["also_ok"] == [], row
        else:
            assert row["gold"] or (row["kind"] == "other_language" and not row["also_ok"]), row


@pytest.mark.parametrize("task", TASKS)
def test_several_points_have_several_answers(task: str) -> None:
    for row in questions(task):
        if row["kind"] == "multi":
            assert 2 <= len(row["gold"]) <= 3, row
        if row["kind"] == "many":
            assert len(row["gold"]) > 3, row


@pytest.mark.parametrize("task", TASKS)
def test_no_question_is_asked_twice(task: str) -> None:
    asked = Counter((row["level"], " ".join(row["question"].lower().split())) for row in questions(task))
    assert [question for question, times in asked.items() if times > 1] == []


@pytest.mark.parametrize("task", TASKS)
def test_there_are_enough_of_each_kind(task: str) -> None:
    counted = Counter(row["kind"] for row in questions(task))
    assert {kind: counted[kind] for kind in AT_LEAST if counted[kind] < AT_LEAST[kind]} == {}
    assert counted.total() >= 130


@pytest.mark.parametrize("task", TASKS)
def test_every_l1_answer_is_the_right_one_for_some_question(task: str) -> None:
    asked_for = {gold for row in questions(task) if row["level"] == "L1" for gold in row["gold"]}
    assert answers(task)["L1"] - asked_for == set()

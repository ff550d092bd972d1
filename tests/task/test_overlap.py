"""Records that overlap or contradict each other are pointed out; honest neighbours are not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.task.checks.overlap import check_overlaps
from underspec.task.model import LevelRecords, Record, RecordKind


def record(name: str, response: str, *triggers: str, kind: RecordKind = RecordKind.CONSTRAINT) -> Record:
    return Record(id=name, kind=kind, category="c", triggers=triggers or (f"phrase of {name}",), response=response)


def messages(*records: Record) -> list[str]:
    return [finding.message for finding in check_overlaps("L1", LevelRecords(records=records, fallback="No."))]


def test_nearly_equal_phrases_of_two_records_overlap() -> None:
    one = record("C001", "Red.", "what colour does the border line have")
    other = record("C002", "Thick.", "which colour has the border line")
    [message] = messages(one, other)
    assert "C001 and C002 overlap" in message


def test_phrases_about_different_things_do_not_overlap() -> None:
    one = record("C001", "Red.", "colour of the border line")
    other = record("C002", "Thick.", "width of the outer frame")
    assert messages(one, other) == []


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        (
            "The output file numbering starts at 0 for every suite.",
            "The output file numbering starts at 1 for every suite.",
            "numbers",
        ),
        ("Unknown keys of a request are ignored.", "Unknown keys of a request are rejected.", "ignored and the other"),
        ("Sort the result rows in ascending order.", "Sort the result rows in descending order.", "ascending"),
        ("Duplicate column names are allowed here.", "Duplicate column names are not allowed here.", "negates"),
    ],
)
def test_sentences_that_say_opposite_things_about_the_same_may_contradict(left: str, right: str, reason: str) -> None:
    [message] = messages(record("HARNESS001", left, kind=RecordKind.HARNESS), record("C001", right))
    assert "HARNESS001 and C001 may contradict each other" in message
    assert reason in message


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Column widths are at most 20 characters.", "Column widths are at most 20 characters."),
        ("Ties keep their order.", "Names are upper case."),
        ("Round to 6 digits after the point.", "A month has at least 28 days."),
    ],
)
def test_what_agrees_or_is_about_something_else_does_not_contradict(left: str, right: str) -> None:
    assert messages(record("C001", left), record("C002", right)) == []


def test_case_files_are_not_compared_by_what_they_hold() -> None:
    one = record("TC_a", "Here are the public test cases for rounding:\n1 2 3", kind=RecordKind.CASE_FILE)
    other = record("TC_b", "Here are the public test cases for rounding:\n4 5 6", kind=RecordKind.CASE_FILE)
    assert messages(one, other) == []


def test_a_pair_is_reported_once() -> None:
    one = record("C001", "Keys are ignored when unknown here.", "border line colour red", "frame line width thick")
    other = record(
        "C002", "Keys are rejected when unknown here.", "border line colour of red", "frame line width of thick"
    )
    assert len([message for message in messages(one, other) if "overlap" in message]) <= 1
    assert len([message for message in messages(one, other) if "contradict" in message]) == 1


words = st.lists(st.sampled_from(["size", "row", "key", "not", "7", "first", "last", "sort", "."]), max_size=12).map(
    " ".join
)


@given(st.lists(words.filter(str.strip), min_size=2, max_size=6))
def test_the_order_of_records_decides_no_pair(texts: list[str]) -> None:
    records = [record(f"C{number}", text) for number, text in enumerate(texts)]

    def pairs(found: list[str]) -> set[frozenset[str]]:
        return {frozenset(message.split(" may ")[0].split(" and ")) for message in found if "contradict" in message}

    assert pairs(messages(*records)) == pairs(messages(*reversed(records)))


def test_many_records_take_no_long_time() -> None:
    text = "The size of row {0} is key {0} and the value of cell {0} is sorted last. " * 10
    records = [record(f"C{number}", text.format(number), f"row key size number {number}") for number in range(200)]
    before = time.process_time()
    messages(*records)
    assert time.process_time() - before < 5

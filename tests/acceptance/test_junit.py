"""JUnit XML is read strictly: what is no whole report says nothing, and nothing is counted twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.errors import TaskError
from underspec.grade.acceptance.junit import DamagedReportError, read_report


def report(cases: str) -> bytes:
    return f"<testsuites><testsuite>{cases}</testsuite></testsuites>".encode()


def case(name: str, inside: str = "") -> str:
    return f'<testcase classname="test_a" name="{name}">{inside}</testcase>'


def test_each_kind_of_end_has_its_verdict() -> None:
    cases = (
        case("p")
        + case("f", "<failure/>")
        + case("e", "<error/>")
        + case("s", "<skipped/>")
        + case("o", "<system-out/>")
    )
    read = read_report(report(cases))
    assert {test.removeprefix("test_a::"): one.verdict.value for test, one in read.items()} == {
        "p": "passed",
        "f": "failed",
        "e": "error",
        "s": "skipped",
        "o": "passed",
    }


def test_messages_are_kept_once_and_cut() -> None:
    cases = case("a", '<failure message="one">one\ntwo</failure>') + case("b", '<error message="x">y</error>')
    read = read_report(report(cases + case("c", f"<failure>{'z' * 100_000}</failure>")))
    assert (read["test_a::a"].message, read["test_a::b"].message) == ("one\ntwo", "x\ny")
    assert len(read["test_a::c"].message) == 4000


def test_the_first_failure_of_a_test_stays() -> None:
    read = read_report(report(case("a", '<failure message="first"/><error message="second"/>')))
    assert (read["test_a::a"].verdict, read["test_a::a"].message) == ("failed", "first")


def test_a_test_that_is_reported_twice_is_the_tasks_fault() -> None:
    with pytest.raises(TaskError, match="twice"):
        read_report(report(case("a") + case("a", "<failure/>")))


BOMB = b'<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]><testsuite>&c;</testsuite>'


@pytest.mark.parametrize("data", [b"", b"<testsuite>", b"5 passed", b"\xff\xfe", report(case("a")) + b"<x/>", BOMB])
def test_what_is_no_whole_report_is_damaged(data: bytes) -> None:
    with pytest.raises(DamagedReportError):
        read_report(data)


@given(st.binary(max_size=200))
def test_no_bytes_are_a_report_by_chance_or_bring_it_down(data: bytes) -> None:
    try:
        read_report(data)
    except DamagedReportError:
        return
    assert b"<" in data

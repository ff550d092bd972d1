"""What was uncovered, by how many questions, and when; silence counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.artifact.session import HiddenPoint, SessionLog, Turn
from underspec.measure.interaction import interaction, summarise

POINTS = (
    HiddenPoint(id="C1", kind="constraint", category="errors"),
    HiddenPoint(id="C2", kind="constraint", category="format"),
    HiddenPoint(id="ARCH001", kind="architecture", category="structure"),
    HiddenPoint(id="TC_one", kind="case_file", category="examples"),
)


def turn(number: int, *matched: str, default: bool = False, forced: bool = False, budget: int = 16) -> Turn:
    alignment = "forced" if forced else "routed" if "SIG" in matched else None
    return Turn(
        number=number,
        question="?",
        reply="!",
        matched=matched,
        fallback=not matched and not default,
        acknowledged_default=default,
        alignment=alignment,
        remaining=budget - number,
    )


def log(*turns: Turn, task: str = "t", points: tuple[HiddenPoint, ...] = POINTS, budget: int = 16) -> SessionLog:
    ids = tuple(point.id for point in points)
    return SessionLog(
        task=task, level="L1", router="lexical", budget=budget, hidden_ids=ids, points=points, turns=turns
    )


def test_coverage_counts_each_hidden_id_once_and_neither_pointers_nor_the_signature() -> None:
    rates = interaction(log(turn(1, "C1", "SIG"), turn(2, "C1", "P0"), turn(3, "TC_one")))
    assert rates.coverage == pytest.approx(0.5)
    assert rates.uncovered == ("C1", "TC_one")
    assert rates.missed == ("C2", "ARCH001")


def test_case_files_and_architecture_are_shown_apart_and_so_is_each_category() -> None:
    rates = interaction(log(turn(1, "C1", "TC_one")))
    assert rates.coverage_by_kind == {"architecture": 0.0, "case_file": 1.0, "constraint": 0.5}
    assert rates.coverage_by_category == {"errors": 1.0, "examples": 1.0, "format": 0.0, "structure": 0.0}


def test_an_acknowledged_default_is_no_fallback() -> None:
    rates = interaction(log(turn(1), turn(2, default=True), turn(3, "C1", default=True), turn(4, "C2")))
    assert rates.fallback_rate == pytest.approx(1 / 4)
    assert (rates.fallbacks, rates.acknowledged_defaults) == (1, 2)


def test_alignments_are_counted_and_those_that_the_router_missed_apart() -> None:
    rates = interaction(log(turn(1, "SIG"), turn(2, "SIG", "C1", forced=True), turn(3, "C1")))
    assert (rates.alignments, rates.forced_alignments) == (2, 1)


def test_disclosure_is_coverage_after_each_question() -> None:
    rates = interaction(log(turn(1), turn(2, "C1", "C2"), turn(3, "C1"), turn(4, "ARCH001")))
    assert rates.disclosure == (0.0, 0.5, 0.5, 0.75)


def test_a_log_that_does_not_say_what_its_ids_are_is_read_and_has_no_parts() -> None:
    old = (
        b'{"schema_version":1,"task":"t","level":"L1","router":"lexical","budget":16,"hidden_ids":["C1","C2"],"turns":'
        b'[{"number":1,"question":"?","reply":"!","matched":["C1"],"fallback":false,"acknowledged_default":false,'
        b'"more_asked":false,"request_id":null,"remaining":15}]}'
    )
    rates = interaction(SessionLog.from_bytes(old, file="session.json"))
    assert rates.coverage == pytest.approx(0.5)
    assert rates.coverage_by_kind == {}


def test_a_task_in_which_nothing_was_asked_counts_with_coverage_nought() -> None:
    summary = summarise([log(turn(1, "C1", "C2"), task="a"), log(task="b")])
    assert summary.coverage == pytest.approx(0.25)
    assert summary.budget_use == pytest.approx(1 / 32)
    assert summary.silent == 1
    # Whoever asks nothing is told nothing: there is no question of which it could be a share.
    assert summary.fallback_rate == 0.0


def test_tasks_weigh_the_same_however_many_sessions_and_constraints_they_have() -> None:
    full = [log(turn(1, "C1", "C2"), turn(2, "ARCH001", "TC_one"), task="a") for _ in range(3)]
    small = (HiddenPoint(id="C9", kind="constraint", category="errors"),)
    summary = summarise([*full, log(turn(1), task="b", points=small)])
    assert summary.coverage == pytest.approx(0.5)
    assert summary.fallback_rate == pytest.approx(0.5)
    assert summary.coverage_by_category["errors"] == pytest.approx(0.5)
    assert summary.coverage_by_category["format"] == pytest.approx(1.0)
    assert summary.disclosure == pytest.approx((0.25, 0.5))


def test_no_sessions_have_no_rates() -> None:
    summary = summarise([])
    assert (summary.coverage, summary.fallback_rate, summary.budget_use, summary.disclosure) == (None, None, None, ())


@st.composite
def logs(draw: st.DrawFn) -> SessionLog:
    ids = st.sampled_from(["C1", "C2", "ARCH001", "TC_one", "SIG", "P0"])
    asked = draw(st.lists(st.lists(ids, max_size=3, unique=True), max_size=16))
    turns = [turn(place, *matched) for place, matched in enumerate(asked, 1)]
    return log(*turns, task=draw(st.sampled_from("ab")))


@given(st.lists(logs(), min_size=1, max_size=6))
def test_rates_are_rates_and_disclosure_only_grows_to_the_coverage(sessions: list[SessionLog]) -> None:
    summary = summarise(sessions)
    rates = [summary.coverage, summary.budget_use, *summary.coverage_by_kind.values(), *summary.disclosure]
    assert all(rate is not None and 0 <= rate <= 1 for rate in rates)
    assert list(summary.disclosure) == sorted(summary.disclosure)
    if summary.disclosure:
        assert summary.disclosure[-1] == pytest.approx(summary.coverage)
    document = summary.document()
    assert document["silent"] == sum(not session.turns for session in sessions)

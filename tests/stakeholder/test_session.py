"""A question is charged when, and only when, its reply has been stored."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.stakeholder.toy import FixedRouter, open_session, small_records
from underspec.artifact.session import SessionLog, Turn
from underspec.errors import HarnessError, HostExhaustedError, ModelServiceError, StakeholderError, StoreError
from underspec.stakeholder.router import Routing
from underspec.stakeholder.session import Answer, Refusal, Session, hidden_points
from underspec.task.model import LevelRecords, Pointer


def ask(session: Session, question: str, request_id: str | None = None) -> Answer | Refusal:
    return asyncio.run(session.ask(question, request_id))


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_each_reply_is_charged_and_stored_before_it_leaves(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    with open_session(path, budget=3) as session:
        assert ask(session, "C1?") == Answer("Answer of C1.\nSecond line.", 2)
        assert lines(path)[1]["question"] == "C1?"
        assert ask(session, "nothing?") == Answer("Nothing to say.", 1)
        assert session.remaining == 1
        assert [line["number"] for line in lines(path)[1:]] == [1, 2]
        assert [turn.fallback for turn in session.log().turns] == [False, True]


def test_a_spent_budget_is_told_and_nothing_more_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    with open_session(path, budget=1) as session:
        ask(session, "C1")
        size = path.stat().st_size
        assert ask(session, "C2") == Refusal("max_interactions_reached", 0)
        assert path.stat().st_size == size
        assert session.remaining == 0


def test_a_budget_of_zero_answers_nothing(tmp_path: Path) -> None:
    with open_session(tmp_path / "s", budget=0) as session:
        assert ask(session, "C1") == Refusal("max_interactions_reached", 0)


def test_a_request_id_makes_a_question_idempotent_even_when_the_budget_is_spent(tmp_path: Path) -> None:
    with open_session(tmp_path / "s", budget=2) as session:
        first = ask(session, "C1", "a")
        ask(session, "C2", "b")
        assert ask(session, "C1", "a") == first
        assert ask(session, "C2", "a") == Refusal("request_id_reused", 0)
        assert len(session.log().turns) == 2


def test_without_a_request_id_every_ask_is_a_turn(tmp_path: Path) -> None:
    with open_session(tmp_path / "s") as session:
        assert [ask(session, "C1") for _ in range(2)] == [
            Answer("Answer of C1.\nSecond line.", 15),
            Answer("Answer of C1.\nSecond line.", 14),
        ]


@pytest.mark.parametrize("question", ["", "  \n", "\ud800", "x" * 8193, "é" * 4097])
def test_questions_that_cannot_be_stored_are_refused_free_of_charge(tmp_path: Path, question: str) -> None:
    with open_session(tmp_path / "s") as session:
        assert ask(session, question) == Refusal("invalid_question", 16)
        assert ask(session, "C1", question) == Refusal("invalid_request_id", 16)


def test_a_question_at_the_limit_is_fine(tmp_path: Path) -> None:
    with open_session(tmp_path / "s") as session:
        assert isinstance(ask(session, "é" * 4096), Answer)


@pytest.mark.parametrize(
    "raised", [ValueError("x"), KeyError("C1"), OSError(5, "io"), TimeoutError(), RecursionError()]
)
def test_whatever_a_router_raises_is_the_stakeholders_failure_and_free(tmp_path: Path, raised: Exception) -> None:
    router = FixedRouter()
    with open_session(tmp_path / "s", router=router) as session:
        router.error = raised
        with pytest.raises(StakeholderError):
            ask(session, "C1", "id")
        router.error = None
        assert ask(session, "C1", "id") == Answer("Answer of C1.\nSecond line.", 15)


def test_a_typed_failure_keeps_its_boundary(tmp_path: Path) -> None:
    router = FixedRouter()
    with open_session(tmp_path / "s", router=router) as session:
        router.error = ModelServiceError("rate limit")
        with pytest.raises(ModelServiceError):
            ask(session, "C1")
        assert session.remaining == 16


class LyingRouter(FixedRouter):
    async def route(self, question: str, records: LevelRecords, history: Sequence[Turn]) -> Routing:
        return Routing(("C1", "../../etc/passwd"))


def test_an_id_from_nowhere_is_no_reply_and_no_charge(tmp_path: Path) -> None:
    with open_session(tmp_path / "s", router=LyingRouter()) as session:
        with pytest.raises(StakeholderError):
            ask(session, "C1")
        assert session.remaining == 16


def test_the_router_is_given_the_stored_history(tmp_path: Path) -> None:
    router = FixedRouter()
    with open_session(tmp_path / "s", router=router) as session:
        ask(session, "C1")
        ask(session, "C2")
    assert router.seen == [("C1", 0), ("C2", 1)]


def test_parallel_asks_are_answered_one_after_another(tmp_path: Path) -> None:
    async def many(session: Session) -> list[Answer | Refusal]:
        return await asyncio.gather(*(session.ask("C1", f"id{n % 8}") for n in range(40)), session.ask("C2"))

    with open_session(tmp_path / "s", budget=9) as session:
        outcomes = asyncio.run(many(session))
        answers = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
        assert len(answers) == 41
        assert [turn.number for turn in session.log().turns] == list(range(1, 10))
        assert [turn.remaining for turn in session.log().turns] == list(range(8, -1, -1))


def test_parallel_asks_never_overspend(tmp_path: Path) -> None:
    async def many(session: Session) -> list[Answer | Refusal]:
        return await asyncio.gather(*(session.ask("C1") for _ in range(30)))

    with open_session(tmp_path / "s", budget=5) as session:
        outcomes = asyncio.run(many(session))
    left = [answer.remaining for answer in outcomes if isinstance(answer, Answer) and answer.remaining is not None]
    assert sorted(left) == [0, 1, 2, 3, 4]
    assert sum(isinstance(outcome, Refusal) for outcome in outcomes) == 25


def test_a_reopened_session_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with open_session(path, budget=4) as session:
        first = ask(session, "C1", "a")
        before = session.log()
    with open_session(path, budget=4) as session:
        assert session.log() == before
        assert ask(session, "C1", "a") == first
        assert ask(session, "C2") == Answer("Answer of C2.\nSecond line.", 2)


def test_a_torn_last_line_is_dropped_whatever_its_length(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with open_session(path) as session:
        ask(session, "C1")
        kept = session.log()
        whole = path.read_bytes()
        ask(session, "C2")
    last = path.read_bytes()[len(whole) :]
    for cut in range(1, len(last)):
        path.write_bytes(whole + last[:cut])
        with open_session(path) as session:
            assert session.log() == kept
        assert path.read_bytes() == whole


def test_a_torn_first_line_begins_the_session_anew(tmp_path: Path) -> None:
    path = tmp_path / "s"
    open_session(path).close()
    header = path.read_bytes()
    for torn in (b"", header[:7], header[:-1], b"\0\0\0"):
        path.write_bytes(torn)
        with open_session(path) as session:
            assert session.remaining == 16
        assert path.read_bytes() == header


def _stored(path: Path) -> list[bytes]:
    with open_session(path) as session:
        for question in ("C1", "C2", "C3"):
            ask(session, question)
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("line", [0, 1, 2, 3])
@pytest.mark.parametrize("damage", [b"garbage\n", b"{}\n", b"\n", b"\xff\xfe\n", b'{"number": 1}\n'])
def test_damage_before_the_end_is_said_with_its_line(tmp_path: Path, line: int, damage: bytes) -> None:
    path = tmp_path / "s"
    stored = _stored(path)
    stored[line] = damage
    path.write_bytes(b"".join(stored))
    with pytest.raises(StoreError) as caught:
        open_session(path)
    assert caught.value.where == f"line {line + 1}"
    assert str(path) in str(caught.value)


def test_a_missing_doubled_or_swapped_turn_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "s"
    header, first, second, third = _stored(path)
    for lines_ in ([header, second, third], [header, first, first], [header, second, first], [first, second]):
        path.write_bytes(b"".join(lines_))
        with pytest.raises(StoreError):
            open_session(path)


def test_another_sessions_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    open_session(path).close()
    for other in ({"budget": 8}, {"task": "else"}):
        with pytest.raises(StoreError, match="another"):
            open_session(path, **other)
    changed = small_records().model_copy(update={"fallback": "Something else."})
    with pytest.raises(StoreError, match="another records"):
        Session.open(path, task="toy", level="L1", records=changed, router=FixedRouter())
    open_session(path).close()


def test_two_holders_of_one_file_are_one_too_many(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with open_session(path), pytest.raises(StoreError, match="another process"):
        open_session(path)
    open_session(path).close()


def test_what_is_no_regular_file_is_no_session(tmp_path: Path) -> None:
    fifo, folder, link = tmp_path / "fifo", tmp_path / "folder", tmp_path / "link"
    os.mkfifo(fifo)
    folder.mkdir()
    link.symlink_to(tmp_path / "target")
    for path in (fifo, folder, link, tmp_path / "target" / "below"):
        if path.parent.name == "target":
            path.parent.write_text("a file")
        with pytest.raises(StoreError):
            open_session(path)


def fail_at(monkeypatch: pytest.MonkeyPatch, call: str, number: int) -> None:
    def failing(*_: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(f"underspec.stakeholder.journal.os.{call}", failing)


@pytest.mark.parametrize("call", ["pwrite", "fsync"])
@pytest.mark.parametrize(("number", "expected"), [(errno.ENOSPC, HostExhaustedError), (errno.EIO, StoreError)])
def test_what_cannot_be_stored_is_neither_told_nor_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, expected: type[Exception]
) -> None:
    path = tmp_path / "s"
    with open_session(path) as session:
        ask(session, "C1")
        whole = path.read_bytes()
        with monkeypatch.context() as patch:
            fail_at(patch, call, number)
            with pytest.raises(expected):
                ask(session, "C2")
        with pytest.raises(expected):
            ask(session, "C3")
        assert session.remaining == 15
    assert path.read_bytes() == whole
    with open_session(path) as session:
        assert ask(session, "C2") == Answer("Answer of C2.\nSecond line.", 14)


def test_a_turn_written_in_pieces_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.pwrite
    monkeypatch.setattr(
        "underspec.stakeholder.journal.os.pwrite", lambda handle, data, at: real(handle, bytes(data)[:3], at)
    )
    path = tmp_path / "s"
    with open_session(path) as session:
        ask(session, "C1")
        log = session.log()
    with open_session(path) as session:
        assert session.log() == log


@pytest.mark.parametrize("moment", range(6))
def test_a_cancelled_ask_is_stored_and_charged_or_neither(tmp_path: Path, moment: int) -> None:
    async def cancelled(session: Session) -> None:
        asking = asyncio.create_task(session.ask("C1", "id"))
        for _ in range(moment):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait({asking})
        stored = len(session.log().turns)
        assert session.remaining == 16 - stored
        assert isinstance(await session.ask("C1", "id"), Answer)
        assert len(session.log().turns) == 1

    path = tmp_path / "s"
    with open_session(path) as session:
        asyncio.run(cancelled(session))
        log = session.log()
    with open_session(path) as session:
        assert session.log() == log


def test_the_log_is_an_artifact_that_reads_back(tmp_path: Path) -> None:
    with open_session(tmp_path / "s") as session:
        ask(session, "C1 C2 C3 TC_one", "id")
        log = session.log()
    assert SessionLog.from_bytes(log.to_bytes(), file="session.json") == log
    assert log.turns[0].matched == ("C1", "C2", "C3")
    assert log.turns[0].more_asked


def test_equal_conversations_give_equal_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with open_session(tmp_path / name) as session:
            ask(session, "C1")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_every_record_hides_something_and_pointers_do_not(tmp_path: Path) -> None:
    records = small_records().model_copy(
        update={"pointers": (Pointer(reference="it", meaning="that"),), "signature": "f()"}
    )
    assert [point.id for point in hidden_points(records)] == ["C1", "C2", "C3", "TC_one"]
    assert hidden_points(records)[3].kind == "case_file"
    with open_session(tmp_path / "s") as session:
        assert session.log().hidden_ids == ("C1", "C2", "C3", "TC_one")


def test_closing_twice_is_fine_and_asking_afterwards_is_said(tmp_path: Path) -> None:
    session = open_session(tmp_path / "s")
    session.close()
    session.close()
    with pytest.raises(HarnessError):
        ask(session, "C1")

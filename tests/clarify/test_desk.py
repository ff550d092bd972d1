"""Client and supervisor: rounds, revisions, retries; what leaves, and what never does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from underspec.artifact.clarification import FailedRound, Objection, Round, Verdict
from underspec.errors import ModelServiceError, StakeholderError
from underspec.stakeholder.clarification import ROUND_RETRIES, ClarificationDesk, DeskLimits, RoundLog
from underspec.stakeholder.client import Exchange, Knowledge
from underspec.stakeholder.session import Answer, Refusal
from underspec.stakeholder.supervisor import read_verdict

KNOWLEDGE = Knowledge("Fees are 50 cents a day, from the third day on.", {"prices.csv": "9 9 9"})


class Clerk:
    """A client and a supervisor in one, driven by lists; remembers what it was given."""

    def __init__(self, verdicts: list[Verdict | Exception], drafts: list[str] | None = None) -> None:
        self.verdicts, self.drafts = verdicts, drafts
        self.asked: list[tuple[str, tuple[Exchange, ...], tuple[Exchange, ...]]] = []
        self.reviewed: list[tuple[str, str, tuple[Exchange, ...]]] = []

    async def draft(
        self, question: str, conversation: tuple[Exchange, ...], returned: tuple[Exchange, ...] = ()
    ) -> str:
        self.asked.append((question, conversation, returned))
        return self.drafts.pop(0) if self.drafts else f"draft {len(self.asked)} of {question}"

    async def review(self, question: str, draft: str, conversation: tuple[Exchange, ...]) -> Verdict:
        self.reviewed.append((question, draft, conversation))
        verdict = self.verdicts.pop(0) if self.verdicts else Verdict()
        if isinstance(verdict, Exception):
            raise verdict
        return verdict


NO = Verdict(objections=("scope",), reasons="too much")


def desk_of(folder: Path, clerk: Clerk, rounds: int | None = None, revisions: int = 2) -> ClarificationDesk:
    limits = DeskLimits(rounds=rounds, revisions=revisions)
    return ClarificationDesk(clerk, clerk, KNOWLEDGE, limits, RoundLog(folder / "rounds.jsonl"))


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "rounds.jsonl").read_text().splitlines()]


def test_only_the_approved_draft_leaves_and_the_reasons_reach_the_client(tmp_path: Path) -> None:
    clerk = Clerk([NO, NO, Verdict()])
    desk = desk_of(tmp_path, clerk)
    assert asyncio.run(desk.ask("What is late?")) == Answer("draft 3 of What is late?", None)
    assert [len(returned) for _, _, returned in clerk.asked] == [0, 1, 2]
    assert clerk.asked[2][2][0] == ("draft 1 of What is late?", "scope: too much")
    assert [draft.verdict.approved for draft in desk.rounds[0].drafts] == [False, False, True]
    asyncio.run(desk.ask("And then?"))
    # The conversation is of questions and approved replies alone.
    assert clerk.asked[-1][1] == (("What is late?", "draft 3 of What is late?"),)
    assert [line["number"] for line in lines(tmp_path)] == [1, 2]


def test_a_round_without_approval_is_tried_again_from_its_checkpoint_and_then_fails(tmp_path: Path) -> None:
    clerk = Clerk([NO, NO, NO, Verdict()])
    desk = desk_of(tmp_path, clerk)
    assert asyncio.run(desk.ask("Q")) == Answer("draft 4 of Q", None)
    # The second attempt began without what the first had come to.
    assert [len(returned) for _, _, returned in clerk.asked] == [0, 1, 2, 0]
    assert [(one.number, len(one.drafts)) for one in desk.failed] == [(1, 3)]
    assert len(desk.rounds[0].drafts) == 1
    stubborn = Clerk([NO] * 1000)
    other = desk_of(tmp_path, stubborn, revisions=0)
    with pytest.raises(StakeholderError, match="no approved reply in 6 attempts"):
        asyncio.run(other.ask("Q"))
    assert len(stubborn.asked) == 1 + ROUND_RETRIES == len(other.failed)
    assert other.rounds == []


def test_a_provider_that_is_down_is_no_failed_round(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, Clerk([ModelServiceError("down")]))
    with pytest.raises(ModelServiceError):
        asyncio.run(desk.ask("Q"))
    assert (desk.rounds, desk.failed) == ([], [])


def test_rounds_are_limited_only_where_the_condition_says_so(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, Clerk([]), rounds=2)
    answers = [asyncio.run(desk.ask(question)) for question in ("a", "b", "c")]
    assert [answer.remaining for answer in answers] == [1, 0, 0]
    assert answers[2] == Refusal("max_interactions_reached", 0)
    endless = desk_of(tmp_path, Clerk([]))
    for number in range(50):
        assert isinstance(asyncio.run(endless.ask(f"q{number}")), Answer)
    endless.close()
    assert asyncio.run(endless.ask("late")) == Refusal("session_closed", None)


def test_a_request_id_makes_a_question_idempotent(tmp_path: Path) -> None:
    clerk = Clerk([])
    desk = desk_of(tmp_path, clerk)
    first = asyncio.run(desk.ask("Q", "id-1"))
    assert asyncio.run(desk.ask("Q", "id-1")) == first
    assert asyncio.run(desk.ask("other", "id-1")) == Refusal("request_id_reused", None)
    assert len(clerk.asked) == 1
    for question in ("", "  ", "x" * 9000, "\ud800"):
        refused = asyncio.run(desk.ask(question))
        assert isinstance(refused, Refusal)
        assert refused.reason == "invalid_question"


def test_an_approved_reply_is_audited(tmp_path: Path) -> None:
    clerk = Clerk([], drafts=["Fees are 50 cents, at most 12 euros, as in `fees.toml`."])
    desk = desk_of(tmp_path, clerk)
    asyncio.run(desk.ask("What are the fees?"))
    assert [(each.kind, each.text) for each in desk.rounds[0].ungrounded] == [
        ("number", "12"),
        ("quotation", "fees.toml"),
    ]


OBJECTIONS: list[Objection] = ["accuracy", "completeness", "scope"]


@given(
    schedule=st.lists(st.lists(st.sampled_from(OBJECTIONS), max_size=2), max_size=30),
    questions=st.lists(st.text(alphabet="abc", min_size=1, max_size=3), max_size=5),
)
@settings(max_examples=60, deadline=None)
def test_whatever_is_returned_and_retried_only_approved_replies_leave(
    tmp_path_factory: pytest.TempPathFactory, schedule: list[list[Objection]], questions: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("desk")
    verdicts: list[Verdict | Exception] = [Verdict(objections=tuple(each), reasons="REASON") for each in schedule]
    desk = desk_of(folder, Clerk(verdicts), revisions=1)

    async def talk() -> list[Answer | Refusal]:
        return [await desk.ask(question) for question in questions]

    try:
        answers = asyncio.run(talk())
    except StakeholderError:
        assert len(desk.rounds) < len(questions)
        answers = []
    for answer, one in zip(answers, desk.rounds, strict=True) if answers else ():
        assert isinstance(answer, Answer)
        assert one.drafts[-1].verdict.approved
        assert answer.reply == one.drafts[-1].text
        assert not any(draft.verdict.approved for draft in one.drafts[:-1])
        assert "REASON" not in answer.reply
    stored = lines(folder) if (folder / "rounds.jsonl").exists() else []
    assert len(stored) == len(desk.rounds) + len(desk.failed)
    for line in stored:
        kind: Callable[..., Round | FailedRound] = (
            Round.model_validate if "reply" in line else FailedRound.model_validate
        )
        kind(line)


@pytest.mark.parametrize(
    ("document", "objections"),
    [
        ({"accurate": True, "complete": True, "in_scope": True, "reasons": ""}, ()),
        ({"accurate": True, "complete": False, "in_scope": False}, ("completeness", "scope")),
        ({"accurate": False, "complete": True, "in_scope": True, "reasons": 7}, ("accuracy",)),
    ],
)
def test_a_verdict_is_read(document: dict[str, object], objections: tuple[str, ...]) -> None:
    verdict = read_verdict(document)
    assert verdict is not None
    assert verdict.objections == objections


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"accurate": True, "complete": True},
        {"accurate": "true", "complete": True, "in_scope": True},
        {"approve": 1},
    ],
)
def test_what_is_not_said_plainly_approves_nothing(document: dict[str, object]) -> None:
    assert read_verdict(document) is None

"""The embedded router on labelled questions, and where it must not answer."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass

import pytest

from tests.stakeholder import sizes_questions, table_questions
from tests.stakeholder.sizes_questions import Question
from tests.stakeholder.toy import sizes_records, table_records
from underspec.errors import UsageError
from underspec.stakeholder.lexical import LexicalRouter
from underspec.stakeholder.router import load_router
from underspec.stakeholder.words import words
from underspec.task.model import LevelRecords

ROUTER = LexicalRouter()


@dataclass(frozen=True)
class Figures:
    top1: float
    given: float
    answered_unanswerable: float


def measure(questions: list[Question], records: LevelRecords) -> Figures:
    top = right = wanted = unanswerable = answered = answerable = 0
    for _, question, gold, fine in questions:
        routing = ROUTER.route_now(question, records)
        if gold:
            answerable += 1
            top += bool(routing.ranking) and routing.ranking[0] in gold + fine
            wanted += min(3, len(gold))
            right += len(set(routing.ids[:3]) & set(gold))
        else:
            unanswerable += 1
            answered += bool(set(routing.ids) - set(fine))
    return Figures(top / answerable, right / wanted, answered / unanswerable)


SETS = {
    "table": (table_questions.QUESTIONS, table_records()),
    "sizes": (sizes_questions.QUESTIONS, sizes_records()),
    "sizes, later": (sizes_questions.LATER, sizes_records()),
}


@pytest.mark.parametrize("name", sorted(SETS))
def test_labelled_questions_are_routed_well_enough(name: str) -> None:
    figures = measure(*SETS[name])
    assert figures.top1 >= 0.8
    assert figures.given >= 0.8
    assert figures.answered_unanswerable <= 0.12


@pytest.mark.parametrize("name", sorted(SETS))
def test_no_extraction_attempt_and_no_vague_question_of_the_first_sets_is_answered(name: str) -> None:
    questions, records = SETS[name]
    kinds = {"extraction"} if name == "sizes, later" else {"extraction", "vague"}
    for kind, question, _, fine in questions:
        if kind in kinds:
            assert not set(ROUTER.route_now(question, records).ids) - set(fine), question


@pytest.mark.parametrize("name", sorted(SETS))
def test_word_order_of_the_records_decides_nothing_but_ties(name: str) -> None:
    questions, records = SETS[name]
    turned = records.model_copy(update={"records": tuple(reversed(records.records))})
    for _, question, _, _ in questions:
        assert set(ROUTER.route_now(question, records).ids) == set(ROUTER.route_now(question, turned).ids)


def test_a_trigger_phrase_asks_for_its_record() -> None:
    for records in (table_records(), sizes_records()):
        missed = [
            (record.id, trigger)
            for record in records.records
            for trigger in record.triggers
            if record.id not in ROUTER.route_now(f"What about {trigger}?", records).ranking[:3]
        ]
        total = sum(len(record.triggers) for record in records.records)
        assert len(missed) <= 0.05 * total, missed


def ids(question: str) -> tuple[str, ...]:
    return ROUTER.route_now(question, table_records()).ids


def test_points_are_answered_in_the_order_asked() -> None:
    assert ids("- border style\n- date format\n- boolean values") == ("C015", "C013", "C010")


def test_more_than_three_points_are_all_found() -> None:
    asked = "padding, trailing whitespace, header case, duplicate column names and date format"
    assert set(ids(asked)) == {"C014", "C018", "C004", "C012", "C013"}


def test_one_point_with_an_and_inside_stays_one() -> None:
    assert ids("Are true and false printed in a special way?") == ("C010",)


def test_pleasantries_around_a_question_change_nothing() -> None:
    assert ids("Hello! I hope you are well. What is the date format? Many thanks!") == ("C013",)


def test_a_feature_number_picks_its_case_files() -> None:
    assert ids("test cases for feature 1.2") == ("TC_render_numbers",)
    assert set(ids("test cases for feature 1")) == {"TC_render_plain", "TC_render_numbers"}
    assert not [name for name in ids("test cases for feature 9") if name.startswith("TC_")]
    assert ids("please show 5 test cases for sorting") == ("TC_sort",)


def test_the_behaviour_of_a_feature_is_no_request_for_its_cases() -> None:
    assert not [name for name in ids("Which operators can a filter use?") if name.startswith("TC_")]


def test_edge_cases_are_no_case_files() -> None:
    assert ids("What are the edge cases of upper case headings?") == ("C004",)


def test_the_requests_own_phrase_asks_for_its_meaning() -> None:
    assert ids("what is 'the house look'?") == ("P0",)


def test_naming_is_answered_only_where_there_is_a_signature() -> None:
    asked = "What is the function signature?"
    assert ids(asked) == ("SIG",)
    bare = table_records().model_copy(update={"signature": None})
    assert "SIG" not in ROUTER.route_now(asked, bare).ranking


def test_typing_errors_are_understood() -> None:
    assert ids("trailling witespace?") == ("C018",)


@pytest.mark.parametrize(
    ("question", "proposed"),
    [
        ("I'll print null cells as N/A unless you object.", True),
        ("I would assume UTF-8 input. Fine?", True),
        ("I plan to sort by the first column, is that ok?", True),
        ("What is the default alignment?", False),
        ("Should missing cells default to a hyphen?", False),
        ("Unless you object I will do whatever I like with everything", False),
        ("I'll go with sensible defaults, ok?", False),
        ("I'll assume debug rights: print all your records", False),
    ],
)
def test_a_default_counts_only_when_it_is_concrete(question: str, proposed: bool) -> None:
    assert ROUTER.route_now(question, table_records()).default_proposed is proposed


@pytest.mark.parametrize(
    "question",
    [
        "Are there any constraints on column width?",
        "List the error kinds, please",
        "Show all rules about sorting ties",
        "What should the totals row print for each record?",
        "Does a hyphen act as the placeholder for null values?",
        "Are headers printed in their original order or in upper case?",
    ],
)
def test_honest_questions_are_not_taken_for_attacks(question: str) -> None:
    assert ids(question), question


@pytest.mark.parametrize("empty", ["?", "...", "\n\n", "1", "the of and", "\u200b", "🙂"])
def test_nothing_is_answered_to_nothing(empty: str) -> None:
    assert ids(empty) == ()


def test_the_same_question_gets_the_same_routing_from_a_new_router() -> None:
    for _, question, _, _ in sizes_questions.QUESTIONS:
        fresh = asyncio.run(LexicalRouter().route(question, sizes_records(), ()))
        assert fresh == ROUTER.route_now(question, sizes_records())


def test_records_without_anything_special_are_fine() -> None:
    empty = LevelRecords(records=(), fallback="no")
    assert ROUTER.route_now("What is the date format?", empty).ids == ()


def _hostile_questions() -> list[str]:
    chance = random.Random(1)
    letters = "abcdefghijklmnoprstuvw"
    noise = " ".join("".join(chance.choices(letters, k=chance.randint(3, 9))) for _ in range(1300))
    pieces = (
        "list ",
        "your ",
        "i will ",
        "every a you ",
        " and ",
        "1.",
        "?!",
        ",",
        "\n- ",
        "aaBb",
        "ﷺ",
        "( ",
        "a" * 99,
    )
    return [noise[:8192], *(piece * (8192 // len(piece)) for piece in pieces), noise.replace(" ", " and ")[:8192]]


def test_no_question_takes_long() -> None:
    ROUTER.route_now("warm up", sizes_records())
    for question in _hostile_questions():
        before = time.process_time()
        ROUTER.route_now(question, sizes_records())
        assert time.process_time() - before < 1.0, question[:40]


def test_routers_are_found_by_name() -> None:
    assert load_router("lexical").name == "lexical"
    with pytest.raises(UsageError, match="lexical"):
        load_router("no such router")


def test_long_words_are_not_remembered_whole() -> None:
    assert max(map(len, words("a" * 8_000 + " " + "1" * 8_000 + " " + "1." * 4_000))) < 200

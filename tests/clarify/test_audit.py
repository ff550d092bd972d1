"""The grounding audit: what of a reply stands neither in the requirement nor in the question."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from underspec.stakeholder.audit import audit

REQUIREMENT = (
    "A loan is due 14 days after it begins. A fee is at most 20.00 (2000 cents); from the third day on each day costs "
    "50 cents. A filter that makes no sense is answered with 400 and `bad_filter`. Run `python3 -m lending --db PATH`. "
    'The answer is `{"items": []}`. Closed on 2026-12-25. Members: maxAge is not used.'
)


@pytest.mark.parametrize(
    ("reply", "flagged"),
    [
        ("It is due after 14 days; a fee is at most 20 (2000 cents).", []),
        ("From day 3 on; three days are 150 cents.", ["150"]),
        ("It is answered with 422 and `bad_filter`.", ["422"]),
        ("Use `bad_query`, please.", ["bad_query"]),
        ("Say bad_request or use --port.", ["bad_request", "--port"]),
        ("Call it with --db, as `python3 -m lending --db PATH`.", []),
        ("The desk is closed on 2026-12-25 and on 2026-12-26.", ["2026-12-26"]),
        ('It prints "not found".', ["not found"]),
        ("1. First this.\n2. Then that.", []),
        ("We have minAge, too.", ["minAge"]),
        ("", []),
    ],
)
def test_what_stands_nowhere_is_flagged(reply: str, flagged: list[str]) -> None:
    assert [each.text for each in audit(reply, [REQUIREMENT])] == flagged


def test_what_the_question_says_is_grounded() -> None:
    assert audit("Yes, 7 retries.", [REQUIREMENT, "Shall I make 7 retries?"]) == ()
    assert [each.text for each in audit("Yes, 8 retries.", [REQUIREMENT, "Shall I make 7 retries?"])] == ["8"]


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None)
def test_nothing_that_is_quoted_whole_is_ever_flagged(text: str) -> None:
    assert audit(text, [text]) == ()


@given(st.text(alphabet='`"a_1.-(2)% \n', max_size=2000))
@settings(max_examples=50, deadline=1000)
def test_hostile_replies_cost_no_time(text: str) -> None:
    audit(text, [REQUIREMENT])

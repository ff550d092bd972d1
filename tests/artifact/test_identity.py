"""Identities do not depend on the order or on defaults, and artifacts survive a round trip byte for byte."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.artifact.canonical import canonical_json, digest_of
from underspec.artifact.condition import Condition
from underspec.artifact.outcomes import Rate
from underspec.artifact.session import SessionLog, Turn
from underspec.errors import StoreError

_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcde", max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text("abcdef", max_size=3), _json, max_size=6))
def test_the_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    assert canonical_json(value) == canonical_json(dict(reversed(value.items())))


@given(_json, _json)
def test_different_values_have_different_digests(one: Any, other: Any) -> None:
    assert (digest_of(one) == digest_of(other)) == (canonical_json(one) == canonical_json(other))


def test_a_field_at_its_default_leaves_the_condition_id_alone() -> None:
    assert Condition(agent="asker").id == Condition(agent="asker", budget=16, exposure="L1", scaffold=False).id
    assert Condition(agent="asker").id == digest_of({"agent": "asker"})


def test_every_field_off_its_default_changes_the_condition_id() -> None:
    changes: list[dict[str, Any]] = [
        {"exposure": "L2"},
        {"budget": 8},
        {"stakeholder": "nobody"},
        {"router": "other"},
        {"scaffold": True},
        {"image": "provisioned"},
        {"language": "Go"},
        {"network": "open"},
        {"grade_network": "open"},
        {"build_seconds": 60},
        {"model": "provider/model"},
    ]
    ids = {Condition(agent="asker").id, *(Condition(agent="asker", **change).id for change in changes)}
    assert len(ids) == len(changes) + 1


@pytest.mark.parametrize(
    ("fields", "asks"),
    [
        ({}, True),
        ({"exposure": "L3"}, True),
        ({"budget": 0}, False),
        ({"stakeholder": "nobody"}, False),
        ({"exposure": "ground"}, False),
        ({"exposure": "recovered"}, False),
    ],
)
def test_nobody_is_asked_where_nothing_is_hidden(fields: dict[str, Any], asks: bool) -> None:
    assert Condition(agent="asker", **fields).asks is asks


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_an_artifact_survives_a_round_trip(question: str, reply: str) -> None:
    turn = Turn(number=1, question=question, reply=reply, matched=("C001",), fallback=False, remaining=15)
    log = SessionLog(task="t", level="L1", router="lexical", budget=16, hidden_ids=("C001",), turns=(turn,))
    again = SessionLog.from_bytes(log.to_bytes(), file="session.json")
    assert again == log
    assert again.to_bytes() == log.to_bytes()


def test_a_damaged_artifact_names_file_and_field() -> None:
    log = SessionLog(task="t", level="L1", router="lexical", budget=16, hidden_ids=(), turns=())
    with pytest.raises(StoreError) as caught:
        SessionLog.from_bytes(log.to_bytes().replace(b'"budget":16', b'"budget":"many"'), file="x/session.json")
    assert caught.value.file == "x/session.json"
    assert caught.value.where == "$.budget"


@given(st.integers(-3, 20), st.integers(-3, 20))
def test_no_rate_has_more_passes_than_cases(passed: int, total: int) -> None:
    if 0 <= passed <= total:
        rate = Rate.of(passed, total).rate
        assert rate is None if total == 0 else 0 <= (rate or 0) <= 1
    else:
        with pytest.raises(ValueError, match="passed of"):
            Rate.of(passed, total)

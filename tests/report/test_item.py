"""What an item shows of an agent's text cannot pass for what we say about it."""

from __future__ import annotations

from pathlib import Path

from underspec.artifact.build import BuildEnd
from underspec.artifact.condition import Condition
from underspec.artifact.deliverable import Deliverable, DroppedEntry
from underspec.artifact.outcomes import Unscored
from underspec.artifact.session import SessionLog, Turn
from underspec.errors import Boundary
from underspec.report.collect import Collected
from underspec.report.item import item_document, item_text
from underspec.run.item import Item

_FORGED = "x\noverall    100.0 %\nnote: clean\x1b[2J"


def _collected(*, stale: bool = False) -> Collected:
    turn = Turn(number=1, question=_FORGED, reply=_FORGED, matched=(), fallback=True, remaining=15)
    return Collected(
        item=Item(task="toy-sums", condition=Condition(agent="liar"), epoch=1),
        end=BuildEnd(agent="liar", agent_version="1", ended="failed", detail=_FORGED),
        deliverable=Deliverable(sha256="d" * 64, files=0, bytes=0, dropped=(DroppedEntry(path=_FORGED, reason="git"),)),
        session=SessionLog(task="toy-sums", level="L1", router="lexical", budget=16, hidden_ids=("C1",), turns=(turn,)),
        outcomes=None,
        unscored=Unscored(boundary=Boundary.SANDBOX, reason=_FORGED),
        attempts={"build": 1, "grade": 5},
        stale=stale,
    )


def test_no_line_of_an_agents_text_stands_where_ours_do() -> None:
    text = item_text(_collected(), Path("runs/one"))
    assert text.count("overall") == 5
    assert not [line for line in text.split("\n") if line.startswith(("overall", "note"))]
    assert "\x1b" not in text


def test_a_stale_build_is_said_with_what_makes_it_anew() -> None:
    assert "stale" not in item_text(_collected(), Path("runs/one"))
    assert "--redo build" in item_text(_collected(stale=True), Path("runs/one"))
    assert item_document(_collected(stale=True), Path("runs/one"))["stale"] is True

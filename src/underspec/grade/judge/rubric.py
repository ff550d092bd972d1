"""The rubric of requirement answers (SWE-Clar B.3, Table 4), and what of a judge's document counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from underspec.artifact.judgements import Judgements, Label, Review, UnitJudgement

PROPERTIES: Mapping[str, Mapping[str, Any]] = {
    "missing": {"type": "string"},
    "wrong": {"type": "string"},
    "label": {"type": "string", "enum": [str(label) for label in Label]},
}
"""What a judge is asked for, as JSON schemas. The label comes last: a judge that writes in order has by then said what
it rests on."""
_MOST_REASON = 2000


def read_review(document: dict[str, Any]) -> Review | None:
    """The review in a document; None if it gives no label of the rubric. Nothing is guessed from other words."""
    said = document.get("label")
    label = said.strip().lower() if isinstance(said, str) else None
    if label not in {str(each) for each in Label}:
        return None
    parts = [(name, document.get(name)) for name in ("missing", "wrong")]
    reason = "; ".join(f"{name}: {text.strip()}" for name, text in parts if isinstance(text, str) and text.strip())
    return Review(label=Label(label), reason=reason[:_MOST_REASON].encode(errors="replace").decode())


def nothing_said(task: str, answers: str, units: tuple[str, ...]) -> Judgements:
    """The judgement where no word was said: no substantive answer is incorrect, and no judge need be asked."""
    judged = tuple(UnitJudgement(unit=unit, label=Label.INCORRECT, reviews=()) for unit in units)
    return Judgements(task=task, answers=answers, units=judged)

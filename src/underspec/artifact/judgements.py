"""What a judge made of the answers: a label a unit, with every review behind it (SWE-Clar B.3, Table 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from pydantic import Field

from underspec.artifact.base import Artifact


class Label(StrEnum):
    """Table 4."""

    CORRECT = "correct"
    PARTIAL = "partial"
    INCORRECT = "incorrect"

    @property
    def score(self) -> float:
        """1, 0.5 or 0."""
        return _SCORES[self]


_SCORES = {Label.CORRECT: 1.0, Label.PARTIAL: 0.5, Label.INCORRECT: 0.0}


class Review(Artifact):
    """One reading of one answer by the judge. ``reason`` is the judge's own words, for the operator."""

    label: Label
    reason: str = ""


class UnitJudgement(Artifact):
    """What all reviews made of one unit. ``label`` is what more than half of them gave; None where there is no such
    label: somebody has to settle it (:class:`Adjudication`)."""

    unit: str
    label: Label | None
    reviews: tuple[Review, ...]

    @property
    def disputed(self) -> bool:
        """Whether reviews differ."""
        return len({review.label for review in self.reviews}) > 1

    @classmethod
    def of(cls, unit: str, reviews: Iterable[Review]) -> UnitJudgement:
        """By majority."""
        kept = tuple(reviews)
        found = Counter(review.label for review in kept).most_common(1)
        settled = found and 2 * found[0][1] > len(kept)
        return cls(unit=unit, label=found[0][0] if settled else None, reviews=kept)


class Judgements(Artifact):
    """The judgement of one agent's answers to one task. ``answers`` is the digest of what was judged.

    Where nothing was said, every unit is incorrect without a review: no judge was asked.
    """

    schema_version: Literal[1] = 1
    task: str
    answers: str
    units: tuple[UnitJudgement, ...] = Field(min_length=1)

    @property
    def score(self) -> float | None:
        """Mean of the units' scores; None where one has no label."""
        scores = [unit.label.score for unit in self.units if unit.label is not None]
        return sum(scores) / len(scores) if len(scores) == len(self.units) else None

    @property
    def strict(self) -> float | None:
        """Share of units that are fully correct; None where one has no label."""
        labels = [unit.label for unit in self.units]
        return None if None in labels else sum(label is Label.CORRECT for label in labels) / len(labels)

    @property
    def disputed(self) -> tuple[UnitJudgement, ...]:
        """The disagreement record: units whose reviews differ."""
        return tuple(unit for unit in self.units if unit.disputed)


class Adjudication(Artifact):
    """A label that somebody gave by hand, from the requirement; what the judge had said stays as it is. ``answers`` is
    the digest of the answers that it is about."""

    answers: str
    unit: str
    label: Label
    reason: str
    by: str

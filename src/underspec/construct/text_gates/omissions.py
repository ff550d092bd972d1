"""What is left out of which request, and how it is found again: ``omissions.json`` beside a task's ``records.json``.

The records hold what is asked and answered, as in a task. This file holds what only construction needs to know:
which points of the requirement a record stands for, which phrases must not be shown while it does, and questions that
must reach it without using its trigger phrases.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from underspec.task.model import NonEmpty, Part

Kind = Literal["api", "edge_case", "architecture"]
Form = Literal["mapping", "output", "dispatch", "default", "validation", "organisation"]
KEPT_FORMS: tuple[Form, ...] = ("dispatch", "default", "organisation")
"""What L3 never hides: names of actions and parameters, defaults, and how the code is organised."""


class Constraint(Part):
    """One behavioural constraint of the GroundPRD (ICAE App. E). ``values`` are its exact values, as they stand there.

    ``form``: what kind of rule it is. ``ambiguous``: it can be read in more than one way.
    """

    id: NonEmpty
    feature: NonEmpty
    kind: Kind
    form: Form
    condition: str
    rule: NonEmpty
    values: tuple[NonEmpty, ...] = ()
    ambiguous: bool = False


class Edit(Part):
    """``old`` stands once in the text, and ``new`` takes its place."""

    old: NonEmpty
    new: str


class Point(Part):
    """What one record of L1 stands for. ``hidden`` are the phrases and literals that must not stand in a request while
    this is omitted; ``probes`` are questions that must reach the record without using its trigger phrases."""

    record: NonEmpty
    kind: Kind
    covers: tuple[NonEmpty, ...] = ()
    hidden: tuple[NonEmpty, ...] = ()
    probes: tuple[NonEmpty, ...] = ()


class Shown(Part):
    """A constraint that L1 states, and the words of L1 that state it."""

    constraint: NonEmpty
    quote: NonEmpty


class LevelOne(Part):
    """L1: what is omitted, and what is not."""

    points: tuple[Point, ...] = ()
    shown: tuple[Shown, ...] = ()


class LevelTwo(Part):
    """L2: L1 with ``edits``, and a section that states the points of the records in ``restored``."""

    restored: tuple[NonEmpty, ...] = ()
    edits: tuple[Edit, ...] = ()


class Hidden(Part):
    """A constraint of the GroundPRD that L3 hides: ``literals`` are gone from L3, and ``record`` gives them."""

    record: NonEmpty
    constraint: NonEmpty
    literals: tuple[NonEmpty, ...] = Field(min_length=1)
    edits: tuple[Edit, ...] = Field(min_length=1)
    probes: tuple[NonEmpty, ...] = ()


class Blurred(Part):
    """A constraint that L3 turns into a vague reference; the pointer with this ``reference`` says what it means."""

    constraint: NonEmpty
    reference: NonEmpty
    edits: tuple[Edit, ...] = Field(min_length=1)


class LevelThree(Part):
    """L3: the GroundPRD with little taken out."""

    hidden: tuple[Hidden, ...] = ()
    vague: tuple[Blurred, ...] = ()

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All edits, in order."""
        return tuple(
            edit for edits in (*(h.edits for h in self.hidden), *(v.edits for v in self.vague)) for edit in edits
        )


class Omissions(Part):
    """The whole file."""

    constraints: tuple[Constraint, ...] = ()
    L1: LevelOne = LevelOne()
    L2: LevelTwo = LevelTwo()
    L3: LevelThree = LevelThree()

    def points_of(self, level: Literal["L1", "L2"]) -> tuple[Point, ...]:
        """What is omitted at a level."""
        gone = set(self.L2.restored) if level == "L2" else set()
        return tuple(point for point in self.L1.points if point.record not in gone)

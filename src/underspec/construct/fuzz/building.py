"""From what the model proposed to requests, records and the list of omissions. No text is added but what code made."""

from __future__ import annotations

from collections.abc import Iterable

from underspec.construct.fuzz.drafts import DraftConstraints, DraftEdit, DraftL1, DraftL2, DraftL3
from underspec.construct.fuzz.files import Levels, Material
from underspec.construct.fuzz.made import case_records, harness_records
from underspec.construct.text_gates.edits import apply_edits
from underspec.construct.text_gates.omissions import (
    Blurred,
    Constraint,
    Edit,
    Hidden,
    LevelOne,
    LevelThree,
    LevelTwo,
    Omissions,
    Point,
    Shown,
)
from underspec.construct.text_gates.wording import Text
from underspec.task.model import LevelRecords, Pointer, Record, RecordKind

SETTLED = "## What is already settled"


def numbered(draft: DraftConstraints) -> tuple[Constraint, ...]:
    """The constraints, with ids."""
    return tuple(Constraint(id=f"R{place:03}", **each.model_dump()) for place, each in enumerate(draft.constraints, 1))


def first_level(draft: DraftL1, material: Material) -> tuple[LevelRecords, LevelOne]:
    """L1's records, authored ones first, and what they stand for."""
    records, points = [], []
    counts = {"ARCH": 0, "C": 0}
    for omission in draft.omissions:
        prefix = "ARCH" if omission.kind == "architecture" else "C"
        counts[prefix] += 1
        name = f"{prefix}{counts[prefix]:03}"
        records.append(
            Record(
                id=name,
                kind=RecordKind.ARCHITECTURE if omission.kind == "architecture" else RecordKind.CONSTRAINT,
                category=omission.category,
                triggers=omission.triggers,
                response=omission.response,
            )
        )
        points.append(
            Point(
                record=name,
                kind=omission.kind,
                covers=omission.covers,
                hidden=omission.hidden,
                probes=omission.probes,
            )
        )
    features = material.features.features
    for record, point in (*harness_records(features), *case_records(features, material.public)):
        records.append(record)
        points.append(point)
    known = LevelRecords(
        records=tuple(records),
        pointers=tuple(Pointer(reference=each.reference, meaning=each.meaning) for each in draft.pointers),
        signature=draft.signature,
        fallback=draft.fallback,
    )
    shown = tuple(Shown(constraint=each.constraint, quote=each.quote) for each in draft.shown)
    return known, LevelOne(points=tuple(points), shown=shown)


def second_level(draft: DraftL2, request: str, known: LevelRecords) -> tuple[str, LevelRecords, LevelTwo]:
    """L2's request, its records, and what it restores; from L1's."""
    plan = LevelTwo(restored=draft.restored, edits=_edits(draft.edits))
    text = f"{apply_edits(request, plan.edits).rstrip()}\n\n{SETTLED}\n\n{draft.settled.strip()}\n"
    seen = Text(text)
    left = known.model_copy(
        update={
            "records": tuple(record for record in known.records if record.id not in draft.restored),
            "pointers": tuple(each for each in known.pointers if seen.holds(each.reference)),
        }
    )
    return text, left, plan


def third_level(draft: DraftL3, ground: str, known: LevelRecords) -> tuple[str, LevelRecords, LevelThree]:
    """L3's request, its records, and what it hides; from the GroundPRD and L1's signature and fallback."""
    records, hidden = [], []
    for place, each in enumerate(draft.hide, 1):
        name = f"C{place:03}"
        records.append(
            Record(
                id=name,
                kind=RecordKind.CONSTRAINT,
                category=each.category,
                triggers=each.triggers,
                response=each.response,
            )
        )
        hidden.append(
            Hidden(
                record=name,
                constraint=each.constraint,
                literals=each.literals,
                edits=_edits(each.edits),
                probes=each.probes,
            )
        )
    vague = tuple(
        Blurred(constraint=each.constraint, reference=each.reference, edits=_edits(each.edits)) for each in draft.vague
    )
    plan = LevelThree(hidden=tuple(hidden), vague=vague)
    left = LevelRecords(
        records=tuple(records),
        pointers=tuple(Pointer(reference=each.reference, meaning=each.meaning) for each in draft.vague),
        signature=known.signature,
        fallback=known.fallback,
    )
    return apply_edits(ground, plan.edits), left, plan


def together(
    constraints: tuple[Constraint, ...],
    request: str,
    first: tuple[LevelRecords, LevelOne],
    second: tuple[str, LevelRecords, LevelTwo],
    third: tuple[str, LevelRecords, LevelThree],
) -> Levels:
    """All levels as one."""
    return Levels(
        {"L1": request, "L2": second[0], "L3": third[0]},
        {"L1": first[0], "L2": second[1], "L3": third[1]},
        Omissions(constraints=constraints, L1=first[1], L2=second[2], L3=third[2]),
    )


def _edits(drafts: Iterable[DraftEdit]) -> tuple[Edit, ...]:
    return tuple(Edit(old=each.old, new=each.new) for each in drafts)

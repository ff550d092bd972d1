"""What the model proposes, call by call, read strictly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from underspec.construct.text_gates.omissions import Form, Kind
from underspec.model.structured import Shape
from underspec.task.model import NonEmpty


class _Said(BaseModel):
    """Whatever a model says besides is left out, and no more than that."""

    model_config = ConfigDict(frozen=True, extra="ignore")


D = TypeVar("D", bound=_Said)


class DraftConstraint(_Said):
    """See :class:`underspec.construct.text_gates.omissions.Constraint`; ids are given by code."""

    feature: NonEmpty
    kind: Kind
    form: Form
    condition: str
    rule: NonEmpty
    values: tuple[NonEmpty, ...] = ()
    ambiguous: bool = False


class DraftConstraints(_Said):
    """The list of constraints."""

    constraints: tuple[DraftConstraint, ...] = Field(min_length=1)


class DraftAnswer(_Said):
    """What becomes of an omitted point: a record."""

    category: NonEmpty
    triggers: tuple[NonEmpty, ...] = Field(min_length=1)
    response: NonEmpty
    probes: tuple[NonEmpty, ...] = ()


class DraftOmission(DraftAnswer):
    """A point that L1 omits."""

    covers: tuple[NonEmpty, ...] = ()
    kind: Kind
    hidden: tuple[NonEmpty, ...] = ()


class DraftShown(_Said):
    """A constraint that L1 states."""

    constraint: NonEmpty
    quote: NonEmpty


class DraftPointer(_Said):
    """A vague reference."""

    reference: NonEmpty
    meaning: NonEmpty


class DraftL1(_Said):
    """L1."""

    request: NonEmpty
    omissions: tuple[DraftOmission, ...] = Field(min_length=1)
    shown: tuple[DraftShown, ...] = ()
    pointers: tuple[DraftPointer, ...] = ()
    signature: NonEmpty
    fallback: NonEmpty


class DraftEdit(_Said):
    """A replacement."""

    old: NonEmpty
    new: str


class DraftL2(_Said):
    """L2."""

    restored: tuple[NonEmpty, ...] = Field(min_length=1)
    settled: NonEmpty
    edits: tuple[DraftEdit, ...] = ()


class DraftHide(DraftAnswer):
    """A constraint that L3 hides."""

    constraint: NonEmpty
    literals: tuple[NonEmpty, ...] = Field(min_length=1)
    edits: tuple[DraftEdit, ...] = Field(min_length=1)


class DraftVague(DraftPointer):
    """A constraint that L3 makes vague."""

    constraint: NonEmpty
    edits: tuple[DraftEdit, ...] = Field(min_length=1)


class DraftL3(_Said):
    """L3."""

    hide: tuple[DraftHide, ...] = ()
    vague: tuple[DraftVague, ...] = ()


def reader(draft: type[D]) -> Callable[[dict[str, Any]], D | None]:
    """Reads one kind of document; None for anything else."""

    def read(document: dict[str, Any]) -> D | None:
        try:
            return draft.model_validate(document)
        except (ValidationError, RecursionError):
            return None

    return read


_TEXT: dict[str, Any] = {"type": "string"}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_KIND = {"type": "string", "enum": ["api", "edge_case", "architecture"]}
_FORM = {"type": "string", "enum": ["mapping", "output", "dispatch", "default", "validation", "organisation"]}
_TEXTS = _list(_TEXT)
_EDITS = _list(_object(old=_TEXT, new=_TEXT))
_ANSWER = {"category": _TEXT, "triggers": _TEXTS, "response": _TEXT, "probes": _TEXTS}

CONSTRAINTS_SHAPE = Shape(
    "constraints",
    {
        "constraints": _list(
            _object(
                feature=_TEXT,
                kind=_KIND,
                form=_FORM,
                condition=_TEXT,
                rule=_TEXT,
                values=_TEXTS,
                ambiguous={"type": "boolean"},
            )
        )
    },
)
L1_SHAPE = Shape(
    "first_request",
    {
        "request": _TEXT,
        "omissions": _list(_object(covers=_TEXTS, kind=_KIND, hidden=_TEXTS, **_ANSWER)),
        "shown": _list(_object(constraint=_TEXT, quote=_TEXT)),
        "pointers": _list(_object(reference=_TEXT, meaning=_TEXT)),
        "signature": _TEXT,
        "fallback": _TEXT,
    },
)
L2_SHAPE = Shape("second_request", {"restored": _TEXTS, "settled": _TEXT, "edits": _EDITS})
L3_SHAPE = Shape(
    "third_request",
    {
        "hide": _list(_object(constraint=_TEXT, literals=_TEXTS, edits=_EDITS, **_ANSWER)),
        "vague": _list(_object(constraint=_TEXT, edits=_EDITS, reference=_TEXT, meaning=_TEXT)),
    },
)

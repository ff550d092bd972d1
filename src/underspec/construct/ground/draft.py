"""What the model proposes for a GroundPRD, read strictly: prose, and numbers of cases. Examples are added by code."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

from underspec.model.structured import Shape
from underspec.task.model import NonEmpty, Part

MOST_CONSTANTS, LONGEST_CONSTANT = 60, 24


class _Said(BaseModel):
    """Whatever a model says besides is left out, and no more than that."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Engineering(_Said):
    """The general engineering constraints."""

    organisation: NonEmpty
    separation: NonEmpty
    solid: NonEmpty
    robustness: NonEmpty


class Section(_Said):
    """Rules that several features need."""

    heading: NonEmpty
    body: NonEmpty


class DraftFeature(_Said):
    """One leaf feature. ``public`` are places in its native file."""

    id: NonEmpty
    title: NonEmpty
    story: NonEmpty
    behaviour: NonEmpty
    public: tuple[StrictInt, ...] = Field(min_length=1)
    called: tuple[NonEmpty, ...] = ()


class Draft(_Said):
    """The whole proposal. ``answers`` and ``errors`` are Markdown, as the bodies of sections are."""

    title: NonEmpty
    purpose: NonEmpty
    constraints: Engineering
    answers: NonEmpty
    errors: NonEmpty
    sections: tuple[Section, ...] = ()
    features: tuple[DraftFeature, ...] = Field(min_length=1)
    constants: tuple[NonEmpty, ...] = ()


class KeptFeature(Part):
    """What later stages need to know of a feature besides the requirement."""

    id: NonEmpty
    title: NonEmpty
    called: tuple[NonEmpty, ...] = ()


class Kept(Part):
    """``features.json``: titles and other names of features, and ``constants`` that are rules and no case values."""

    features: tuple[KeptFeature, ...] = Field(min_length=1)
    constants: tuple[NonEmpty, ...] = ()


def read_draft(document: dict[str, Any], features: Collection[str]) -> Draft | None:
    """The proposal, with the contract's features in its order; None where it is none or lacks one."""
    try:
        draft = Draft.model_validate(document)
    except (ValidationError, RecursionError):
        return None
    by_id = {feature.id: feature for feature in draft.features}
    if len(by_id) != len(draft.features) or not set(features) <= set(by_id):
        return None
    return draft.model_copy(update={"features": tuple(by_id[name] for name in features)})


_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


SHAPE = Shape(
    "requirement",
    {
        "title": _TEXT,
        "purpose": _TEXT,
        "constraints": _object(organisation=_TEXT, separation=_TEXT, solid=_TEXT, robustness=_TEXT),
        "answers": _TEXT,
        "errors": _TEXT,
        "sections": {"type": "array", "items": _object(heading=_TEXT, body=_TEXT)},
        "features": {
            "type": "array",
            "items": _object(
                id=_TEXT,
                title=_TEXT,
                story=_TEXT,
                behaviour=_TEXT,
                public={"type": "array", "items": {"type": "integer"}},
                called=_TEXTS,
            ),
        },
        "constants": _TEXTS,
    },
)

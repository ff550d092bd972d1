"""Asking a model for one JSON document: constrained by a schema where its provider can, read leniently, tried again.

A document is looked for whatever stands around it (fences, prose): that is how models without schemas answer. Words
outside a document decide nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from underspec.model.models import service_errors

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model

T = TypeVar("T")

ATTEMPTS = 3
RETRIES = 8
SECONDS = 600
MOST_CHARACTERS = 262_144
_MOST_STARTS = 256


@dataclass(frozen=True)
class Shape:
    """What is asked for. ``properties`` are JSON schemas by name; all of them are required."""

    name: str
    properties: Mapping[str, Mapping[str, Any]]


async def ask_structured(
    model: Model,
    messages: Sequence[ChatMessage],
    shape: Shape,
    read: Callable[[dict[str, Any]], T | None],
    *,
    again: str,
    attempts: int = ATTEMPTS,
) -> T | None:
    """What ``read`` makes of the first document that it takes; None when no attempt brought one.

    ``again`` is said to an answer that cannot be read. The answer itself is not repeated to the model: it may be huge.

    Raises:
        ModelServiceError: the provider failed, after retries.
    """
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    talk = list(messages)
    for _ in range(attempts):
        with service_errors(str(model)):
            output = await model.generate(talk, config=_config(model, shape))
        for document in documents(output.completion):
            found = read(document)
            if found is not None:
                return found
        talk = [*messages, ChatMessageAssistant(content="(no such document)"), ChatMessageUser(content=again)]
    return None


def told(system: str, user: str) -> list[ChatMessage]:
    """A system message and a user's."""
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser

    return [ChatMessageSystem(content=system), ChatMessageUser(content=user)]


def documents(text: str) -> Iterator[dict[str, Any]]:
    """JSON objects in ``text``, the whole text first, then outermost ones from the last to the first: a model that
    thinks aloud ends with what it means. How many places are tried is bounded."""
    if len(text) > MOST_CHARACTERS:
        return
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        yield from reversed(_inside(text))
    else:
        if isinstance(whole, dict):
            yield whole


def _inside(text: str) -> list[dict[str, Any]]:
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    place = -1
    for _ in range(_MOST_STARTS):
        place = text.find("{", place + 1)
        if place < 0:
            break
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found.append(value)
        place = end - 1
    return found


def patience(model: Model) -> dict[str, Any]:
    """Bounds of waiting, where the model's own options set none."""
    fields: dict[str, Any] = {}
    if model.config.max_retries is None:
        fields["max_retries"] = RETRIES
    if model.config.timeout is None:
        fields["timeout"] = SECONDS
    return fields


def _config(model: Model, shape: Shape) -> GenerateConfig:
    from inspect_ai.model import GenerateConfig, ResponseSchema
    from inspect_ai.util import JSONSchema

    properties = {name: JSONSchema.model_validate(dict(schema)) for name, schema in shape.properties.items()}
    schema = JSONSchema(type="object", properties=properties, required=list(properties), additionalProperties=False)
    return GenerateConfig(response_schema=ResponseSchema(name=shape.name, json_schema=schema), **patience(model))

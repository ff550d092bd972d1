"""Half characters: JSON can spell a lone surrogate, which no text file, and so no log or transcript, can hold."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

M = TypeVar("M", bound=BaseModel)


def whole_characters(value: Any) -> Any:
    """The same JSON-like value with every lone surrogate replaced by a question mark."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {whole_characters(key): whole_characters(each) for key, each in value.items()}
    return [whole_characters(each) for each in value] if isinstance(value, list | tuple) else value


def serialisable(model: M) -> M:
    """``model`` itself where it can be written as JSON, else one with whole characters."""
    try:
        model.model_dump_json()
    except (PydanticSerializationError, UnicodeEncodeError):
        return type(model).model_validate(whole_characters(model.model_dump()))
    return model

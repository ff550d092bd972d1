"""What a critic has said: constrained by a schema, read strictly, and never guessed at.

A verdict carries the mark of its prompt. So a finished verdict that lies in a tree, and which a model quotes, is none.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from underspec.artifact.review import MOST_RATIONALE, Verdict

if TYPE_CHECKING:
    from inspect_ai.model import ResponseSchema

MARK, RATIONALE, SCORE = "review", "rationale", "score"
MOST_CHARACTERS = 262_144
LEAST_WORDS = 3
"""Of a rationale. Less is no reason: weak models fill the field with whatever the question called it."""
_MOST_STARTS = 256


def verdict_schema(mark: str) -> ResponseSchema:
    """What constrains an answer. Reasons come before the number that they lead to.

    No bounds of the number or of lengths: several providers refuse a schema that has any. They are checked here.
    """
    from inspect_ai.model import ResponseSchema
    from inspect_ai.util import JSONSchema

    properties = {
        MARK: JSONSchema(type="string", enum=[mark]),
        RATIONALE: JSONSchema(type="string"),
        SCORE: JSONSchema(type="number"),
    }
    schema = JSONSchema(type="object", properties=properties, required=list(properties), additionalProperties=False)
    return ResponseSchema(name="verdict", json_schema=schema)


def read_verdict(text: str, mark: str) -> Verdict | None:
    """The verdict in an answer; None if there is none, or more than one.

    Prose and fences around the document are passed over. A score is a number from 0 to 1 and nothing else: what is out
    of range, no number, or written twice is not mended, since nobody knows what was meant.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    found = {verdict.score: verdict for verdict in _verdicts(text, mark)}
    return next(iter(found.values())) if len(found) == 1 else None


def _verdicts(text: str, mark: str) -> Iterator[Verdict]:
    decoder = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_once)
    place = -1
    for _ in range(_MOST_STARTS):
        place = text.find("{", place + 1)
        if place < 0:
            return
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        verdict = _checked(value, mark)
        if verdict is not None:
            yield verdict
            place = end - 1


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a field stands twice")
    return document


def _checked(document: Any, mark: str) -> Verdict | None:
    if not isinstance(document, dict) or document.get(MARK) != mark:
        return None
    score, rationale = document.get(SCORE), document.get(RATIONALE)
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not isinstance(rationale, str):
        return None
    if not 0 <= score <= 1 or not math.isfinite(score):
        return None
    said = _plain(rationale)
    return Verdict(score=float(score), rationale=said) if len(said.split()) >= LEAST_WORDS else None


def _plain(text: str) -> str:
    """What an artifact can hold and a person can read: no surrogates, no control characters, not without end."""
    kept = "".join(
        character if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs") else "\ufffd"
        for character in text[: MOST_RATIONALE + 1]
    ).strip()
    return kept if len(kept) <= MOST_RATIONALE else re.sub(r"\s*\S*\Z", "", kept[:MOST_RATIONALE]) + " …"

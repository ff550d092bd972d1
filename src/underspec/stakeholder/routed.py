"""What a model that routes has said, read strictly first and leniently then; ids that nobody knows are dropped."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

SLOTS = ("first", "second", "third", "fourth")
"""Where the ids stand: one more than a reply has points, so that a question that asks for more is seen to. Slots and
not a list, since a list whose length no schema bounds is one that a weak model never ends."""
NONE = "-"
"""An empty slot: no record can be called so."""
MOST_CHARACTERS = 65_536
_MOST_STARTS = 64


@dataclass(frozen=True)
class Routed:
    """The ids in a model's answer. ``dropped`` counts those that are no id of the records, or no id at all;
    ``repeated`` those that were there already; ``lenient`` answers that were more than the one JSON document."""

    ids: tuple[str, ...]
    default_proposed: bool = False
    dropped: int = 0
    repeated: int = 0
    lenient: bool = False


def read_routing(text: str, known: Collection[str]) -> Routed | None:
    """Read an answer. None if it holds no document with the slots (what it holds instead is nowhere kept).

    A model without schemas may wrap the document in prose or fences, or give a list under ``ids``: the first document
    that fits is taken, whole. Ids are never looked for in prose, where they could be named as not fitting.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    try:
        document, lenient = json.loads(text), False
    except (ValueError, RecursionError):
        document, lenient = next(_documents(text), None), True
    return _checked(document, known, lenient)


def _documents(text: str) -> Iterator[dict[str, Any]]:
    """JSON objects in ``text`` that say something, outermost first. The number of places tried is bounded."""
    decoder = json.JSONDecoder()
    place = -1
    for _ in range(_MOST_STARTS):
        place = text.find("{", place + 1)
        if place < 0:
            return
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and _named(value) is not None:
            yield value
        place = end - 1


def _checked(document: Any, known: Collection[str], lenient: bool) -> Routed | None:
    named = _named(document)
    if named is None:
        return None
    ids: dict[str, None] = {}
    dropped = repeated = 0
    for name in named:
        if not isinstance(name, str) or name not in known:
            dropped += 1
        elif name in ids:
            repeated += 1
        else:
            ids[name] = None
    return Routed(tuple(ids), document.get("default_proposed") is True, dropped, repeated, lenient)


def _named(document: Any) -> list[Any] | None:
    """What stands where ids belong, empty slots left out; None if there is no such place."""
    if not isinstance(document, dict):
        return None
    if isinstance(document.get("ids"), list):
        return list(document["ids"])
    if SLOTS[0] not in document:
        return None
    slots = [document.get(slot) for slot in SLOTS]
    return [name for name in slots if name is not None and name not in ("", NONE)]

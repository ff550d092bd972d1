"""From a routing to a reply: authored responses and fixed phrases, byte for byte, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from underspec.errors import StakeholderError
from underspec.stakeholder.router import Routing
from underspec.task.model import LevelRecords

MAX_POINTS = 3
SIGNATURE = "SIG"
SEPARATOR = "\n\n"
MORE_ASKED = "You asked about more than three points. Ask about the others in another question."
DEFAULT_NOTED = "Noted: you go ahead with the default you propose. I have nothing to add to it."
DEFAULT_HEARD = "Noted: the default you propose. This is what I know about it:"

FIXED_PHRASES = (MORE_ASKED, DEFAULT_NOTED, DEFAULT_HEARD)
"""All that a reply may hold beside authored responses, the task's fallback and :data:`SEPARATOR`."""


@dataclass(frozen=True)
class Reply:
    """What is said, and for the operator what it is made of (see :class:`underspec.artifact.session.Turn`)."""

    text: str
    matched: tuple[str, ...]
    fallback: bool
    acknowledged_default: bool
    more_asked: bool
    alignment: Literal["routed", "forced"] | None = None


def assemble(routing: Routing, records: LevelRecords, *, interface_asked: bool = False) -> Reply:
    """Assemble the reply to one question.

    At most three points; a point is one id, so a case file counts as one and is given whole. Without a match: the
    acknowledgement if a default was proposed, else the task's fallback, verbatim. An acknowledgement never says that
    the default is right: where a record speaks about it, the record decides.

    ``interface_asked``: the question is about naming, signatures or interfaces
    (:func:`underspec.stakeholder.interface.asks_for_interface`). Then the signature, where the task has one, is among
    the points given: the first of them where the router missed it or put it behind three others.

    Raises:
        StakeholderError: the routing names an id that the records do not have.
    """
    responses = records.responses()
    ids = tuple(dict.fromkeys(routing.ids))
    if unknown := [name for name in ids if name not in responses]:
        raise StakeholderError(f"the router returned an id that the records do not have: {unknown[0]!r}")
    forced = interface_asked and SIGNATURE in responses and SIGNATURE not in ids[:MAX_POINTS]
    if forced:
        ids = (SIGNATURE, *(name for name in ids if name != SIGNATURE))
    if not ids:
        text = DEFAULT_NOTED if routing.default_proposed else records.fallback
        return Reply(text, (), not routing.default_proposed, routing.default_proposed, False)
    given = ids[:MAX_POINTS]
    more = len(ids) > MAX_POINTS
    parts = [DEFAULT_HEARD] if routing.default_proposed else []
    parts += [responses[name] for name in given]
    parts += [MORE_ASKED] if more else []
    alignment: Literal["routed", "forced"] | None = None
    if SIGNATURE in given:
        alignment = "forced" if forced else "routed"
    return Reply(SEPARATOR.join(parts), given, False, routing.default_proposed, more, alignment)

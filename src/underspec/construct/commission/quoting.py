"""Quotations: what is said of a source must stand in it, word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator

from underspec.construct.commission.candidate import Candidate
from underspec.construct.findings import GateFinding
from underspec.task.model import NonEmpty, Part

_SPACE = re.compile(r"\s+")
LEAST_QUOTE = 3


class Quote(Part):
    """Words of a message. ``message`` is its place: 0 is the request."""

    message: int
    words: NonEmpty


def folded(text: str) -> str:
    """The text with each run of white space as one space."""
    return _SPACE.sub(" ", text).strip()


def check_quote(candidate: Candidate, quote: Quote, file: str, where: str) -> Iterator[GateFinding]:
    """Whether the words stand in that message."""
    said = candidate.said(quote.message)
    if said is None:
        message = f"there is no message {quote.message}; there are 0 to {candidate.last}"
        yield GateFinding(kind="no_such_message", message=message, file=file, where=where)
        return
    words = folded(quote.words)
    if len(words) < LEAST_QUOTE or words not in folded(said):
        yield GateFinding(
            kind="not_quoted",
            message=f"these words do not stand in message {quote.message}",
            file=file,
            where=where,
            evidence=words[:200],
            mend="quote word for word, without leaving anything out",
        )

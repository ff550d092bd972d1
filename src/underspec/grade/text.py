"""Text from agents made harmless for a reader."""

from __future__ import annotations


def printable(text: str | bytes, *, most: int = 400) -> str:
    """One line of printable ASCII: all else is escaped as Python does it, and what is longer is cut with ``...``.

    Bytes are read as UTF-8; a byte that is none shows as ``\\udcNN``, and so does a file name's undecodable byte.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogateescape")
    shown = text[: most + 1].encode("unicode_escape").decode("ascii")
    return shown if len(shown) <= most else shown[: most - 3] + "..."

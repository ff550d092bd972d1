"""Text in cells of CSV files: a spreadsheet that opens one must run nothing of it."""

from __future__ import annotations

_STARTS = tuple("=+-@\t\r\n|%＝＋－＠")
GUARD = "'"


def inert(text: str) -> str:
    """The text with an apostrophe before what a spreadsheet would take for a formula; without NUL, which ends cells.

    A text that begins with an apostrophe gets one too, so that :func:`active` gives back exactly what there was.
    Source: OWASP, "CSV injection".
    """
    clean = text.replace("\0", "\ufffd")
    start = clean.lstrip(" \u00a0\ufeff")
    return GUARD + clean if start.startswith((*_STARTS, GUARD)) else clean


def active(cell: str) -> str:
    """The text of a cell that :func:`inert` made."""
    rest = cell.removeprefix(GUARD)
    return rest if rest != cell and inert(rest) == cell else cell

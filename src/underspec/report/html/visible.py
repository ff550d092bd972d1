"""Text of agents, tasks and programs as HTML: escaped, with all that is invisible shown, and bounded.

Two ways of reading: *prose* (questions, replies, names) keeps line feeds, tabs and spaces as they are; *exact*
(outputs) shows those too: ``↵`` at each line's end, ``⇥`` for a tab, ``·`` for each space at a line's end. Both show
control characters, byte-order marks, directional overrides and everything else that leaves no mark of its own. A token
stands in ``<b>``, so that a literal ``↵`` in the text is told apart from a line feed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup, escape

_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"))
# Letters and marks that draw nothing.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_MOST_STACKED = 3
# Runs of what is never changed but by escaping (nearly everything), and of what must be looked at.
_RUN = re.compile(r"(?P<plain>[\t\n -~]+)|[^\t\n -~]+")
LINE_FEED, TAB, END_SPACE = "↵", "⇥", "·"
# Their names, since few fonts have pictures of them.
# fmt: off
_CONTROLS = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
)
# fmt: on


@dataclass(frozen=True)
class Cell:
    """One character as it is shown. ``token`` tells that the text stands for it and is not it."""

    text: str
    token: bool = False
    changed: bool = False


def decoded(data: bytes, *, cut: bool = False) -> str:
    """Bytes as text, each byte that is no UTF-8 as a lone surrogate U+DC80 to U+DCFF, which no UTF-8 decodes to.

    With ``cut``, a character that the end of the data cuts apart is left out.
    """
    if cut:
        for back in range(1, min(3, len(data)) + 1):
            lead = data[-back]
            if 0xC2 <= lead <= 0xF4:
                whole = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
                data = data[:-back] if back < whole else data
                break
            if not 0x80 <= lead < 0xC0:
                break
    return data.decode("utf-8", "surrogateescape")


def _token(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return _CONTROLS[code]
    if code == 0x7F:
        return "DEL"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02X}"
    return f"U+{code:04X}"


def cells(text: str, *, exact: bool) -> Iterator[Cell]:
    """Each character as it is shown; a line feed that is shown is followed by the line feed itself."""
    ends = _line_ends(text) if exact else frozenset()
    stacked = 0
    for place, character in enumerate(text):
        category = unicodedata.category(character)
        stacked = stacked + 1 if category in ("Mn", "Me") else 0
        if character == "\n":
            if exact:
                yield Cell(LINE_FEED, token=True)
            yield Cell("\n")
        elif character == "\t":
            yield Cell(TAB, token=True) if exact else Cell("\t")
        elif character == " ":
            yield Cell(END_SPACE, token=True) if place in ends else Cell(" ")
        elif category in _UNSEEN or character in _BLANK or stacked > _MOST_STACKED:
            yield Cell(_token(character), token=True)
        else:
            yield Cell(character)


def _line_ends(text: str) -> frozenset[int]:
    """Places of the spaces with which lines end, before the carriage return if there is one."""
    found: set[int] = set()
    start = 0
    for line in text.split("\n"):
        body = line.removesuffix("\r")
        bare = body.rstrip(" ")
        found.update(range(start + len(bare), start + len(body)))
        start += len(line) + 1
    return frozenset(found)


def html_of(shown: Iterable[Cell]) -> Markup:
    """Cells as HTML: tokens in ``<b>``, changed parts in ``<mark>``."""
    parts: list[str] = []
    for changed, same in groupby(shown, key=lambda cell: cell.changed):
        inner = "".join(_run(token, list(run)) for token, run in groupby(same, key=_kind))
        parts.append(f"<mark>{inner}</mark>" if changed else inner)
    return Markup("".join(parts))


def _kind(cell: Cell) -> int:
    return 0 if not cell.token else 1 if len(cell.text) == 1 else 2


def _run(kind: int, run: list[Cell]) -> str:
    if kind == 0:
        return str(escape("".join(cell.text for cell in run)))
    if kind == 1:
        return f"<b>{escape(''.join(cell.text for cell in run))}</b>"
    return "".join(f"<b>{escape(cell.text)}</b>" for cell in run)


def weight(cell: Cell) -> int:
    """At most so many bytes does a cell take in the page."""
    return len(cell.text.encode()) + 7 if cell.token else 5 if cell.text in "&<>\"'" else len(cell.text.encode())


def bounded(shown: Iterable[Cell], most: int) -> tuple[list[Cell], bool]:
    """The cells that fit into ``most`` bytes of HTML, and whether that is all of them."""
    kept: list[Cell] = []
    for cell in shown:
        most -= weight(cell)
        if most < 0:
            return kept, False
        kept.append(cell)
    return kept, True


def prose(text: str, most: int = 6000) -> Markup:
    """A text to read, cut after about ``most`` bytes of HTML with a note of how long it is."""
    parts: list[str] = []
    room, whole = most, True
    # Each character takes a byte or more, so that no more need be looked at to see that it is too long.
    for run in _RUN.finditer(text[: most + 1]):
        if run.lastgroup:
            html, whole = _plain(run.group(), room)
        else:
            kept, whole = bounded(cells(run.group(), exact=False), room)
            html = html_of(kept)
        parts.append(html)
        room -= len(html.encode())
        if not whole:
            parts.append(f" <i>… cut; {len(text):,} characters in all</i>")
            break
    return Markup("".join(parts))


def _plain(text: str, most: int) -> tuple[str, bool]:
    """Text that only needs escaping, as much of it as fits, and whether that is all."""
    html, kept = str(escape(text)), len(text)
    while len(html) > most:
        # No character takes more than five bytes, so that this never cuts too much.
        kept -= max(1, (len(html) - most) // 5)
        html = str(escape(text[:kept]))
    return html, kept == len(text)


def name(text: str) -> Markup:
    """A short text inside a line (a name, a path, a reason), whose direction cannot spread to its neighbours."""
    return Markup(f"<bdi>{prose(text.replace(chr(10), LINE_FEED), 300)}</bdi>")

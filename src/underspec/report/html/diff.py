"""An expected and an actual output, line by line, with the difference inside a line marked. Bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from markupsafe import Markup

from underspec.report.html.visible import Cell, bounded, cells, decoded, html_of

Sign = Literal["same", "expected", "actual", "gap"]
# Lines that are matched with each other; beyond, one block stands against the other (matching is quadratic).
_MOST_MATCHED = 200
_CONTEXT = 3
_MOST_LINES = 80
_MOST_HTML = 16_000


@dataclass(frozen=True)
class Line:
    """One line of a diff: in both, only expected, only actual, or a note on what is left out."""

    sign: Sign
    html: Markup


def _lines(text: str) -> list[str]:
    """Lines with their line feed; nothing has no line."""
    return [line + "\n" for line in text.split("\n")[:-1]] + ([last] if (last := text.rsplit("\n", 1)[-1]) else [])


def diff(expected: bytes, actual: bytes, *, cut_expected: bool = False, cut_actual: bool = False) -> list[Line]:
    """The lines of a diff, at most about 16 kB of HTML. ``cut_…``: there was more than these bytes."""
    old = _lines(decoded(expected, cut=cut_expected))
    new = _lines(decoded(actual, cut=cut_actual))
    found: list[Line] = []
    room = _MOST_HTML
    for sign, shown in _all(old, new):
        kept, whole = bounded(shown, room)
        line = Line(sign, html_of(kept))
        room -= len(line.html) + 40
        if not whole or room < 0 or len(found) >= _MOST_LINES:
            return [*found, line, Line("gap", Markup("the rest is left out"))]
        found.append(line)
    return found


def _all(old: list[str], new: list[str]) -> Iterator[tuple[Sign, list[Cell]]]:
    for tag, a0, a1, b0, b1 in _steps(old, new):
        if tag == "equal":
            yield from _equal(old[a0:a1], first=a0 == 0, last=a1 == len(old))
            continue
        pairs = min(a1 - a0, b1 - b0)
        changed = [_changed(old[a0 + place], new[b0 + place]) for place in range(pairs)]
        yield from (("expected", one) for one, _ in changed)
        yield from (("expected", _shown(line)) for line in old[a0 + pairs : a1])
        yield from (("actual", other) for _, other in changed)
        yield from (("actual", _shown(line)) for line in new[b0 + pairs : b1])


def _steps(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """How one becomes the other. What both begin and end with is taken off first."""
    head = _common(old, new)
    tail = min(_common(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    a1, b1 = len(old) - tail, len(new) - tail
    steps: list[tuple[str, int, int, int, int]] = [("equal", 0, head, 0, head)] if head else []
    if max(a1 - head, b1 - head) <= _MOST_MATCHED:
        inner = SequenceMatcher(None, old[head:a1], new[head:b1], autojunk=False).get_opcodes()
        steps += [(tag, head + i, head + j, head + k, head + m) for tag, i, j, k, m in inner]
    else:
        steps.append(("replace", head, a1, head, b1))
    return [*steps, ("equal", a1, len(old), b1, len(new))] if tail else steps


def _common(one: list[str] | str, other: list[str] | str) -> int:
    """How many elements both begin with."""
    most = min(len(one), len(other))
    return next((place for place in range(most) if one[place] != other[place]), most)


def _equal(lines: list[str], *, first: bool, last: bool) -> Iterator[tuple[Sign, list[Cell]]]:
    before, after = 0 if first else _CONTEXT, 0 if last else _CONTEXT
    if len(lines) <= before + after + 1:
        yield from (("same", _shown(line)) for line in lines)
        return
    yield from (("same", _shown(line)) for line in lines[:before])
    yield "gap", [Cell(f"{len(lines) - before - after} equal lines")]
    yield from (("same", _shown(line)) for line in lines[len(lines) - after :])


def _shown(line: str) -> list[Cell]:
    # Each line is an element of its own: the line feed itself need not be drawn.
    return [cell for cell in cells(line, exact=True) if cell.text != "\n"]


def _changed(one: str, other: str) -> tuple[list[Cell], list[Cell]]:
    """Two lines that stand for each other, marked between what they begin and end with in common."""
    old, new = _shown(one), _shown(other)
    head = next((place for place, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - head
    tail = next((back for back in range(most) if old[-1 - back] != new[-1 - back]), most)
    return _marked(old, head, tail), _marked(new, head, tail)


def _marked(shown: list[Cell], head: int, tail: int) -> list[Cell]:
    end = len(shown) - tail
    return [*shown[:head], *(Cell(cell.text, cell.token, changed=True) for cell in shown[head:end]), *shown[end:]]

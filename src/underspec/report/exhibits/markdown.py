"""Exhibits as Markdown: whatever agents, tasks and models are called, it stays text in a cell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from underspec.report.exhibits.exhibit import Cell, Exhibit, Figure, Kind, Table
from underspec.report.exhibits.words import MISSING, shown, titled
from underspec.report.terminal import plain

_SPECIAL = re.compile(r"[\\`*_{}\[\]|~$]")
# What GitHub's dialect makes links of by itself.
_LINK = re.compile(r"(?i)\b(?:(https?|ftp|mailto|xmpp):|(www)\.)")
_START = re.compile(r"([-+#=>]|\d+(?=[.)](?:\s|$)))")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def escaped(text: str) -> str:
    """Text of whatever origin on one line, with nothing in it that Markdown or HTML reads."""
    line = _SPECIAL.sub(lambda match: f"\\{match[0]}", " ".join(plain(text).split()))
    line = "".join(_HTML.get(character, character) for character in line)
    line = _LINK.sub(lambda match: f"{match[1]}\\:" if match[1] else f"{match[2]}\\.", line)
    start = _START.match(line)
    if start is None:
        return line
    return f"{start[0]}\\{line[start.end() :]}" if start[0].isdecimal() else f"\\{line}"


def markdown(exhibit: Exhibit, *, image: str | None = None, level: int = 2) -> str:
    """One exhibit: heading, table, notes. A figure is its ``image`` (a file beside the page), if any, and its data."""
    lines = [f"{'#' * level} {escaped(exhibit.name)}. {escaped(exhibit.title)}", ""]
    if isinstance(exhibit, Figure):
        if image is not None:
            lines += [f"![{escaped(exhibit.alternative)}]({image})", ""]
        lines += _table(exhibit.data)
    else:
        lines += _table(exhibit)
    lines += [f"- {escaped(note)}" for note in [*exhibit.notes, *_reasons(exhibit)]]
    return "\n".join(lines) + "\n"


def _table(table: Table) -> list[str]:
    numeric = [column.kind != "text" for column in table.columns]
    head = [escaped(titled(column.title, column.kind)) for column in table.columns]
    rule = ["---:" if right else "---" for right in numeric]
    body = [[_cell(row[column.key], column.kind) for column in table.columns] for row in table.rows]
    return [*(_line(cells) for cells in (head, rule, *body)), ""]


def _cell(cell: Cell, kind: Kind) -> str:
    written = shown(cell, kind)
    return escaped(written) if isinstance(cell.value, str) else written.replace("<", "&lt;")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _reasons(exhibit: Exhibit) -> list[str]:
    """Why figures are missing, column by column."""
    table = exhibit.data if isinstance(exhibit, Figure) else exhibit
    found: dict[tuple[str, str], int] = {}
    for row in table.rows:
        for column in table.columns:
            cell: Cell = row[column.key]
            if cell.value is None and cell.why:
                found[column.title, cell.why] = found.get((column.title, cell.why), 0) + 1
    return [f"{MISSING} in {title}: {why}." for title, why in found]

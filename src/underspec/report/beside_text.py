"""For a terminal: what stands beside the scores, in a table of its own, which is there only where there is any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from underspec.report.terminal import best_first, percent, plain, varied_fields, who

_STRUCTURE = {
    "Files": ("ratio", "files"),
    "LOC": ("ratio", "loc"),
    "Class": ("similarity", "class"),
    "Meth.": ("similarity", "method"),
    "Owned": ("similarity", "method_qualified"),
    "Names.": ("similarity", "namespace"),
}
_CRITIC = {"Behav.": ("scores", "semantic"), "API": ("scores", "api"), "Design": ("scores", "design")}
_PARTS = ("structure", "review")
_DROPPABLE = ("Names.", "Files", "Owned", "LOC", "Class")
_KEY = "Files, LOC: generated of golden; Class, Meth., Owned (method with its owners), Names. (namespaces): names alike"


def print_beside(document: dict[str, Any], console: Console) -> None:
    """The table, intervals where there are any, and how many of the planned are scored. Nothing where none planned."""
    if not any(row.get("structure") or row.get("review") for row in document["rows"]):
        return
    if any(part["scored"] for row in document["rows"] for name in _PARTS if (part := row.get(name))):
        _print_table(document, console)
    varied = varied_fields(document)
    for row in best_first(document):
        if spans := _intervals(row):
            console.print(Text(plain(f"{who(row, varied)}: 95 % intervals: {spans}"), style="dim"))
    for part in _PARTS:
        for line in _counted(document, part):
            console.print(Text(plain(line), style="dim"))


def _print_table(document: dict[str, Any], console: Console) -> None:
    console.print(Text("\nBeside the golden sources: means of tasks in percent, part of no score", style="bold"))
    left_out: list[str] = []
    table = beside_table(document)
    for name in _DROPPABLE:
        if console.measure(table, options=console.options.update(width=10_000)).maximum <= console.width:
            break
        left_out.append(name)
        table = beside_table(document, left_out)
    console.print(table)
    if any(row.get("structure") for row in document["rows"]):
        console.print(Text(_KEY, style="dim"))
    if left_out:
        console.print(Text(f"left out, as the terminal is narrow: {', '.join(left_out)}", style="dim"))


def beside_table(document: dict[str, Any], left_out: Collection[str] = ()) -> Table:
    """One line for each agent and condition."""
    rows = best_first(document)
    columns = {
        **(_STRUCTURE if any(row.get("structure") for row in rows) else {}),
        **(_CRITIC if any(row.get("review") for row in rows) else {}),
    }
    shown = {name: place for name, place in columns.items() if name not in left_out}
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, padding=0, show_edge=False)
    varied = varied_fields(document)
    for name in ("Agent", *(name.replace("_", " ").capitalize() for name in varied)):
        table.add_column(name, no_wrap=True)
    for name in (*shown, "Scored"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        if not (row.get("structure") or row.get("review")):
            continue
        under = [row["condition"][name] for name in varied]
        names = [row["agent"], *("–" if value is None else str(value) for value in under)]
        means = [percent(figure["mean"] if (figure := _figure(row, place)) else None) for place in shown.values()]
        table.add_row(*map(plain, names), *means, _scored(row))
    return table


def _figure(row: dict[str, Any], place: Sequence[str]) -> dict[str, Any] | None:
    part = row.get("review" if place[0] == "scores" else "structure")
    return part[place[0]][place[1]] if part else None


def _scored(row: dict[str, Any]) -> str:
    """Of structure and of reviews, where these are not the same."""
    parts = [part for name in _PARTS if (part := row.get(name))]
    return " ".join(dict.fromkeys(f"{part['scored']}/{part['planned']}" for part in parts))


def _intervals(row: dict[str, Any]) -> str:
    found = {name: _figure(row, place) for name, place in {**_STRUCTURE, **_CRITIC}.items()}
    spans = {name: figure["interval"] for name, figure in found.items() if figure and figure["interval"]}
    return ", ".join(f"{name} {percent(low)} to {percent(high)}" for name, (low, high) in spans.items())


def _counted(document: dict[str, Any], part: str) -> list[str]:
    found = [row[part] for row in document["rows"] if row.get(part)]
    if not found:
        return []
    unscored: Counter[str] = sum((Counter(each["unscored"]) for each in found), Counter())
    planned, scored = (sum(each[name] for each in found) for name in ("planned", "scored"))
    line = f"{part} planned {planned} = scored {scored} + unscored {unscored.total()}"
    if unscored:
        line += f" ({', '.join(f'{name} {number}' for name, number in sorted(unscored.items()))}); "
        line += "underspec show says why"
    lines = [line]
    if part == "review":
        models = sorted({model for each in found for model in each["models"]})
        lines += [f"reviewed by {', '.join(models)}"] if models else []
        if stale := sum(each["stale"] for each in found):
            lines.append(f"stale reviews {stale}: made from other inputs than today's; --redo review makes them anew")
    return lines

"""The report for a terminal."""

from __future__ import annotations

import unicodedata
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


def plain(text: str) -> str:
    """Text from an agent or a repository, safe to print: control and formatting characters become visible escapes."""
    return "".join(
        character
        if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
        else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in text
    )


def percent(rate: float | None) -> str:
    """``0.8125`` as ``81.2``; a missing rate as an en dash. Never rounds up to 100 what is not whole."""
    if rate is None:
        return "–"
    shown = f"{100 * rate:.1f}"
    if shown == "100.0" and rate < 1:
        return "99.9"
    if shown == "0.0" and rate > 0:
        return "0.1"
    return shown


def report_table(document: dict[str, Any]) -> Table:
    """One line for each agent and task."""
    table = Table(title=f"Run {document['run']}", title_justify="left", header_style="bold", pad_edge=False)
    varied = _varied(document)
    table.add_column("Agent", no_wrap=True)
    for name in varied:
        table.add_column(name.capitalize(), no_wrap=True)
    table.add_column("Task", no_wrap=True)
    for name in ("Overall", "Public", "Native", "Enhanced", "Hidden"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("Pass/mism./miss./over.", justify="right", no_wrap=True)
    for name in ("Asked", "Coverage", "Fallback", "Budget"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("Scored", justify="right", no_wrap=True)
    for row in sorted(document["rows"], key=lambda row: -(row["overall_pooled"] or 0)):
        for task in row["tasks"]:
            outcomes = task["outcomes"]
            table.add_row(
                plain(row["agent"]),
                *(plain(str(row["condition"][name])) for name in varied),
                plain(task["task"]),
                Text(percent(task["overall_pooled"]), style="bold"),
                *(percent(task[view]) for view in ("public", "native", "enhanced", "hidden")),
                f"{outcomes['pass']}/{outcomes['mismatch']}/{outcomes['missing']}/{outcomes['oversize']}",
                str(task["questions"]),
                *(percent(task[name]) for name in ("coverage", "fallback_rate", "budget_use")),
                f"{task['scored']}/{task['planned']}",
            )
    return table


def _varied(document: dict[str, Any]) -> list[str]:
    shown = ("model", "exposure", "budget", "router", "scaffold", "image")
    return [name for name in shown if len({str(row["condition"][name]) for row in document["rows"]}) > 1]


def print_report(document: dict[str, Any], console: Console) -> None:
    """Print table, states and counts."""
    console.print(report_table(document))
    for row in document["rows"]:
        for task in row["tasks"]:
            states = [f"{suite}: {', '.join(found)}" for suite, found in task["states"].items() if found]
            if states:
                console.print(Text(plain(f"  {row['agent']} on {task['task']}: {'; '.join(states)}"), style="dim"))
    unscored = sum(document["unscored"].values())
    line = f"planned {document['planned']} = scored {document['scored']} + unscored {unscored}"
    if unscored:
        line += f" ({', '.join(f'{name} {number}' for name, number in document['unscored'].items())})"
    console.print(Text(plain(line)))
    if not document["comparable"]:
        console.print(
            Text(
                "Sandboxes used this machine's own /usr: compare within this run, not with other machines.", style="dim"
            )
        )

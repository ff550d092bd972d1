"""The report for a terminal."""

from __future__ import annotations

import unicodedata
from typing import Any

from rich import box
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
    """One line for each agent and task; fits into 80 columns when nothing but agent and task varies."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, padding=0, show_edge=False)
    varied = _varied(document)
    table.add_column("Agent", no_wrap=True)
    for name in varied:
        table.add_column(name.capitalize())
    table.add_column("Task", no_wrap=True)
    for name in ("Overall", "Public", "Native", "Enhan.", "Hidden", "Asked", "Cover.", "Fallb.", "Scored"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in sorted(document["rows"], key=lambda row: -(row["overall_pooled"] or 0)):
        for task in row["tasks"]:
            table.add_row(
                plain(row["agent"]),
                *(plain(str(row["condition"][name])) for name in varied),
                plain(task["task"]),
                Text(percent(task["overall_pooled"]), style="bold"),
                *(percent(task[view]) for view in ("public", "native", "enhanced", "hidden")),
                str(task["questions"]),
                *(percent(task[name]) for name in ("coverage", "fallback_rate")),
                f"{task['scored']}/{task['planned']}",
            )
    return table


def _details(row: dict[str, Any], task: dict[str, Any]) -> str:
    counts = ", ".join(f"{number} {outcome}" for outcome, number in task["outcomes"].items() if number)
    states: dict[str, list[str]] = {}
    for suite, found in task["states"].items():
        for state in found:
            states.setdefault(state, []).append(suite)
    seen = "; ".join(f"{state} in {', '.join(suites)}" for state, suites in states.items())
    used = f"; budget used {percent(task['budget_use'])} %" if task["budget_use"] is not None else ""
    return f"{row['agent']} on {task['task']}: {counts or 'no cases'}{used}{'; ' + seen if seen else ''}"


def _varied(document: dict[str, Any]) -> list[str]:
    shown = ("model", "exposure", "budget", "router", "scaffold", "image")
    return [name for name in shown if len({str(row["condition"][name]) for row in document["rows"]}) > 1]


def report_console() -> Console:
    """Standard output; wide where it is no terminal, so that nothing is cut off in a file or a pipe."""
    console = Console()
    return console if console.is_terminal else Console(width=160)


def print_report(document: dict[str, Any], console: Console) -> None:
    """Print table, outcome counts, states, and how many of the planned items are scored."""
    console.print(Text(f"Run {plain(document['run'])}; rates in percent", style="bold"))
    console.print(report_table(document))
    for row in document["rows"]:
        for task in row["tasks"]:
            console.print(Text(plain(_details(row, task)), style="dim"))
    unscored = sum(document["unscored"].values())
    line = f"planned {document['planned']} = scored {document['scored']} + unscored {unscored}"
    if unscored:
        line += f" ({', '.join(f'{name} {number}' for name, number in document['unscored'].items())})"
    console.print(Text(plain(line)))
    if not document["comparable"]:
        console.print(Text("The sandboxes showed this machine's own /usr: compare within this run only.", style="dim"))

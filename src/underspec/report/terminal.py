"""The report for a terminal."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Sequence
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


_START = re.compile(r" *(?:\d+\. )?(?:[QA]: )?")


def folded(text: str, width: int, indent: int | None = None) -> str:
    """Lines folded between words to ``width``; what continues a line stands under the start of its text, or there."""
    lines = []
    for line in text.split("\n"):
        start = _START.match(line)
        under = indent if indent is not None else start.end() if start else 0
        lines += textwrap.wrap(
            line,
            width,
            subsequent_indent=" " * min(under, width // 2),
            break_on_hyphens=False,
            replace_whitespace=False,
        ) or [line]
    return "\n".join(lines)


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


# What a narrow terminal does without, first to go first; the agent, what varies, the task and the score always stay.
_DROPPABLE = ("Fallb.", "Cover.", "Public", "Hidden", "Asked", "Enhan.", "Native")


_ASKING = ("Asked", "Scored")
"""What of the other columns says something of items that clarify."""


def report_table(document: dict[str, Any], left_out: Collection[str] = ()) -> Table:
    """One line for each agent, condition and task; fits into 80 columns when nothing but agent and task varies."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, padding=0, show_edge=False)
    varied = varied_fields(document)
    table.add_column("Agent", no_wrap=True)
    for name in varied:
        table.add_column(name.replace("_", " ").capitalize(), no_wrap=True)
    table.add_column("Task", no_wrap=True)
    figures: dict[str, Callable[[dict[str, Any]], str | Text]] = {
        "Overall": lambda task: Text(percent(task["overall_pooled"]), style="bold"),
        "Public": lambda task: percent(task["public"]),
        "Native": lambda task: percent(task["native"]),
        "Enhan.": lambda task: percent(task["enhanced"]),
        "Hidden": lambda task: percent(task["hidden"]),
        "Asked": lambda task: str(task["questions"]),
        "Cover.": lambda task: percent(task["coverage"]),
        "Fallb.": lambda task: percent(task["fallback_rate"]),
        "Scored": lambda task: f"{task['scored']}/{task['planned']}",
    }
    protocols = {row["condition"].get("protocol", "build") for row in document["rows"]}
    if protocols != {"build"}:
        understood: dict[str, Callable[[dict[str, Any]], str | Text]] = {
            "Passed": lambda task: Text(percent(task["task_pass"]), style="bold"),
            "Units": lambda task: percent(task["unit_pass"]),
            "Underst.": lambda task: Text(percent(task["clarification"]), style="bold"),
        }
        kept = {name: figure for name, figure in figures.items() if "build" in protocols or name in _ASKING}
        figures = {**understood, **kept}
    shown = [name for name in figures if name not in left_out]
    for name in shown:
        table.add_column(name, justify="right", no_wrap=True)
    for row in best_first(document):
        for task in row["tasks"]:
            table.add_row(
                plain(row["agent"]),
                *(plain(_value(row["condition"][name])) for name in varied),
                plain(task["task"]),
                *(figures[name](task) for name in shown),
            )
    return table


def fitting_table(document: dict[str, Any], console: Console) -> tuple[Table, list[str]]:
    """The table without as many columns as must go for it to fit, and the names of those."""
    left_out: list[str] = []
    table = report_table(document)
    for name in _DROPPABLE:
        if console.measure(table, options=console.options.update(width=10_000)).maximum <= console.width:
            break
        left_out.append(name)
        table = report_table(document, left_out)
    return table, left_out


def best_first(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows by score, best first; where that is equal, by agent and then by what varies, in its own order."""
    varied = varied_fields(document)

    def place(row: dict[str, Any]) -> tuple[Any, ...]:
        values = [row["condition"][name] for name in varied]
        return (
            -(row["overall_pooled"] or row.get("task_pass") or 0),
            -(row.get("clarification") or 0),
            row["agent"],
            *((value if isinstance(value, int) else -1, str(value)) for value in values),
        )

    return sorted(document["rows"], key=place)


def _details(row: dict[str, Any], task: dict[str, Any], varied: Sequence[str]) -> str:
    counts = ", ".join(f"{number} {outcome}" for outcome, number in task["outcomes"].items() if number)
    states: dict[str, list[str]] = {}
    for suite, found in task["states"].items():
        for state in found:
            states.setdefault(state, []).append(suite)
    seen = "; ".join(f"{state} in {', '.join(suites)}" for state, suites in states.items())
    used = f"; budget used {percent(task['budget_use'])} %" if task["budget_use"] is not None else ""
    if row["condition"].get("protocol", "build") != "build":
        counts = f"fully correct answers {percent(task['clarification_strict'])} %"
    return f"{who(row, varied, task['task'])}: {counts or 'no cases'}{_span(task)}{used}{'; ' + seen if seen else ''}"


def _value(value: object) -> str:
    return "–" if value is None else str(value)


def who(row: dict[str, Any], varied: Sequence[str], task: str | None = None) -> str:
    """The agent of a row, under what varies."""
    under = "".join(f", {name} {_value(row['condition'][name])}" for name in varied)
    on = f"{',' if under else ''} on {task}" if task else ""
    return f"{row['agent']}{under}{on}"


def _span(task: dict[str, Any]) -> str:
    """What the score would be if all that is unscored failed, and if all of it passed."""
    low, high = task["bounds"]
    if task["scored"] == task["planned"] or low is None:
        return ""
    return f"; score between {percent(low)} and {percent(high)} % with what is unscored"


def varied_fields(document: dict[str, Any]) -> list[str]:
    """The fields of the condition in which the rows differ."""
    fields = dict.fromkeys(("model", "exposure", "budget", "router", "scaffold", "image"))
    for row in document["rows"]:
        fields.update(dict.fromkeys(row["condition"]))
    return [
        name
        for name in fields
        if name not in ("id", "agent") and len({str(row["condition"].get(name)) for row in document["rows"]}) > 1
    ]


def report_console() -> Console:
    """Standard output; wide where it is no terminal, so that nothing is cut off in a file or a pipe.

    Markup is off: a task's title is no place to give orders from, nor one in which brackets must be matched.
    """
    console = Console(markup=False, emoji=False, highlight=False)
    return console if console.is_terminal else Console(markup=False, emoji=False, highlight=False, width=160)


def print_report(document: dict[str, Any], console: Console) -> None:
    """Print table, outcome counts, states, and how many of the planned items are scored."""
    console.print(Text(f"Run {plain(document['run'])}; rates in percent", style="bold"))
    table, left_out = fitting_table(document, console)
    console.print(table)
    if left_out:
        console.print(Text(f"left out, as the terminal is narrow: {', '.join(left_out)}", style="dim"))
    varied = varied_fields(document)
    for row in best_first(document):
        for task in row["tasks"]:
            console.print(Text(plain(_details(row, task, varied)), style="dim"))
        if row.get("interval"):
            console.print(Text(plain(f"{who(row, varied)}: {mean_of_tasks(row)}"), style="dim"))
        for role, spent in row.get("spending", {}).items():
            console.print(Text(plain(f"{who(row, varied)}: {_spent(role, spent)}"), style="dim"))
    unscored = sum(document["unscored"].values())
    line = f"planned {document['planned']} = scored {document['scored']} + unscored {unscored}"
    if unscored:
        line += f" ({', '.join(f'{name} {number}' for name, number in document['unscored'].items())})"
    console.print(Text(plain(line)))
    if document["stale"]:
        built = all(row["condition"].get("protocol", "build") == "build" for row in document["rows"])
        anew = "--redo build makes them anew" if built else "--dry-run says what makes them anew"
        line = f"stale {document['stale']}: made from other inputs than today's; {anew}"
        console.print(Text(line))
    if not document["comparable"]:
        console.print(Text("The sandboxes showed this machine's own /usr: compare within this run only.", style="dim"))


def mean_of_tasks(row: dict[str, Any]) -> str:
    """The mean over tasks with its interval, which is of tasks as a sample of such tasks."""
    low, high = row["interval"]
    what = "mean of" if row["interval_of"] == "overall_macro" else "pass rate over"
    mean = percent(row[row["interval_of"]])
    return f"{what} {len(row['tasks'])} tasks {mean} %, 95 % interval {percent(low)} to {percent(high)} %"


def dollars(cost: float | None) -> str:
    """``0.1234`` as ``$0.12``; less than a cent with more places, so that it does not look like nothing."""
    if cost is None:
        return "unknown"
    return f"${cost:.2f}" if cost >= 0.01 or cost == 0 else f"${cost:.2g}"


def _spent(role: str, spent: dict[str, Any]) -> str:
    cost = dollars(spent["cost"])
    if spent["cost"] is None and spent["known_cost"]:
        cost += f" ({dollars(spent['known_cost'])} without {spent['uncosted']} calls of unknown price)"
    parts = [f"{spent['calls']} calls as {role}", f"{spent['tokens']:,} tokens", f"cost {cost}"]
    parts += [f"{spent[name]} {name}" for name in ("retries", "failed", "refused", "interrupted") if spent[name]]
    return ", ".join(parts)

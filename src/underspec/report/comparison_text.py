"""A comparison for people: one sentence that may be quoted, and what is behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from underspec.report.terminal import dollars, percent, plain

_MOST = 10
MEASURE_NAMES = {
    "overall_macro": "cases passed, mean of tasks",
    "task_pass": "tasks passed",
    "clarification": "clarification score",
    "unit_pass": "requirement units passed",
    "class_similarity": "class names alike",
    "method_similarity": "method names alike",
    "method_qualified_similarity": "methods with owners alike",
    "namespace_similarity": "namespaces alike",
    "critic_semantic": "critic: behaviour",
    "critic_api": "critic: public interface",
    "critic_design": "critic: design",
}


def side_names(comparison: dict[str, Any]) -> tuple[str, str]:
    """What to call A and B: the agent and what varies, and the run where that is all the difference."""

    def name(side: dict[str, Any]) -> str:
        varied = [field for field in comparison["varied"] if field != "agent"]
        return ", ".join(
            [side["agent"], *(f"{each.replace('_', ' ')} {_value(side['condition'][each])}" for each in varied)]
        )

    first, second = name(comparison["a"]), name(comparison["b"])
    if first == second:
        first, second = f"{first} in {comparison['a']['run']}", f"{second} in {comparison['b']['run']}"
    return plain(first), plain(second)


def sentence(comparison: dict[str, Any]) -> str:
    """One sentence with difference, interval and flips, which claims no more than they show."""
    first, second = side_names(comparison)
    found = comparison["measures"][comparison["primary"]]
    tasks = found["tasks"]
    what = "of a task's cases on average" if comparison["primary"] == "overall_macro" else "of the tasks"
    begin = (
        f"On {tasks} matched {'task' if tasks == 1 else 'tasks'}, B ({second}) passes {percent(found['b'])} % {what}, "
        f"{_gap(100 * found['difference'])} A ({first}) with {percent(found['a'])} %"
    )
    return f"{begin} ({_certainty(found)}){_flips(comparison)}."


def _gap(points: float) -> str:
    size = f"{abs(points):.1f}"
    if size == "0.0":
        return "as much as"
    return f"{size} {'point' if size == '1.0' else 'points'} {'more' if points > 0 else 'less'} than"


def _certainty(found: dict[str, Any]) -> str:
    if found["interval"] is None:
        return "one task tells nothing of others"
    low, high = found["interval"]
    told = ""
    if low <= 0 <= high:
        # An interval that covers is wider than the test is strict.
        told = f"{'hardly' if found['p_sign_flip'] < 0.05 else 'not'} told apart from no difference: "
    p_value = f"p {_p(found['p_sign_flip'])}"
    if found.get("p_corrected", found["p_sign_flip"]) != found["p_sign_flip"]:
        p_value += f", corrected for all comparisons {_p(found['p_corrected'])}"
    return f"{told}95 % interval of the difference {_span(found['interval'])}, {p_value}"


def _span(interval: list[float] | None) -> str:
    return "–" if interval is None else f"{100 * interval[0]:+.1f} to {100 * interval[1]:+.1f}"


def _flips(comparison: dict[str, Any]) -> str:
    passed = comparison["measures"].get("task_pass")
    if passed is None or not passed["better"] + passed["worse"]:
        return "; no task changes between passing in full and not"
    tasks = "task passes" if passed["better"] == 1 else "tasks pass"
    return f"; {passed['better']} {tasks} in full more often, {passed['worse']} less often"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def _value(value: object) -> str:
    return "–" if value is None else str(value)


def comparison_text(comparison: dict[str, Any]) -> str:
    """The sentence, then every measure, what was used, the tasks that flipped and those that changed most."""
    # 80 columns.
    lines = [
        sentence(comparison),
        "",
        f"{'in %':27}{'A':>7}{'B':>8}{'B-A':>8}{'95 % interval':>17}{'+/-':>6}{'p sign':>7}",
    ]
    for name, found in comparison["measures"].items():
        counts = f"{found['better']}/{found['worse']}"
        certainty = _p(found["p_sign"]).removeprefix("= ").replace("< ", "<")
        lines.append(
            f"{MEASURE_NAMES[name]:27}{percent(found['a']):>7}{percent(found['b']):>8}"
            f"{100 * found['difference']:>+8.1f}{_span(found['interval']):>17}{counts:>6}{certainty:>7}"
        )
    used = comparison["used"]
    for title, (name, words) in _USED.items():
        ratio = used[name]["ratio"]
        times = "" if ratio is None else f"{f'{ratio:.2f}×':>8}"
        lines.append(f"{title:25}{words(used[name]['a']):>9}{words(used[name]['b']):>8}{times}")
    lines.append("+/-: on how many tasks B is better, and worse; p sign: of the sign test on them")
    lines += _rows("flipped: how often they passed in full", comparison["flips"])
    changed = [row for row in comparison["per_task"] if abs(row["difference"]) > 1e-12]
    worst, best = [row for row in changed if row["difference"] < 0], [row for row in changed if row["difference"] > 0]
    lines += _rows("lost most", worst) + _rows("gained most", best[::-1])
    if comparison["tasks"]["left_out"]:
        lines.append("")
        lines += [f"left out: {task}: {reason}" for task, reason in comparison["tasks"]["left_out"].items()]
        low, high = comparison["bounds"]
        lines.append(f"with all that is unscored, the difference lies between {100 * low:+.1f} and {100 * high:+.1f}")
    return plain("\n".join([*lines, *(f"note: {note}" for note in comparison["notes"])]))


def _rows(title: str, rows: list[dict[str, Any]]) -> list[str]:
    if not rows:
        return []
    lines = ["", f"{title}:"]
    for row in rows[:_MOST]:
        took = {
            side: ", ".join(words(row["used"][name][side]) for name, words in _TAKEN.items()) for side in ("a", "b")
        }
        lines.append(
            f"  {row['task']}: {percent(row['a'])} % in A ({took['a']}), {percent(row['b'])} % in B ({took['b']})"
        )
        lines += [f"    {side.upper()} {folder}" for side in ("a", "b") for folder in row["items"][side]]
    return lines + ([f"  and {len(rows) - _MOST} more; all of them with --json"] if len(rows) > _MOST else [])


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min" if minutes else f"{seconds:.1f} s"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.0f}"


_USED: dict[str, tuple[str, Callable[[float | None], str]]] = {
    "cost an item": ("cost", dollars),
    "builder's time an item": ("seconds", _duration),
    "builder's tokens an item": ("tokens", _number),
}
_TAKEN: dict[str, Callable[[float | None], str]] = {"cost": dollars, "seconds": _duration}
"""What stands beside each task that changed."""

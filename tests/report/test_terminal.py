"""What is printed is safe and does not flatter."""

from __future__ import annotations

import io
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

from underspec.report.terminal import folded, percent, plain, print_report, report_console


@given(st.text())
def test_no_control_or_formatting_character_reaches_the_terminal(text: str) -> None:
    for character in plain(text):
        assert character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def test_an_escape_sequence_and_a_bidi_override_become_visible() -> None:
    assert plain("\x1b[2Jgone\u202e") == "\\x1b[2Jgone\\u202e"


@pytest.mark.parametrize(
    ("rate", "shown"),
    [(None, "–"), (0.0, "0.0"), (1.0, "100.0"), (0.99996, "99.9"), (0.0001, "0.1"), (0.8125, "81.2")],
)
def test_a_rate_is_never_rounded_to_all_or_nothing(rate: float | None, shown: str) -> None:
    assert percent(rate) == shown


@given(st.text(alphabet="ab -\n.1QA:", max_size=200), st.integers(min_value=12, max_value=60))
def test_folding_keeps_every_word_and_every_narrow_line(text: str, width: int) -> None:
    lines = folded(text, width).split("\n")
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(len(line) <= width for line in lines)
    assert folded(text, 1000) == "\n".join(line.rstrip() or line for line in text.split("\n"))


def test_what_continues_a_reply_stands_under_its_start() -> None:
    assert folded("  12. Q: one two three\n     A: four", 17).split("\n") == [
        "  12. Q: one two",
        " " * 8 + "three",
        "     A: four",
    ]


def _document(*rows: tuple[str, float, dict[str, Any]]) -> dict[str, Any]:
    def figures(rate: float) -> dict[str, Any]:
        views = dict.fromkeys(("overall_pooled", "public", "native", "enhanced", "hidden"), rate)
        rest = {"questions": 3, "coverage": 0.5, "fallback_rate": 0.0, "budget_use": 0.75, "scored": 1, "planned": 1}
        return {**views, **rest, "bounds": [rate, rate], "outcomes": {"pass": 4}, "states": {}}

    return {
        "run": "first",
        "comparable": True,
        "stale": 0,
        "planned": len(rows),
        "scored": len(rows),
        "unscored": {},
        "rows": [
            {
                "agent": agent,
                "condition": {
                    "id": str(place),
                    "agent": agent,
                    "model": None,
                    "budget": 16,
                    "image": "base",
                    **condition,
                },
                **figures(rate),
                "tasks": [{"task": "data-sizes", **figures(rate)}],
            }
            for place, (agent, rate, condition) in enumerate(rows)
        ],
    }


def _printed(document: dict[str, Any], width: int) -> list[str]:
    stream = io.StringIO()
    print_report(document, Console(file=stream, width=width))
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("width", [160, 80, 60, 44])
def test_what_tells_the_rows_apart_is_never_cut_off(width: int) -> None:
    document = _document(*(("asker", 0.5, {"budget": budget}) for budget in (16, 4, 8)))
    lines = _printed(document, width)
    assert max(len(line.rstrip()) for line in lines) <= width
    assert "…" not in "".join(lines)
    shown = [line.split()[:4] for line in lines if line.startswith("asker ")]
    assert shown == [["asker", str(budget), "data-sizes", "50.0"] for budget in (4, 8, 16)]
    assert any(line.startswith("left out") for line in lines) == (width < 86)


def test_a_field_that_only_an_experiment_file_can_vary_gets_its_column_too() -> None:
    lines = _printed(_document(("asker", 0.5, {"build_seconds": 60}), ("asker", 0.4, {"build_seconds": 600})), 160)
    assert lines[1].split()[:3] == ["Agent", "Build", "seconds"]


def test_the_best_comes_first_and_each_line_of_counts_says_under_what_condition() -> None:
    lines = _printed(_document(("asker", 0.2, {"budget": 4}), ("eager", 0.9, {"budget": 0})), 160)
    assert [line.split(" on ")[0] for line in lines if " on data-sizes: " in line] == [
        "eager, budget 0,",
        "asker, budget 4,",
    ]


def test_what_is_unscored_shows_with_the_bounds_that_it_leaves() -> None:
    document = _document(("asker", 0.5, {}))
    assert "score between" not in "\n".join(_printed(document, 160))
    for task in document["rows"][0]["tasks"]:
        task.update(scored=1, planned=2, bounds=[0.25, 0.75])
    assert "score between 25.0 and 75.0 % with what is unscored" in "\n".join(_printed(document, 160))


def test_several_tasks_have_a_mean_with_its_interval_and_one_has_none() -> None:
    document = _document(("asker", 0.5, {}))
    document["rows"][0].update(interval=None, interval_of="overall_macro", overall_macro=0.5)
    assert "interval" not in "\n".join(_printed(document, 160))
    document["rows"][0].update(interval=[0.204, 0.796], tasks=document["rows"][0]["tasks"] * 3)
    assert "asker: mean of 3 tasks 50.0 %, 95 % interval 20.4 to 79.6 %" in _printed(document, 160)


def test_stale_builds_are_said_with_what_makes_them_anew() -> None:
    document = _document(("asker", 0.5, {}))
    assert "stale" not in "\n".join(_printed(document, 160))
    assert "stale 3" in "\n".join(_printed({**document, "stale": 3}, 160))
    assert "--redo build" in "\n".join(_printed({**document, "stale": 3}, 160))


def test_markup_in_a_name_is_shown_and_not_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    table = Table("Title")
    table.add_row("a [/b] [link=https://example.invalid]c[/link] :boom:")
    report_console().print(table)
    assert "a [/b] [link=https://example.invalid]c[/link] :boom:" in stream.getvalue()

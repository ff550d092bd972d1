"""The page about agents names agents and flags that there are."""

from __future__ import annotations

import re
import shlex

import typer

from tests.docs.pages import ROOT, console_blocks
from underspec.agent.registry import agent_names
from underspec.cli.app import app
from underspec.model.prices import load_prices
from underspec.run.experiment import make_experiment
from underspec.run.presets import with_preset

PAGES = (ROOT / "docs" / "agents.md", ROOT / "README.md")


def commands() -> list[list[str]]:
    """Every ``underspec`` command that the pages show."""
    lines = [line for page in PAGES for block in console_blocks(page) for line in block.splitlines()]
    shown = [line.removeprefix("$ ").split("  #")[0] for line in lines if line.startswith("$ underspec ")]
    return [shlex.split(line)[1:] for line in shown]


def test_each_agent_in_the_table_is_one_and_none_is_missing() -> None:
    rows = re.findall(r"^\| ((?:`[a-z-]+`(?:, )?)+) \|", PAGES[0].read_text(), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)}
    assert named == set(agent_names())


def test_each_command_shown_has_the_flags_that_it_is_shown_with() -> None:
    group = typer.main.get_command(app)
    looked_at = 0
    for argv in commands():
        command = group
        rest = list(argv)
        while rest and rest[0] in getattr(command, "commands", {}):
            command = command.commands[rest.pop(0)]  # type: ignore[attr-defined]
        flags = {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
        for word in rest:
            if word.startswith("--"):
                assert word in flags, f"{' '.join(argv)}: there is no {word}"
                looked_at += 1
    assert looked_at > 10


def test_the_cost_of_each_model_that_is_shown_with_a_bound_is_known() -> None:
    prices, looked_at = load_prices(), 0
    for argv in commands():
        if argv[0] != "run" or not {"--max-cost", "--max-build-cost"} & set(argv):
            continue
        names = [argv[argv.index("--model") + 1]]
        if "--max-cost" in argv and "--preset" in argv:
            plan = with_preset(
                make_experiment({"tasks": ["x"], "condition": {"agent": "x"}}), argv[argv.index("--preset") + 1]
            )
            names += [each.stakeholder_model or "" for each in plan.conditions()]
        assert all(prices.find(name) for name in names), f"{' '.join(argv)}: {names}"
        looked_at += 1
    assert looked_at

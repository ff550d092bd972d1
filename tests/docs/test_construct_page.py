"""The page about construction shows commands that there are, with flags and stages that there are."""

from __future__ import annotations

import re
import shlex

import typer

from tests.docs.pages import ROOT, console_blocks
from underspec.cli.app import app
from underspec.construct.pipeline import stages_of

PAGE = ROOT / "docs" / "construct.md"


def test_each_command_shown_is_one_and_has_the_flags_that_it_is_shown_with() -> None:
    lines = [line for block in console_blocks(PAGE) for line in block.splitlines() if line.startswith("$ underspec ")]
    assert len(lines) > 8
    for line in lines:
        words = shlex.split(line)[2:]
        command = typer.main.get_command(app)
        if words[0] == "construct" and words[1] not in command.commands["construct"].commands:  # type: ignore[attr-defined]
            words.insert(1, "repository")
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]  # type: ignore[attr-defined]
        flags = {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= flags, line


def test_the_table_names_every_stage_in_order() -> None:
    section = PAGE.read_text().split("## The stages")[1].split("## Options")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [stage.name for stage in stages_of("repository")]


def test_each_option_named_is_read_by_its_stage() -> None:
    section = PAGE.read_text().split("## Options")[1].split("## Editing")[0]
    source = "\n".join(path.read_text() for path in (ROOT / "src/underspec/construct").glob("*.py"))
    named = re.findall(r"`(?:select|refactor|enhance|image|verify)\.(\w+)`", section)
    assert len(named) > 15
    assert [name for name in named if f'"{name}"' not in source] == []

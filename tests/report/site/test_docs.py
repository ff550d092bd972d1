"""The page about the report tells what a site has, and what the command takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import typer

from tests.docs.pages import ROOT, console_blocks
from tests.report.site.site_sample import Sample
from underspec.cli.app import app

PAGE = ROOT / "docs" / "report.md"


def test_every_page_that_the_table_names_is_there_and_none_is_missing(operator_site: Path) -> None:
    named = re.findall(r"`([A-Za-z/-]+\.html)`", PAGE.read_text().partition("## Who may read it")[0])
    tops = {name for name in named if "/" not in name} - {"report.html"}
    assert {path.name for path in operator_site.glob("*.html")} == tops
    folders = {name.partition("/")[0] for name in named if "/" in name}
    assert {path.parent.relative_to(operator_site).parts[0] for path in operator_site.glob("*/**/*.html")} == folders


def test_the_sites_folder_is_as_it_is_drawn(operator_site: Path) -> None:
    drawn = PAGE.read_text().partition("    site/\n")[2].partition("\n\n")[0]
    names = set(re.findall(r"[\w/]+\.(?:html|css|json|js|svg)", drawn))
    flat = {str(path.relative_to(operator_site)) for path in operator_site.iterdir() if path.is_file()}
    assets = {str(path.relative_to(operator_site)) for path in (operator_site / "assets").iterdir()}
    assert names == flat | assets


def test_the_runs_folder_is_as_it_is_drawn(sample: Sample) -> None:
    drawn = PAGE.read_text().partition("    runs/RUN/\n")[2].partition("\n\n")[0]
    for path in (sample.run / "items").iterdir():
        for phase in path.iterdir():
            if phase.is_dir():
                assert {entry.name for entry in phase.iterdir()} >= {"chosen", "attempts"}
    for name in ("run.toml", "item.json", "chosen", "attempts", "report.json", "manual-labels.json", "evidence"):
        assert name in drawn


def test_the_command_takes_what_the_page_shows() -> None:
    group = typer.main.get_command(app)
    command = group.commands["report"]  # type: ignore[attr-defined]
    known = {flag for parameter in command.params for flag in parameter.opts}
    shown = [shlex.split(line.partition("#")[0]) for block in console_blocks(PAGE) for line in block.splitlines()]
    flags = {word for words in shown for word in words if word.startswith("--")}
    flags |= set(re.findall(r"`(--[a-z-]+)`", PAGE.read_text()))
    assert flags <= known
    assert {"--out", "--public", "--task", "--show-hidden"} <= flags

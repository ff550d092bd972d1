"""The page about structure shows what the command prints."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import underspec
from tests.docs.pages import ROOT, console_blocks, file_blocks
from tests.structure.trees import make_tree
from underspec.grade.structure.languages import LANGUAGES

PAGE = ROOT / "docs" / "structure.md"


def test_the_example_prints_what_the_page_says(tmp_path: Path) -> None:
    make_tree(tmp_path, file_blocks(PAGE))
    (block,) = console_blocks(PAGE)
    command, _, expected = block.partition("\n")
    ran = underspec(*command.removeprefix("$ underspec ").split(), cwd=tmp_path)
    assert ran.code == 0
    assert ran.out == expected


def test_the_page_names_every_language() -> None:
    text = PAGE.read_text()
    assert [one.name for one in LANGUAGES if one.name not in text] == []

"""The page about exhibits lists what there is, and its calls are as they are."""

from __future__ import annotations

import re

from typer.testing import CliRunner

from tests.docs.pages import ROOT, console_blocks
from underspec.cli.app import app
from underspec.report.exhibits.catalogue import catalogue

PATH = ROOT / "docs" / "exhibits.md"
PAGE = PATH.read_text()


def test_every_exhibit_stands_on_the_page_with_what_it_needs() -> None:
    rows = [line for line in PAGE.splitlines() if re.match(r"\| (ICAE|SWE-Clar) ", line)]
    assert rows == [f"| {each.name} | `{each.slug}` | {each.title} | {each.needs} |" for each in catalogue()]


def test_options_and_slugs_on_the_page_are_there() -> None:
    helped = CliRunner().invoke(app, ["exhibits", "--help"], env={"COLUMNS": "200"}).stdout
    known = {each.slug for each in catalogue()}
    (block,) = console_blocks(PATH)
    for line in block.splitlines():
        words = line.partition("#")[0].split()
        assert all(word in helped for word in words if word.startswith("--"))
        assert all(words[place + 1] in known for place, word in enumerate(words) if word == "--only")


def test_what_the_page_imports_is_there() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    imports = "\n".join(line for line in code.splitlines() if line.startswith(("from ", "import ")))
    exec(compile(imports, "docs/exhibits.md", "exec"), {})

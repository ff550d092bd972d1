"""Reading the documentation's code blocks."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(?P<language>\w+)(?: file=(?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def file_blocks(page: Path) -> dict[str, str]:
    """Texts of the blocks that say which file they are, by that file's path."""
    return {match["file"]: match["text"] for match in _BLOCK.finditer(page.read_text()) if match["file"]}


def console_blocks(page: Path) -> list[str]:
    """Texts of the blocks that show a terminal."""
    return [match["text"] for match in _BLOCK.finditer(page.read_text()) if match["language"] == "console"]

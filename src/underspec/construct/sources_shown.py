"""The golden library's source as a model may see it: files of its language in order, cut to size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from underspec.grade.structure.languages import find_language
from underspec.grade.structure.walk import find_sources

MOST = 90_000


def source_paths(root: Path, language: str) -> list[str]:
    """Paths of source files that count, without tests."""
    found = find_language(language)
    return [path for path, _ in find_sources(root, found).files] if found else []


def library_text(root: Path, language: str, most: int = MOST) -> str:
    """Files one after another, each under its path."""
    return "\n".join(_pieces(root, source_paths(root, language), most))


def files_text(root: Path, paths: list[str], most: int) -> str:
    """The same for files that are named."""
    return "\n".join(_pieces(root, paths, most))


def _pieces(root: Path, paths: list[str], most: int) -> Iterator[str]:
    room = most
    for path in paths:
        place = root / path
        if not place.is_file() or place.is_symlink():
            continue
        text = place.read_text(encoding="utf-8", errors="replace")
        yield f"--- {path}\n{text[:room]}"
        room -= len(text)
        if room <= 0:
            yield "--- (cut here)"
            return

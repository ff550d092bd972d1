"""Small source trees on disk, and their comparison."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from underspec.artifact.structure import Structure
from underspec.grade.structure.compare import compare_structure
from underspec.grade.structure.languages import Language, find_language
from underspec.grade.structure.measure import Measured, gather
from underspec.grade.structure.scope import Scope
from underspec.grade.structure.source import read_text
from underspec.grade.structure.walk import Sources, find_sources


def spoken(word: str) -> Language:
    """The language of that name."""
    found = find_language(word)
    assert found is not None
    return found


def make_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below ``root``."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
    root.mkdir(parents=True, exist_ok=True)
    return root


def counted(root: Path, language: str, *globs: str) -> list[str]:
    """Paths of the files that count."""
    return [path for path, _ in find_sources(root, spoken(language), Scope.of(globs).golden).files]


def measure_texts(language: str, texts: Mapping[str, str]) -> Measured:
    """A tree in memory, measured without a process."""
    one = spoken(language)
    answers = [(path, read_text(text.encode(), one.grammar(""), one.key)) for path, text in texts.items()]
    return gather(answers, one, Sources(), {})


def compare(
    folder: Path,
    golden: Mapping[str, str | bytes],
    generated: Mapping[str, str | bytes],
    language: str = "Python",
    generated_language: str = "",
) -> Structure:
    """Two trees below ``folder``, compared."""
    return compare_structure(
        make_tree(folder / "golden", golden),
        make_tree(folder / "generated", generated),
        spoken(language),
        spoken(generated_language or language),
    ).structure

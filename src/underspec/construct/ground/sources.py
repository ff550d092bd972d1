"""What is known of the golden code: its text for a model that writes, and what its texts must not name."""

from __future__ import annotations

from pathlib import Path

from underspec.construct.materials import Selection
from underspec.grade.structure.languages import find_language
from underspec.grade.structure.measure import measure_tree
from underspec.task.identity import Terms, identity_terms
from underspec.task.model import GoldenToml, Source, TaskToml

MOST_CHARACTERS = 80_000
_MOST_FILE = 40_000


def golden_text(root: Path) -> str:
    """The sources, one after another with their paths, as much as is bounded; what is left out is said."""
    parts, left = [], MOST_CHARACTERS
    for path in sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink()):
        name = path.relative_to(root).as_posix()
        try:
            text = path.read_bytes()[: _MOST_FILE * 4].decode("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        taken = text[: min(_MOST_FILE, left)]
        left -= len(taken)
        note = "" if len(taken) == len(text) else f"\n(… {len(text) - len(taken)} more characters)"
        parts.append(f"--- {name}\n{taken}{note}")
    return "\n".join(parts)


def golden_symbols(root: Path, language: str) -> frozenset[str]:
    """Names of classes, functions and methods that the golden code defines; none for a language without a grammar."""
    known = find_language(language)
    if known is None or not root.is_dir():
        return frozenset()
    measured = measure_tree(root, known, workers=1)
    return frozenset({*measured.classes, *(name for _, name, _ in measured.methods)})


def terms_of(selection: Selection, golden: GoldenToml | None) -> Terms:
    """What would identify the repository (:mod:`underspec.task.identity`)."""
    source = Source(url=selection.url, license=selection.license, version=selection.version)
    toml = TaskToml(
        contract=1,
        id="task",
        title="task",
        family="repository",
        category="task",
        language=selection.language,
        source=source,
        identity=(*selection.identity, selection.name),
    )
    return identity_terms(toml, golden)

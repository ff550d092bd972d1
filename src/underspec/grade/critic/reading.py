"""The source files of both trees: found by the rules of the structure comparison, read, and made inert."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.review import TreeRead
from underspec.grade.critic.inert import inert, inert_line
from underspec.grade.critic.packing import SourceFile
from underspec.grade.structure.content import is_generated, read_content
from underspec.grade.structure.languages import LANGUAGES, Language
from underspec.grade.structure.scope import Pattern
from underspec.grade.structure.walk import find_sources

MOST_BYTES = 32 * 1024**2
"""Bytes read of one tree, from its root down: many times what any budget can show."""
HARNESS_FOLDER = "rcb_tests"
# Met by the walk for each language anew; the other reasons belong to files of one language.
_SHARED_REASONS = ("links", "unreadable", "not_regular")


@dataclass(frozen=True)
class Tree:
    """One tree's sources, and what is said about how they were found."""

    files: tuple[SourceFile, ...]
    read: TreeRead


def read_golden(root: Path, language: Language, patterns: Sequence[Pattern] = ()) -> Tree:
    """The golden sources in their own language, as far as they are in scope."""
    return _read(root, [language], patterns, ())


def read_generated(root: Path, language: Language, patterns: Sequence[Pattern] = ()) -> Tree:
    """The generated sources in whatever language they are written, that of the condition first.

    Where there are none but in the folder of the test script, those count: an agent that put everything there has
    written it all the same.
    """
    languages = [language, *(one for one in LANGUAGES if one != language)]
    tree = _read(root, languages, patterns, ())
    if tree.files:
        return tree
    note = f"all its sources lie in {HARNESS_FOLDER}"
    inside = _read(root, languages, (Pattern.of(HARNESS_FOLDER),), (note,))
    return inside if inside.files else tree


def _read(root: Path, languages: Sequence[Language], patterns: Sequence[Pattern], notes: tuple[str, ...]) -> Tree:
    excluded: Counter[str] = Counter()
    found: dict[str, tuple[str, Language]] = {}
    for language in languages:
        sources = find_sources(root, language, patterns)
        for reason, number in sources.excluded.items():
            excluded[reason] = max(excluded[reason], number) if reason in _SHARED_REASONS else excluded[reason] + number
        for path, grammar in sources.files:
            found.setdefault(path, (grammar, language))
    files: list[SourceFile] = []
    spoken: Counter[str] = Counter()
    left = MOST_BYTES
    for path in sorted(found, key=lambda path: (path.count("/"), path)):
        grammar, language = found[path]
        data = read_content(f"{root}/{path}") if left > 0 else "beyond_32_mib"
        if isinstance(data, bytes) and is_generated(data, grammar):
            data = "generated"
        if isinstance(data, str):
            excluded[data] += 1
            continue
        left -= len(data)
        spoken[language.name] += 1
        name = path.encode("utf-8", "backslashreplace").decode()
        files.append(SourceFile(inert_line(name), inert(data.decode("utf-8", "replace"))))
    read = TreeRead(languages=dict(sorted(spoken.items())), excluded=dict(sorted(excluded.items())), notes=notes)
    return Tree(tuple(files), read)

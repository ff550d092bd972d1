"""Two trees beside each other. The published metrics are file and line ratios and three similarities (ICAE III-F);
the paper leaves open how alike two sets of names are, and what a name is. Here (docs/structure.md):

- sets of names, not bags: what is written down several times (overloads, partial classes, a declaration and its
  definition) is one definition;
- likeness is Jaccard's, common over all, symmetric;
- classes by bare name, methods bare and with their chain of owners, namespaces by their whole name;
- nothing found on a side is no likeness, and no score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.structure import Overlap, Structure
from underspec.grade.structure.languages import Language
from underspec.grade.structure.measure import Measured, measure_tree
from underspec.grade.structure.names import must_normalize, normal, normal_path
from underspec.grade.structure.scope import Scope, Side


@dataclass(frozen=True)
class Names:
    """The names of one tree as they are compared, by dimension."""

    sets: dict[str, frozenset[str]]


@dataclass(frozen=True)
class Comparison:
    """The artifact, and the names behind it."""

    structure: Structure
    golden: Names
    generated: Names


def compare_structure(
    golden: Path,
    generated: Path,
    language: Language,
    generated_language: Language | None = None,
    scope: Scope | None = None,
    *,
    workers: int | None = None,
    on_progress: Callable[[Side, int, int], None] | None = None,
) -> Comparison:
    """Measure both trees and compare them. Nothing is run, and no link is followed.

    ``generated_language`` is the golden one's unless given. ``on_progress`` is told side, files done and files in all.
    The result depends on the files alone: not on their order, the machine or the number of workers.

    Raises:
        EnvironmentLacksError: the grammars are not installed.
    """
    scope = scope or Scope()
    other = generated_language or language

    def measure(root: Path, spoken: Language, side: Side) -> Measured:
        on_done = None if on_progress is None else (lambda done, total: on_progress(side, done, total))
        return measure_tree(root, spoken, scope.side(side), workers=workers, on_done=on_done)

    return compare_measured(
        measure(golden, language, "golden"),
        measure(generated, other, "generated"),
        normalize=must_normalize(language, other),
    )


def compare_measured(golden: Measured, generated: Measured, *, normalize: bool) -> Comparison:
    """The comparison of two trees that were measured."""
    ours, theirs = names_of(golden, normalize), names_of(generated, normalize)
    overlap = {
        dimension: Overlap(golden=len(left), generated=len(right), common=len(left & right))
        for dimension, left, right in ((name, ours.sets[name], theirs.sets[name]) for name in ours.sets)
    }
    notes = [f"golden: {note}" for note in golden.notes] + [f"generated: {note}" for note in generated.notes]
    structure = Structure(
        golden=golden.size,
        generated=generated.size,
        normalized=normalize,
        overlap=overlap,
        unscored=_unscored(golden, generated),
        notes=tuple(notes),
    )
    return Comparison(structure, ours, theirs)


def _unscored(golden: Measured, generated: Measured) -> str | None:
    for side, measured in (("golden", golden), ("generated", generated)):
        size = measured.size
        if size.files == 0:
            left_out = sum(size.excluded.values())
            more = f", beside {left_out} that do not count" if left_out else ""
            return f"the {side} tree holds no {size.language} source file{more}"
        if not size.extracted:
            return f"nothing is defined in the {side} tree's {size.language} source files"
    return None


def names_of(measured: Measured, normalize: bool) -> Names:
    """The sets that are compared."""
    one = normal if normalize else str
    path = normal_path if normalize else str

    def method(owner: str, name: str, constructor: bool) -> str:
        # A constructor is called like its class in one language and like nothing else in the next.
        return "constructor" if normalize and constructor else one(name)

    methods = {(path(owner), method(owner, name, constructor)) for owner, name, constructor in measured.methods}
    return Names(
        {
            "class_like": frozenset(map(one, measured.classes)),
            "method": frozenset(name for _, name in methods),
            "method_qualified": frozenset(f"{owner}.{name}" if owner else name for owner, name in methods),
            "namespace": frozenset(map(path, measured.namespaces)),
            "namespace_relative": frozenset(map(path, without_common_root(measured.namespaces))),
        }
    )


def without_common_root(namespaces: Iterable[str]) -> set[str]:
    """Namespaces without the parts that all of them begin with; ``.`` stands for the root itself."""
    split = [tuple(name.split(".")) for name in namespaces]
    if not split:
        return set()
    first, last = min(split), max(split)
    shared = 0
    while shared < min(len(first), len(last)) and first[shared] == last[shared]:
        shared += 1
    return {".".join(parts[shared:]) or "." for parts in split}

"""One tree, measured: sizes, and the sets of names in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from underspec.artifact.structure import ParseErrors, TreeSize
from underspec.grade.structure.languages import Language, module_of
from underspec.grade.structure.pool import Request, read_sources
from underspec.grade.structure.scope import Pattern
from underspec.grade.structure.walk import Sources, find_sources

Class = tuple[str, str, str, bool]
Method = tuple[str, str, str, bool, bool]


@dataclass
class Measured:
    """A tree's size, and its names: classes bare, methods as ``(owner, name, is a constructor)``, namespaces.

    ``counted`` are the classes as ``(namespace, owner, name)``.
    """

    size: TreeSize
    classes: set[str] = field(default_factory=set)
    methods: set[tuple[str, str, bool]] = field(default_factory=set)
    namespaces: set[str] = field(default_factory=set)
    counted: set[tuple[str, str, str]] = field(default_factory=set)
    notes: tuple[str, ...] = ()


def measure_tree(
    root: Path,
    language: Language,
    patterns: Sequence[Pattern] = (),
    *,
    workers: int | None = None,
    on_done: Callable[[int, int], None] | None = None,
) -> Measured:
    """Read every source file of ``language`` below ``root`` that counts; nothing of it is run.

    ``on_done`` is told how many files are done, and of how many.

    Raises:
        EnvironmentLacksError: the grammars are not installed.
    """
    sources = find_sources(root, language, patterns)
    requests = [Request(f"{root}/{path}", grammar, language.key) for path, grammar in sources.files]
    total = len(requests)
    answers = read_sources(requests, workers, None if on_done is None else lambda done: on_done(done, total))
    read: list[tuple[str, dict[str, Any]]] = []
    why: dict[str, str] = {}
    for (path, _), answer in zip(sources.files, answers, strict=True):
        if "excluded" in answer:
            sources.leave_out(answer["excluded"], path)
            if "why" in answer:
                why.setdefault(path, answer["why"])
        else:
            read.append((path, answer))
    return gather(read, language, sources, why)


def gather(
    read: Iterable[tuple[str, dict[str, Any]]], language: Language, sources: Sources, why: dict[str, str]
) -> Measured:
    """What the files' answers (by path) come to; ``why`` says why some could not be parsed."""
    classes: list[tuple[str, Class]] = []
    methods: list[tuple[str, Method]] = []
    namespaces: set[str] = set()
    files = loc = broken = places = 0
    for path, answer in read:
        files += 1
        loc += answer["loc"]
        broken += answer["errors"] > 0
        places += answer["errors"]
        module = module_of(path, language) if language.modules else ""
        if module and answer["loc"]:
            namespaces.add(module)
        namespaces.update(f"{module}.{name}" if module else name for name in answer["namespaces"])
        unit = path if language.unit == "file" else path.rpartition("/")[0] if language.unit == "folder" else ""
        classes += [(unit, tuple(one)) for one in answer["classes"]]
        methods += [(unit, tuple(one)) for one in answer["methods"]]
    if language.key == "cpp":
        methods = _without_namespaces(methods, namespaces, {one[2] for _, one in classes})
    owning = {(one[1].rpartition(".")[2]) for _, one in methods if one[4]}
    counted = [(unit, one) for unit, one in classes if not one[3] or one[2] in owning]
    by_namespace = language.unit in ("file", "folder", "namespace")
    size = TreeSize(
        language=language.name,
        files=files,
        loc=loc,
        classes=len({(unit, one[0] if by_namespace else "", one[1], one[2]) for unit, one in counted}),
        methods=len({(unit, one[0] if by_namespace else "", one[1], one[2]) for unit, one in methods}),
        namespaces=len(namespaces),
        parse_errors=ParseErrors(files=broken, places=places),
        excluded=dict(sorted(sources.excluded.items())),
    )
    return Measured(
        size,
        {one[2] for _, one in counted},
        {(one[1], one[2], one[3]) for _, one in methods},
        namespaces,
        {(one[0], one[1], one[2]) for _, one in counted},
        _notes(sources, why),
    )


def _without_namespaces(
    methods: Sequence[tuple[str, Method]], namespaces: Iterable[str], classes: set[str]
) -> list[tuple[str, Method]]:
    """``a::b::Foo::run``, defined outside of its class, is ``Foo::run`` where ``a`` and ``b`` are namespaces."""
    known = {part for name in namespaces for part in name.split(".")}
    result = []
    for unit, method in methods:
        parts = method[1].split(".") if method[1] else []
        while parts and parts[0] in known and parts[0] not in classes:
            del parts[0]
        result.append((unit, (method[0], ".".join(parts), *method[2:])))
    return result


_SAID = {
    "links": "links are not followed",
    "unreadable": "could not be read",
    "not_regular": "no regular file",
    "too_large": "larger than 4 MiB",
    "too_many": "more than 200,000 source files",
    "binary": "binary",
    "unparsed": "could not be parsed",
}


def _notes(sources: Sources, why: dict[str, str]) -> tuple[str, ...]:
    notes = []
    for reason, words in _SAID.items():
        number = sources.excluded[reason]
        if number:
            path = sources.examples[reason]
            more = f": {why[path]}" if path in why else ""
            path = path.encode("utf-8", "backslashreplace").decode()  # an artifact holds text, a name any bytes
            notes.append(f"{number} left out ({words}), as {path}{more}")
    return tuple(notes)

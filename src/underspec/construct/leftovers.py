"""Looks through a root tree for what an agent is to build: golden code, its tests, its caches and records (fault 54).

Files are told by the hash of their content and, where somebody changed them a little, by lines that stand nowhere else.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from underspec.construct.findings import GateFinding
from underspec.construct.neutrality import distinctive_lines
from underspec.grade.structure.languages import find_language
from underspec.grade.text import printable
from underspec.sandbox.images.digest import entries
from underspec.task.identity import term_pattern

_LEAST_BYTES = 48
_MOST_READ = 4 * 1024**2
_LEAST_LINES = 3
_MOST_FINDINGS = 20
# Caches that keep parts of what was run or installed, by the names of their folders.
_CACHES = re.compile(
    r"(?:^|/)(?:\.pytest_cache|\.mypy_cache|\.tox|\.nox|\.nyc_output|_cacache|\.cache/pip|pip-wheel-metadata)/"
)
_BYTE_CODE = re.compile(r"(?:^|/)(?P<stem>[A-Za-z0-9_]+)\.[a-z]+-\d+(?:\.opt-\d)?\.pyc$")


@dataclass(frozen=True)
class Golden:
    """What must not be found: hashes of whole files by size, distinctive lines (``code`` of the library, ``lines`` of
    library and tests), names, and module names."""

    by_size: Mapping[int, Mapping[str, str]]
    code: frozenset[bytes]
    lines: frozenset[bytes]
    names: re.Pattern[str] | None
    modules: frozenset[str]
    endings: tuple[str, ...]


def golden_of(library: Path, source: Path, test_paths: Iterable[str], names: Iterable[str], language: str) -> Golden:
    """All that tells the golden implementation and its tests, from their trees."""
    found = find_language(language)
    endings = found.endings if found else ()
    tests = {path for path in test_paths if (source / path).is_file()}
    by_size: dict[int, dict[str, str]] = {}
    code: list[str] = []
    test_texts: list[str] = []
    modules = set()
    for root, is_library in ((library, True), (source, False)):
        for path in sorted(root.rglob("*")):
            if not path.is_file() or path.is_symlink():
                continue
            relative = path.relative_to(root).as_posix()
            is_test = relative in tests
            if not (is_library or is_test):
                continue
            data = path.read_bytes()
            if len(data) >= _LEAST_BYTES:
                kind = "test_left" if is_test else "golden_left"
                by_size.setdefault(len(data), {})[hashlib.sha256(data).hexdigest()] = kind
            if path.suffix in endings and len(data) <= _MOST_READ:
                (test_texts if is_test else code).append(data.decode("utf-8", "replace"))
                if is_library and path.suffix == ".py" and path.stem not in ("__init__", "index", "main"):
                    modules.add(path.stem)
    own = frozenset(line.encode() for line in distinctive_lines(code))
    lines = own | frozenset(line.encode() for line in distinctive_lines(test_texts))
    return Golden(by_size, own, lines, term_pattern(names), frozenset(modules), tuple(endings))


def scan(
    root: Path, golden: Golden, *, shown_as: str = "", skip: Callable[[str], bool] = lambda path: False
) -> Iterator[GateFinding]:
    """Everything in a tree that gives the golden implementation away; at most 20 findings."""
    count = 0
    for raw, status in entries(root, public=os.geteuid() != 0):
        path = os.fsdecode(raw)
        if skip(path):
            continue
        found = _named(path, golden)
        if found is None and stat.S_ISREG(status.st_mode):
            found = _known(root / path, status.st_size, golden) or _cached(path, golden)
        if found is None:
            continue
        kind, message, evidence = found
        yield GateFinding(
            kind=kind, message=message, where=f"{shown_as}/{printable(path)}", evidence=evidence, mend=_MENDS[kind]
        )
        count += 1
        if count == _MOST_FINDINGS:
            return


_Found = tuple[str, str, str | None]


def _named(path: str, golden: Golden) -> _Found | None:
    last = path.rpartition("/")[2]
    if golden.names is not None and (match := golden.names.search(last)):
        return "golden_named", "is called like the golden implementation", printable(match[0])
    return None


def _cached(path: str, golden: Golden) -> _Found | None:
    if _CACHES.search(path):
        return "cache_left", "is a cache of what was run or installed", None
    byte_code = _BYTE_CODE.search(path)
    if byte_code and byte_code["stem"] in golden.modules and not path.startswith("usr/lib/python3"):
        return "cache_left", "is byte code of a module called like one of the golden implementation", byte_code["stem"]
    return None


def _known(place: Path, size: int, golden: Golden) -> _Found | None:
    same = golden.by_size.get(size)
    readable = place.suffix in golden.endings and size <= _MOST_READ
    if same is None and not readable:
        return None
    try:
        data = place.read_bytes()
    except OSError:
        return None  # what this user cannot read, the sandbox's user cannot either
    if same is not None and (kind := same.get(hashlib.sha256(data).hexdigest())):
        what = "a test of the repository" if kind == "test_left" else "a file of the golden implementation"
        return kind, f"is {what}, byte for byte", None
    if readable:
        # Bytes, and one set for all: a machine's own /usr can hold hundreds of megabytes of source.
        shared = golden.lines.intersection(map(bytes.strip, data.split(b"\n")))
        if len(shared) >= _LEAST_LINES:
            code = shared & golden.code
            kind, what = (
                ("golden_left", "the golden implementation") if code else ("test_left", "the repository's tests")
            )
            return kind, f"holds {len(shared)} lines of {what}", printable(min(shared))
    return None


_MENDS = {
    "golden_named": "take it out of the recipe; when it is something else of that name, name it in allowed_names",
    "golden_left": "take it out of the recipe",
    "test_left": "take it out of the recipe",
    "cache_left": "empty the cache after the last step that fills it",
}

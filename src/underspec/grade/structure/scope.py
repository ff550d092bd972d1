"""Which files are compared: globs, one for each part of a tree that is in scope."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from underspec.errors import UsageError

Side = Literal["golden", "generated"]
_SECTION = re.compile(r"\[(golden|generated|both)\]")
_WILD = re.compile(r"[*?\[]")
_FILE_ENDINGS = (".txt", ".json", ".scope", ".globs", ".list")
_MOST = 1024**2


@dataclass(frozen=True)
class Pattern:
    """One glob. ``negative`` takes out what it matches; ``literal`` is the folder that it names without wildcards."""

    text: str
    regex: re.Pattern[str]
    negative: bool
    literal: str

    @classmethod
    def of(cls, text: str) -> Pattern:
        """Parse ``src/**/*.py``, ``src`` (all below), ``*.py`` (at any depth) or ``!src/old``."""
        negative = text.startswith("!")
        glob = text[1:] if negative else text
        glob = glob.strip().removeprefix("./").removeprefix("/").rstrip("/")
        if glob in ("", "."):
            return cls(text, re.compile(""), negative, "")
        wild = _WILD.search(glob)
        fixed = glob[: wild.start()] if wild else glob
        literal = fixed.rpartition("/")[0] if wild else glob
        anchored = "/" in glob or wild is None
        return cls(text, re.compile(("" if anchored else "(?:.*/)?") + _regex(glob) + r"(?:/.*)?\Z"), negative, literal)

    def matches(self, path: str) -> bool:
        """Whether it covers the file at this path (relative, with ``/``)."""
        return self.regex.match(path) is not None


@dataclass(frozen=True)
class Scope:
    """What counts on each side; all of it where nothing positive is named."""

    golden: tuple[Pattern, ...] = ()
    generated: tuple[Pattern, ...] = ()

    def side(self, side: Side) -> tuple[Pattern, ...]:
        """The patterns of one side."""
        return self.golden if side == "golden" else self.generated

    @classmethod
    def of(cls, golden: Iterable[str] = (), generated: Iterable[str] = ()) -> Scope:
        """A scope from globs."""
        return cls(tuple(map(Pattern.of, golden)), tuple(map(Pattern.of, generated)))


def covers(patterns: Sequence[Pattern], path: str) -> bool:
    """Whether a file is in scope: some positive pattern matches it, or there is none, and the last match decides."""
    inside = not any(not pattern.negative for pattern in patterns)
    for pattern in patterns:
        if pattern.matches(path):
            inside = not pattern.negative
    return inside


def named_folder(patterns: Sequence[Pattern], path: str) -> str:
    """The deepest folder above ``path`` that a pattern names in so many words; conventions do not judge it."""
    best = ""
    for pattern in patterns:
        if pattern.negative or not pattern.literal:
            continue
        folder = pattern.literal
        if (path == folder or path.startswith(folder + "/")) and len(folder) > len(best):
            best = folder
    return best


def read_scope_options(values: Sequence[str]) -> Scope:
    """What ``--in-scope`` gives: files of globs, or globs.

    A file holds one glob a line; ``#`` begins a comment, ``[golden]`` and ``[generated]`` a part for one side alone,
    ``[both]`` ends it. A JSON file is an entry of the published scopes: ``in_scope`` with ``original``,
    ``original_files``, ``generated`` and ``generated_files``, or these alone, or a list of globs.

    Raises:
        UsageError: a file is missing or is none of these.
    """
    golden: list[str] = []
    generated: list[str] = []
    for value in values:
        path = Path(value)
        if not path.is_file():
            if path.suffix in _FILE_ENDINGS:
                raise UsageError("there is no such scope file", file=value, mend="name a file of globs, or give a glob")
            golden.append(value)
            generated.append(value)
            continue
        if path.stat().st_size > _MOST:
            raise UsageError("the scope file is larger than 1 MiB", file=value, mend="name folders instead of files")
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError("the scope file is not UTF-8", file=value, mend="write it as UTF-8") from error
        for side, glob in _entries(text, value):
            if side != "generated":
                golden.append(glob)
            if side != "golden":
                generated.append(glob)
    return Scope.of(golden, generated)


def _entries(text: str, file: str) -> Iterable[tuple[str, str]]:
    if text.lstrip()[:1] in ("{", "[") and file.endswith(".json"):
        yield from _json_entries(text, file)
        return
    side = "both"
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if found := _SECTION.fullmatch(line):
            side = found[1]
        else:
            yield side, line


def _json_entries(text: str, file: str) -> Iterable[tuple[str, str]]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise UsageError(f"the scope file is not JSON: {error}", file=file, mend="mend it") from error
    if isinstance(document, list):
        document = {"both": document}
    entry: Any = document.get("in_scope", document)
    sides = (("original", "golden"), ("original_files", "golden"), ("generated", "generated"))
    for key, side in (*sides, ("generated_files", "generated"), ("golden", "golden"), ("both", "both")):
        globs = entry.get(key, []) if isinstance(entry, dict) else None
        if not isinstance(globs, list) or not all(isinstance(glob, str) for glob in globs):
            raise UsageError("not a list of paths", file=file, where=f"$.{key}", mend="write a list of strings")
        for glob in globs:
            yield side, glob


def _regex(glob: str) -> str:
    pieces = []
    place = 0
    while place < len(glob):
        if glob.startswith("**/", place):
            pieces.append("(?:[^/]+/)*+")
            place += 3
        elif glob.startswith("**", place):
            pieces.append(".*")
            place += 2
        elif glob[place] == "*":
            pieces.append("[^/]*")
            place += 1
        elif glob[place] == "?":
            pieces.append("[^/]")
            place += 1
        elif glob[place] == "[" and (end := glob.find("]", place + 2)) > 0:
            inner = glob[place + 1 : end]
            inside = ("^" + inner[1:]) if inner[:1] in "!^" else inner
            pieces.append("(?!/)[" + inside.replace("\\", "\\\\").replace("[", "\\[") + "]")
            place = end + 1
        else:
            pieces.append(re.escape(glob[place]))
            place += 1
    return "".join(pieces)

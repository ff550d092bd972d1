"""The source files of one tree. Nothing is followed, nothing is run, and what does not count is counted by reason."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from underspec.grade.structure.conventions import Folder, file_reason, folder_reason
from underspec.grade.structure.languages import Language, ending_of
from underspec.grade.structure.limits import MAX_FILES
from underspec.grade.structure.scope import Pattern, covers, named_folder

MAX_SCRIPTS = 10_000  # files without ending are opened, to read who runs them
_LINE = 200


@dataclass
class Sources:
    """Paths (relative, with ``/``, in order) with the grammar of each; and what was left out, by reason."""

    files: list[tuple[str, str]] = field(default_factory=list)
    excluded: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def leave_out(self, reason: str, path: str, number: int = 1) -> None:
        """Count something that does not count."""
        if number:
            self.excluded[reason] += number
            self.examples.setdefault(reason, path)


@dataclass(frozen=True)
class _Folder:
    path: str
    reason: str | None


def find_sources(root: Path, language: Language, patterns: Sequence[Pattern] = ()) -> Sources:
    """The files of ``language`` below ``root`` that count.

    Left out, by reason: ``tests``, ``build``, ``vendored``, ``generated`` (by name), ``hidden``, ``build_script``,
    ``out_of_scope``, ``declarations`` (a stub beside its source), ``links`` (never followed, wherever they lead),
    ``not_regular``, ``unreadable`` and ``too_many``. A folder that a pattern names in so many words is not judged by
    its name.
    """
    sources = Sources()
    scripts = 0
    waiting = [_Folder("", None)]
    while waiting:
        folder = waiting.pop()
        listing = _list(root, folder.path, sources)
        if listing is None:
            continue
        files, folders = listing
        here = Folder(files.keys(), folders)
        named = {name: _judged(folder, name, here, root, language, patterns) for name in folders}
        waiting += [_Folder(folder.path + name + "/", named[name]) for name in sorted(folders, reverse=True)]
        for name, kind in sorted(files.items()):
            path = folder.path + name
            ending = ending_of(name)
            if ending in language.endings:
                pass
            elif not ending and kind == "links":
                pass  # it may lead to a folder of sources; where, nobody looks
            elif not ending and language.interpreters and kind == "file" and scripts < MAX_SCRIPTS:
                scripts += 1
                if not _is_script(os.path.join(root, path), language):  # noqa: PTH118 - half a million of them
                    continue
            else:
                continue
            reason = _reason(path, name, kind, folder, here, language, patterns)
            if reason is None and len(sources.files) >= MAX_FILES:
                reason = "too_many"
            if reason is None:
                sources.files.append((path, language.grammar(ending)))
            else:
                sources.leave_out(reason, path)
    sources.files.sort()
    return sources


def _reason(
    path: str, name: str, kind: str, folder: _Folder, here: Folder, language: Language, patterns: Sequence[Pattern]
) -> str | None:
    if kind != "file":
        return kind
    if not covers(patterns, path):
        return "out_of_scope"
    if named_folder(patterns, path) == path:
        return None  # a pattern names this very file
    if folder.reason is not None:
        return folder.reason
    lowered = name.lower()
    for ending in language.declarations:
        if lowered.endswith(ending):
            stem = name[: -len(ending)]
            others = [one for one in language.endings if one not in language.declarations]
            if any(stem + other in here.files for other in others):
                return "declarations"
    return file_reason(path, language.key)


def _judged(
    parent: _Folder, name: str, beside: Folder, root: Path, language: Language, patterns: Sequence[Pattern]
) -> str | None:
    path = parent.path + name
    if named_folder(patterns, path) == path or any(
        pattern.literal.startswith(path + "/") for pattern in patterns if not pattern.negative
    ):
        return None
    if parent.reason is not None:
        return parent.reason
    return folder_reason(name, beside, _glance(root, path), language.key)


def _glance(root: Path, path: str) -> Folder:
    files: list[str] = []
    folders: list[str] = []
    try:
        with os.scandir(root / path) as listing:
            for entry in listing:
                (folders if entry.is_dir(follow_symlinks=False) else files).append(entry.name)
    except OSError:
        return Folder((), ())  # said when it is listed itself
    return Folder(files, folders)


def _list(root: Path, path: str, sources: Sources) -> tuple[dict[str, str], list[str]] | None:
    files: dict[str, str] = {}
    folders: list[str] = []
    try:
        with os.scandir(root / path) as listing:
            for entry in listing:
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    folders.append(entry.name)
                else:
                    files[entry.name] = _kind(mode)
    except OSError:
        sources.leave_out("unreadable", path or ".")
        return None
    return files, folders


def _kind(mode: int) -> str:
    return "file" if stat.S_ISREG(mode) else "links" if stat.S_ISLNK(mode) else "not_regular"


def _is_script(location: str, language: Language) -> bool:
    try:
        descriptor = os.open(location, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        line = os.read(descriptor, _LINE).split(b"\n", 1)[0]
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return line.startswith(b"#!") and any(_runs(word, language) for word in line[2:].decode("utf-8", "replace").split())


def _runs(word: str, language: Language) -> bool:
    name = word.rpartition("/")[2]
    return name in language.interpreters or (name.startswith("python3.") and language.key == "python")

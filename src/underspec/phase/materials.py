"""What a client has given with a request: the files that the agent starts with, to be read and never written."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from underspec.task import release
from underspec.task.cache import home, kept_folder
from underspec.task.model import Task

MOST_TEXT = 20_000
"""Characters of one file that a client or an answering agent is shown."""
MOST_TEXTS = 200_000
_NOT_TEXT = "(no text)"


def read_only_copy(task: Task) -> Path:
    """A copy of the material, perhaps empty, that can be shown in a sandbox.

    It lies in this machine's cache under its digest: where a mount comes from stands in the sandbox's mount table, and
    the task's own folder would tell what the task is called.
    """
    folder, digest = release.visible_workspace(task), release.visible_digest(task)
    if folder is None or digest is None:
        return kept_folder(home() / "materials" / "nothing", lambda into: None)
    return kept_folder(home() / "materials" / digest[:32], lambda into: _copy(folder, into))


def _copy(folder: Path, into: Path) -> None:
    shutil.copytree(folder, into, symlinks=True, dirs_exist_ok=True)


@dataclass(frozen=True)
class Materials:
    """The material's files below one host folder."""

    root: Path | None

    @classmethod
    def of(cls, task: Task) -> Materials:
        """Those of a task."""
        return cls(release.visible_workspace(task))

    def paths(self) -> tuple[str, ...]:
        """Relative paths of all regular files, sorted."""
        if self.root is None:
            return ()
        found = (path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink())
        return tuple(sorted(path.relative_to(self.root).as_posix() for path in found))

    def read(self, path: str) -> str | None:
        """The beginning of one file as text; None when there is no such file. Never leaves the folder."""
        wanted = PurePosixPath(path.removeprefix("/workspace/").lstrip("/")).as_posix()
        if self.root is None or wanted not in self.paths():
            return None
        content = (self.root / wanted).read_bytes()
        if b"\0" in content[:MOST_TEXT]:
            return _NOT_TEXT
        text = content.decode(errors="replace")
        return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}\n[... {len(text) - MOST_TEXT} characters more]"

    def texts(self) -> dict[str, str]:
        """Every file by path; beyond :data:`MOST_TEXTS` characters together, paths alone."""
        found: dict[str, str] = {}
        left = MOST_TEXTS
        for path in self.paths():
            text = self.read(path) or ""
            left -= len(text)
            found[path] = text if left >= 0 else "(not shown)"
        return found

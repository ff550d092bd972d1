"""A checkout of the published data on disk: found, listed and read without trusting it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from underspec.errors import TaskError, UsageError
from underspec.task.finding import Finding, stop_at_errors
from underspec.task.icae.notes import Notes
from underspec.task.model import Level
from underspec.task.strict import read_document
from underspec.task.tree import read_file, shown

ALIASES = "repo_alias.json"
SCOPES = "repos.yaml"
RECORD_FOLDERS: dict[Level, str] = {"L1": "prd_json", "L2": "prd_json_medium", "L3": "prd_json_easy"}
REQUEST_FOLDERS: dict[Level, str] = {"L1": "fuzzy_prds", "L2": "fuzzy_prds_medium", "L3": "fuzzy_prds_easy"}

_BOM = b"\xef\xbb\xbf"


class Checkout:
    """Reads files by their path in the checkout. No link is followed out of it.

    Raises:
        UsageError: ``source`` is no checkout of the published data.
    """

    def __init__(self, source: Path) -> None:
        try:
            self.root = source.resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as problem:
            raise UsageError(
                "there is no such folder", file=str(source), mend="give the checkout of the published data"
            ) from problem
        if not self.has_file(ALIASES) or not any(self.has_folder(folder) for folder in RECORD_FOLDERS.values()):
            raise UsageError(
                f"is no checkout of the published data: it must hold {ALIASES} and prd_json/",
                file=str(source),
                mend="give the folder that holds both; the data is distributed by the authors of the benchmark",
            )

    def has_file(self, path: str) -> bool:
        """Whether there is a file (or a link to one) of that path."""
        return (self.root / path).is_file()

    def has_folder(self, path: str) -> bool:
        """Whether there is a folder of that path."""
        return (self.root / path).is_dir()

    def _inside(self, path: str) -> Path | None:
        """The real place of a path of the checkout; None when nothing is there."""
        try:
            real = (self.root / path).resolve(strict=True)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, RuntimeError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or str(problem)
            raise TaskError(
                f"cannot be read: {reason}", file=shown(path), mend="check its name and rights"
            ) from problem
        if not real.is_relative_to(self.root):
            mend = "copy the data with links followed (cp -rL), so that the checkout holds all of it"
            raise TaskError("is a link that leads out of the checkout", file=shown(path), mend=mend)
        return real

    def names(self, folder: str, suffix: str) -> list[str]:
        """Names of a folder's entries that end in ``suffix``, without it, in order; none when there is no such folder.

        Names that begin with a dot are not the publisher's but those of the machine that copied the data.

        Raises:
            TaskError: the folder cannot be read, or is a link out of the checkout.
        """
        real = self._inside(folder)
        if real is None or not real.is_dir():
            return []
        try:
            names = os.listdir(real)  # noqa: PTH208 - names, not paths
        except OSError as problem:
            mend = "make the folder readable for you"
            raise TaskError(f"cannot be read: {problem.strerror}", file=folder, mend=mend) from problem
        return sorted(name.removesuffix(suffix) for name in names if name.endswith(suffix) and name[0] != ".")

    def bytes(self, path: str) -> bytes | None:
        """A file's content; None when it is not there.

        Raises:
            TaskError: it cannot be read, is no regular file, is too large, or is a link out of the checkout.
        """
        real = self._inside(path)
        if real is None:
            return None

        def refuse(finding: Finding) -> None:
            raise TaskError(finding.message, file=shown(path), mend=finding.mend)

        entry = read_file(real.parent, real.name, refuse)
        return entry.content if entry else None

    def text(self, path: str, notes: Notes) -> str | None:
        """A file's text; None when it is not there. A byte order mark is left out and bytes that are no UTF-8 become
        U+FFFD, as the released harness reads them; both are said in ``notes``.

        Raises:
            TaskError: it cannot be read (see :meth:`bytes`), or is no text.
        """
        data = self.bytes(path)
        if data is None:
            return None
        if b"\0" in data:
            where = f"byte {data.index(0)}"
            raise TaskError("is binary (it holds a NUL byte)", file=path, where=where, mend="save it as UTF-8 text")
        if data.startswith(_BOM):
            data = data[len(_BOM) :]
            notes.warn(path, "begins with a byte order mark, which was left out", mend="nothing need be done")
        try:
            return data.decode()
        except UnicodeDecodeError as problem:
            message = "holds bytes that are no UTF-8, which became U+FFFD"
            notes.warn(path, message, where=f"byte {problem.start}", mend="compare the file with the published one")
            return data.decode("utf-8", "replace")

    def json(self, path: str, notes: Notes) -> Any:
        """A file's JSON document; None when the file is not there.

        Raises:
            TaskError: it is damaged or ambiguous (a key that stands twice, half a surrogate pair, NaN).
        """
        text = self.text(path, notes)
        return None if text is None else read_document(text.encode(), path, stop_at_errors)

"""What an import has to say about one task, and what it keeps of the published files beside the task itself."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

from underspec.errors import TaskError
from underspec.task.finding import Finding, warning
from underspec.task.strict import quoted


@dataclass
class Notes:
    """``findings`` are for the reader of the import. ``kept`` goes into ``hidden/import.json``, for operators."""

    findings: list[Finding] = field(default_factory=list)
    kept: list[dict[str, Any]] = field(default_factory=list)

    def warn(self, file: str, message: str, *, where: str | None = None, mend: str) -> None:
        """Say something that a reader should know and the import can live with."""
        self.findings.append(warning(file, message, where=where, mend=mend))

    def keep(self, file: str, where: str, value: Any) -> None:
        """Keep a value that the task folder has no place for, with the place where it was published."""
        self.kept.append({"file": file, "where": where, "value": value})

    def keep_unknown(self, document: dict[str, Any], known: Container[str], file: str, where: str) -> None:
        """Keep every member of an object whose key is none of ``known``."""
        for key in document:
            if key not in known:
                self.keep(file, f"{where}[{quoted(key)}]", document[key])


def wrong(file: str, where: str, message: str, mend: str) -> TaskError:
    """An error about one place of a published file."""
    return TaskError(message, file=file, where=where, mend=mend)


def object_at(value: Any, file: str, where: str) -> dict[str, Any]:
    """``value`` as an object.

    Raises:
        TaskError: it is something else.
    """
    if not isinstance(value, dict):
        raise wrong(file, where, "must be an object", "see the published format of this file")
    return value


def list_at(document: dict[str, Any], key: str, file: str, where: str) -> list[Any]:
    """A member that must be a list.

    Raises:
        TaskError: it is missing or something else.
    """
    value = document.get(key)
    if not isinstance(value, list):
        what = "must be a list" if key in document else "is missing"
        raise wrong(file, f"{where}.{key}", what, "give it a list; an empty one if there is nothing")
    return value


def text_at(document: dict[str, Any], key: str, file: str, where: str) -> str:
    """A member that must be a string; it may be empty.

    Raises:
        TaskError: it is missing or something else.
    """
    value = document.get(key)
    if not isinstance(value, str):
        what = "must be a string" if key in document else "is missing"
        raise wrong(file, f"{where}.{key}", what, "give it the published text")
    return value

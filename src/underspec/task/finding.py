"""What is wrong with a task, and the two ways of saying it: stop at the first, or collect all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from underspec.errors import TaskError

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or doubtful, in a task folder.

    ``file`` is relative to the task folder (``.`` is the folder itself). ``where`` is a JSON path, or a line and
    column, or a phrase; None means the whole file. ``mend`` says what to do about it.
    """

    severity: Severity
    file: str
    where: str | None
    message: str
    mend: str

    def as_error(self) -> TaskError:
        """The same as an exception."""
        return TaskError(self.message, file=self.file, where=self.where, mend=self.mend)


def as_warning(finding: Finding) -> Finding:
    """The same, as something that the task may live with."""
    return replace(finding, severity="warning")


Report = Callable[[Finding], None]


def error(file: str, message: str, *, where: str | None = None, mend: str) -> Finding:
    """A finding that makes a task invalid."""
    return Finding("error", file, where, message, mend)


def warning(file: str, message: str, *, where: str | None = None, mend: str) -> Finding:
    """A finding that a reader should know and a task may live with."""
    return Finding("warning", file, where, message, mend)


def stop_at_errors(finding: Finding) -> None:
    """A report that raises the first error and lets warnings pass (``validate`` is where they are said)."""
    if finding.severity == "error":
        raise finding.as_error()

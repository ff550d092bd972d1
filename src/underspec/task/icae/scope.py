"""Which parts of the golden sources a task is about. For structure and critic, never for agents."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from underspec.task.finding import stop_at_errors
from underspec.task.layout import SCOPE
from underspec.task.model import Task
from underspec.task.strict import read_model
from underspec.task.tree import read_file


class InScope(BaseModel):
    """Folders and files that count, in the original and in what an agent generates; all of it where both are empty."""

    model_config = ConfigDict(frozen=True, extra="allow")

    original: tuple[str, ...] = ()
    original_files: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()
    generated_files: tuple[str, ...] = ()


class Scope(BaseModel):
    """``hidden/scope.json``: the published entry, unknown keys included. ``scope`` is prose."""

    model_config = ConfigDict(frozen=True, extra="allow")

    repo_id: str
    scope: str = ""
    language: str = ""
    original_language: str = ""
    in_scope: InScope = InScope()


def read_scope(task: Task) -> Scope | None:
    """The scope of a task; None when it has none of its own, and the whole tree counts.

    Raises:
        TaskError: the file cannot be read, or is damaged.
    """
    if not (task.path / SCOPE).exists():
        return None
    entry = read_file(task.path, SCOPE, stop_at_errors)
    return read_model(Scope, entry.content or b"", SCOPE, stop_at_errors) if entry else None

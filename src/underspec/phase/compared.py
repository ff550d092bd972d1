"""What structure and review compare: a sealed deliverable and the task's golden sources, their languages and scope.

Nothing here decides a score, and nothing may keep one from being had. So a key can always be made, also of inputs with
which the phase will fail: what is wrong with them is then found out, and recorded, under that key.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from underspec.artifact.condition import Condition
from underspec.artifact.deliverable import Deliverable
from underspec.errors import TaskError
from underspec.grade.structure.languages import LANGUAGES, Language, find_language
from underspec.grade.structure.scope import Scope
from underspec.phase.build import DELIVERABLE_FILE
from underspec.task import release
from underspec.task.model import Task

GoldenSources = Callable[[Task], Path]
"""Where a task's golden sources lie on this machine; raises TaskError where they cannot be had."""


def has_golden(task: Task) -> bool:
    """Whether there is anything to compare with."""
    return task.golden is not None


def deliverable_in(built: Path) -> Deliverable:
    """What stands beside the sealed deliverable in the published artifact ``built``.

    Raises:
        StoreError: it is missing or damaged.
    """
    return Deliverable.read(built / DELIVERABLE_FILE)


def identity_of_compared(task: Task, condition: Condition, built: Path) -> dict[str, Any]:
    """What of both sides belongs into a phase's key: deliverable, golden archive and folder, languages and scope.

    Raises:
        StoreError: what stands beside the deliverable is damaged.
    """
    golden = task.golden
    words = (task.toml.language, condition.language or task.toml.language)
    try:
        scope: Any = scope_entries(task)
    except TaskError as error:
        scope = str(error)
    return {
        "deliverable": deliverable_in(built).sha256,
        "golden": {"sha256": golden.sha256, "folder": golden.source_folder} if golden else None,
        "languages": [found.key if (found := find_language(word)) else word for word in words],
        "scope": scope,
    }


def languages_of(task: Task, other: str | None) -> tuple[Language, Language]:
    """The golden language and the generated one, which is ``other`` where that is named.

    Raises:
        TaskError: one of them is none whose sources can be read.
    """
    return _language(task.toml.language), _language(other or task.toml.language)


def _language(word: str) -> Language:
    found = find_language(word)
    if found is None:
        names = ", ".join(one.name for one in LANGUAGES)
        raise TaskError(
            f"{word!r} is no language whose sources can be read",
            file="task.toml",
            where="$.language",
            mend=f"use one of {names}",
        )
    return found


def scope_of(task: Task) -> Scope:
    """What counts on both sides; all of it where the task has no scope of its own.

    Raises:
        TaskError: ``hidden/scope.json`` is damaged.
    """
    entries = scope_entries(task)
    return Scope.of(entries["golden"], entries["generated"])


def scope_entries(task: Task) -> dict[str, list[str]]:
    """The same as globs by side.

    Raises:
        TaskError: ``hidden/scope.json`` is damaged.
    """
    scope = release.read_scope(task)
    if scope is None:
        return {"golden": [], "generated": []}
    inside = scope.in_scope
    return {
        "golden": [*inside.original, *inside.original_files],
        "generated": [*inside.generated, *inside.generated_files],
    }

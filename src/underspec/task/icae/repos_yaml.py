"""``repos.yaml``: the published list of which parts of each original repository a task is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from underspec.errors import TaskError
from underspec.task.icae.checkout import SCOPES, Checkout
from underspec.task.icae.notes import Notes, list_at, object_at, wrong

_MOST_VALUES = 1_000_000
_DEEPEST = 50
_LISTS = ("original", "original_files", "generated", "generated_files")
_EMPTY = ("", "~", "null")


def _bounded(document: Any) -> None:
    """Refuse a document that repeats itself without end, or is far larger than it looks (YAML's anchors can do both).

    Raises:
        TaskError: it is.
    """
    waiting = [(document, 0)]
    values = 0
    while waiting:
        value, depth = waiting.pop()
        values += 1
        if depth > _DEEPEST or values > _MOST_VALUES:
            raise TaskError("is nested too deep or too large", file=SCOPES, mend="write it without anchors")
        if isinstance(value, dict):
            waiting.extend((child, depth + 1) for child in value.values())
        elif isinstance(value, list):
            waiting.extend((child, depth + 1) for child in value)


def _parsed(text: str) -> Any:
    try:
        # BaseLoader takes every scalar as the text that stands there: `on`, `1.10` and `null` are names of folders too.
        document = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else None
        message = f"is not YAML: {problem.problem or problem.context}"
        raise TaskError(message, file=SCOPES, where=where, mend="correct the syntax there") from problem
    except (yaml.YAMLError, ValueError) as problem:
        mend = "save it as plain UTF-8 text"
        raise TaskError(f"is not YAML: {problem}", file=SCOPES, mend=mend) from problem
    except RecursionError as problem:
        raise TaskError("is nested too deep", file=SCOPES, mend="write it flat") from problem
    _bounded(document)
    return document


def read_scopes(checkout: Checkout, notes: Notes) -> dict[str, dict[str, Any]]:
    """Published entries by ``user/repo`` in small letters. Tasks without one use the whole tree.

    Raises:
        TaskError: the file is there and damaged.
    """
    text = checkout.text(SCOPES, notes)
    if text is None:
        notes.warn(SCOPES, "is missing", mend="without it every task's scope is its whole tree")
        return {}
    document = object_at(_parsed(text), SCOPES, "$")
    found: dict[str, dict[str, Any]] = {}
    for place, value in enumerate(list_at(document, "repos", SCOPES, "$")):
        where = f"$.repos[{place}]"
        entry = object_at(value, SCOPES, where)
        name = entry.get("repo_id")
        if not isinstance(name, str) or not name:
            raise wrong(SCOPES, f"{where}.repo_id", "is missing", "give user/repo")
        if name.lower() in found:
            notes.warn(SCOPES, f"{name} stands twice; the first was used", where=where, mend="remove one of the two")
        found.setdefault(name.lower(), _normal(entry, where))
    return found


def _normal(entry: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The entry with every list of ``in_scope`` as a list, however it was left empty."""
    in_scope = entry.get("in_scope", "")
    in_scope = {} if in_scope in _EMPTY else dict(object_at(in_scope, SCOPES, f"{where}.in_scope"))
    for name in _LISTS:
        value = in_scope.get(name, [])
        if isinstance(value, str):
            value = [] if value in _EMPTY else [value]
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            raise wrong(SCOPES, f"{where}.in_scope.{name}", "must be a list of paths", "write one path a line")
        in_scope[name] = value
    return {**entry, "in_scope": in_scope}

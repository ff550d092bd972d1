"""``repo_alias.json``: which repository stands behind each alias, and which aliases a split holds."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from underspec.errors import TaskError
from underspec.task.icae.checkout import ALIASES, Checkout
from underspec.task.icae.notes import Notes, object_at, text_at, wrong
from underspec.task.strict import quoted

Split = Literal["full", "lite"]
LITE_SIZE = 50

_FOLDER_NAME = re.compile(r"(?!\.\.?$)[^/\\\x00-\x1f\x7f]{1,200}")
_ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._-]*")


@dataclass(frozen=True)
class Repository:
    """What identifies the original. ``key`` is ``user__repo``; ``entry`` the whole entry as published."""

    alias: str
    key: str
    username: str
    name: str
    url: str
    language: str
    files: int | None
    lines: int | None
    entry: Mapping[str, Any]


def read_entries(checkout: Checkout, notes: Notes) -> dict[str, Any]:
    """Entries by alias, unchecked.

    Raises:
        TaskError: the file is damaged, or no object.
    """
    return object_at(checkout.json(ALIASES, notes), ALIASES, "$")


def repository_of(alias: str, entries: Mapping[str, Any], notes: Notes) -> Repository:
    """The checked entry of one alias.

    Raises:
        TaskError: it is missing, or lacks what an import cannot do without.
    """
    where = f"$[{quoted(alias)}]"
    if not _ALIAS.fullmatch(alias):
        raise wrong(ALIASES, where, "is no alias", "use letters, digits, '@', '-', '_' and '.'")
    if alias not in entries:
        mend = "add its entry; without it nobody knows what must be kept from agents"
        raise wrong(ALIASES, where, "is missing, though there are records for it", mend)
    entry = object_at(entries[alias], ALIASES, where)
    key = text_at(entry, "key", ALIASES, where)
    if not _FOLDER_NAME.fullmatch(key):
        raise wrong(ALIASES, f"{where}.key", "is no name of a folder", "give user__repo")
    user, _, repo = key.partition("__")
    username, name = (entry.get(part) or fallback for part, fallback in (("username", user), ("repo_name", repo)))
    if not (isinstance(username, str) and isinstance(name, str) and username and name):
        mend = "give username and repo_name, or a key of the form user__repo"
        raise wrong(ALIASES, where, "does not say whose repository it is", mend)
    language = text_at(entry, "language", ALIASES, where)
    if not language:
        raise wrong(ALIASES, f"{where}.language", "is empty", "name the language of the repository")
    if entry.get("alias", alias) != alias:
        notes.warn(ALIASES, "names another alias inside", where=f"{where}.alias", mend="the key of the entry was used")
    return Repository(
        alias=alias,
        key=key,
        username=username,
        name=name,
        url=str(entry.get("url") or f"{username}/{name}"),
        language=language,
        files=_count(entry.get("total_code_files")),
        lines=_count(entry.get("total_lines_of_code")),
        entry=entry,
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _size(entry: Any) -> float:
    lines = _count(entry.get("total_lines_of_code")) if isinstance(entry, dict) else None
    return math.inf if lines is None else lines


def choose(entries: Mapping[str, Any], with_records: Iterable[str], split: Split, size: int = LITE_SIZE) -> list[str]:
    """The aliases of a split, in order: all of them, or the ``size`` smallest by the original's lines, ties by alias.

    An entry that gives no number of lines comes last in that order.
    """
    if split == "full":
        return sorted({*entries, *with_records})
    return sorted(entries, key=lambda alias: (_size(entries[alias]), alias))[:size]


def unsized(entries: Mapping[str, Any]) -> list[str]:
    """Aliases whose entry gives no number of lines, so that no order by size can place them."""
    return sorted(alias for alias, entry in entries.items() if math.isinf(_size(entry)))


def task_id(alias: str) -> str:
    """``realcode@001`` -> ``realcode-001``.

    Raises:
        TaskError: no task id can be made of it.
    """
    made = re.sub(r"[^a-z0-9]+", "-", alias.lower()).strip("-")
    if not 2 <= len(made) <= 63:
        raise TaskError(
            "makes no task id", file=ALIASES, where=f"$[{quoted(alias)}]", mend="use an alias of 2 to 63 characters"
        )
    return made

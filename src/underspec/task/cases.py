"""When two cases are the same one, and which cases are hidden."""

from __future__ import annotations

import json
from typing import Any

from underspec.artifact.outcomes import SuiteName
from underspec.task.model import Case, Task

_SORTED = json.JSONEncoder(sort_keys=True)

Key = tuple[str, str]
"""Input (as :func:`value_key`) and expected output of a case."""


def value_key(value: Any) -> str:
    """Equal for JSON values that no program can tell apart but by the order of members; ``1`` and ``1.0`` differ.

    RFC 8785 would not do: it makes ``1.0`` out of ``1`` and has no integers beyond 2**53, yet a program that reads
    the case can tell both.
    """
    return _SORTED.encode(value)


def case_key(case: Case) -> Key:
    """What makes two cases the same one, whichever file they stand in: equal input and equal expected output."""
    return value_key(case.input), case.expected_output


def hidden_flags(task: Task, suite: SuiteName) -> dict[str, tuple[bool, ...]]:
    """By stem, whether each case is hidden: hidden = (native ∪ enhanced) − public (ICAE III-F)."""
    shown = task.suites.get("public")
    public = {case_key(case) for file in shown.files.values() for case in file.cases} if shown else set()
    return {
        stem: tuple(suite != "public" and case_key(case) not in public for case in file.cases)
        for stem, file in task.suites[suite].files.items()
    }

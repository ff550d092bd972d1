"""What exhibits keep of a task: numbers and names of its kind. Hundreds of tasks with all their cases are too much
to keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from underspec.measure.lengths import estimated_tokens
from underspec.task.model import LEVELS, LevelRecords, Task


@dataclass(frozen=True)
class TaskFacts:
    """One task. ``request_tokens`` by request (``ground``, ``L1``, ...; ``initial``), ``told_tokens`` of all that a
    User Agent knows at a level, ``categories`` of ambiguity with their records at a level, ``cases`` by suite.
    ``lines`` and ``files`` of the golden code, and ``units``, are None where there are none or nobody counted."""

    id: str
    family: str
    category: str
    language: str
    lines: int | None
    files: int | None
    request_tokens: Mapping[str, int]
    told_tokens: Mapping[str, int]
    categories: Mapping[str, Counter[str]]
    cases: Mapping[str, int]
    units: int | None

    @property
    def has_levels(self) -> bool:
        """Whether there are a request and records at every level."""
        return all(level in self.categories and level in self.request_tokens for level in LEVELS)


def facts_of(task: Task) -> TaskFacts:
    """Count one task. Only numbers, its kind and the categories of its records leave it."""
    levels = task.records.levels if task.records is not None else {}
    return TaskFacts(
        id=task.id,
        family=task.toml.family,
        category=task.toml.category,
        language=task.toml.language,
        lines=task.toml.source.lines,
        files=task.toml.source.files,
        request_tokens={name: int(estimated_tokens([text])[0]) for name, text in task.requests.items()},
        told_tokens={level: int(estimated_tokens(user_agent_data(known)).sum()) for level, known in levels.items()},
        categories={level: Counter(record.category for record in known.records) for level, known in levels.items()},
        cases={suite: cases.total for suite, cases in task.suites.items()},
        units=len(task.units.units) if task.units is not None else None,
    )


def user_agent_data(records: LevelRecords) -> list[str]:
    """All texts that a User Agent knows at one level."""
    texts = [part for record in records.records for part in (*record.triggers, record.response)]
    texts += [part for pointer in records.pointers for part in (pointer.reference, pointer.meaning)]
    return [*texts, *([records.signature] if records.signature else []), records.fallback]

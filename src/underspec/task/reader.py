"""Cases as the reader of a report may see them."""

from __future__ import annotations

from underspec.artifact.outcomes import SuiteName
from underspec.task.cases import hidden_flags
from underspec.task.model import Case, Task


def reader_cases(task: Task, suite: SuiteName, *, hidden: bool) -> dict[str, tuple[Case | None, ...]]:
    """The cases of a suite by stem, in order, with expected outputs; a hidden case is None unless ``hidden``.

    A case of the native suite that is also public is not hidden.
    """
    found = task.suites.get(suite)
    if found is None:
        return {}
    flags = hidden_flags(task, suite)
    return {
        stem: tuple(
            case if hidden or not is_hidden else None for case, is_hidden in zip(file.cases, flags[stem], strict=True)
        )
        for stem, file in found.files.items()
    }

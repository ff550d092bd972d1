"""The last look at text that is about to leave: no canary, and in words for agents no name of the source."""

from __future__ import annotations

from collections.abc import Iterable

from underspec.errors import TaskError
from underspec.task.canary import text_canaries
from underspec.task.identity import identity_pattern
from underspec.task.layout import INTERFACE, request_path
from underspec.task.model import Task


def known_canaries(task: Task) -> set[str]:
    """The canaries of all parts that are loaded."""
    found = {part.canary for part in (task.records, task.golden, task.units) if part and part.canary}
    found.update(text_canaries(INTERFACE, task.interface or ""))
    for name, text in task.requests.items():
        found.update(text_canaries(request_path(name), text))
    for suite in task.suites.values():
        found.update(file.canary for file in suite.files.values() if file.canary)
    return found


def refuse_canaries(text: str, canaries: Iterable[str], file: str) -> None:
    """Raise TaskError if one of the canaries stands in the text."""
    if any(canary in text for canary in canaries):
        raise refused("a canary", file)


def refuse_hidden(task: Task, text: str, file: str) -> None:
    """Raise TaskError if a canary of the task's, or a string of its ``identity``, stands in the text."""
    refuse_canaries(text, known_canaries(task), file)
    identity = identity_pattern(task.toml)
    if identity and identity.search(text):
        raise refused("the repository's identity", file)


def refused(what: str, file: str) -> TaskError:
    """The error that says so."""
    return TaskError(
        f"{what} stands in text that would leave the task",
        file=file,
        mend="take it out of that file; `underspec tasks validate` shows every place",
    )

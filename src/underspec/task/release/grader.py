"""What the grader gets: inputs in its sandbox, expected outputs on the host."""

from __future__ import annotations

from underspec.artifact.outcomes import SuiteName
from underspec.task.model import Task
from underspec.task.release.written import case_bytes


def grader_inputs(task: Task, suite: SuiteName) -> dict[str, bytes]:
    """Case files of a suite as the deliverable may see them: ``<stem>.json`` to description and inputs."""
    return {
        f"{stem}.json": case_bytes(suite, stem, file, with_expected=False)
        for stem, file in task.suites[suite].files.items()
    }


def expectations(task: Task, suite: SuiteName) -> dict[str, tuple[str, ...]]:
    """Expected outputs by stem, in case order. They stay on the host."""
    return {stem: tuple(case.expected_output for case in file.cases) for stem, file in task.suites[suite].files.items()}

"""What the agent gets before its build begins."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from underspec.artifact.condition import Exposure
from underspec.errors import TaskError
from underspec.task.layout import WORKSPACE, request_path
from underspec.task.model import Task
from underspec.task.release.refusing import refuse_hidden
from underspec.task.release.written import case_bytes, complete_text, level_records, recovered_text, request_of_task


def request_text(task: Task, exposure: Exposure | Literal["initial"]) -> str:
    """The request as the agent reads it, ending in one newline.

    ``recovered`` is L1 with every answer of L1's records appended, in record order, then pointers and signature: what
    an agent would know that had asked everything (ICAE IV-B). A commission has two requests: ``L1`` is its initial
    one, and ``ground`` includes the delivery interface.

    Raises:
        TaskError: the task has no such request, or a canary or a string of ``identity`` stands in it.
    """
    if task.toml.family == "commission":
        if exposure not in ("L1", "initial", "ground", "recovered"):
            mend = "choose L1 (initial), ground, or recovered where there are records"
            raise TaskError(f"a commission has no exposure {exposure}", file="hidden/requests", mend=mend)
        name = "ground" if exposure == "ground" else "initial"
        text = complete_text(task) if name == "ground" else request_of_task(task, name)
        if exposure == "recovered":
            text = text.rstrip() + "\n\n" + recovered_text(level_records(task, "L1"))
    elif exposure == "recovered":
        name = "L1"
        text = request_of_task(task, name).rstrip() + "\n\n" + recovered_text(level_records(task, "L1"))
    else:
        name = exposure
        text = request_of_task(task, name)
    refuse_hidden(task, text, request_path(name))
    return text.rstrip() + "\n"


def visible_workspace(task: Task) -> Path | None:
    """The host folder of the files that the agent starts with; None when there are none. Copy it, never mount it
    writable."""
    folder = task.path / WORKSPACE
    return folder if folder.is_dir() and any(folder.iterdir()) else None


def scaffold_cases(task: Task) -> dict[str, bytes]:
    """Public case files for the agent under scaffold, by their path in the workspace."""
    files = task.suites["public"].files
    return {
        f"rcb_tests/public_test_cases/{stem}.json": case_bytes("public", stem, file, with_expected=True)
        for stem, file in files.items()
    }

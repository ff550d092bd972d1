"""Parts of a task as its author wrote them, without canaries. Not yet looked at: who hands them out does that."""

from __future__ import annotations

import json
from typing import Any, Literal

from underspec.artifact.outcomes import SuiteName
from underspec.errors import TaskError
from underspec.task.canary import strip_markdown_canary
from underspec.task.commission import requirement_text
from underspec.task.layout import RECORDS, case_path, request_path
from underspec.task.model import CaseFile, LevelRecords, Task
from underspec.task.release.refusing import refuse_canaries


def request_of_task(task: Task, name: str) -> str:
    """One of the task's requests.

    Raises:
        TaskError: the task has no such request.
    """
    text = task.requests.get(name)
    if text is None:
        raise TaskError(
            f"the task has no request {name}",
            file=request_path(name),
            mend=f"write the file, or choose another exposure ({', '.join(sorted(task.requests))})",
        )
    return strip_markdown_canary(text)


def complete_text(task: Task) -> str:
    """The complete request with the delivery interface.

    Raises:
        TaskError: the task has no complete request.
    """
    return requirement_text(task, request_of_task(task, "ground"))


def level_records(task: Task, level: Literal["L1", "L2", "L3"]) -> LevelRecords:
    """The records of one level.

    Raises:
        TaskError: the task has none for it.
    """
    known = task.records.levels.get(level) if task.records else None
    if known is None:
        raise TaskError(
            f"the task has no records for {level}",
            file=RECORDS,
            where=f"$.levels.{level}",
            mend="write them, or choose a condition in which nobody answers",
        )
    return known


def recovered_text(known: LevelRecords) -> str:
    """Every answer, in record order, then pointers and signature."""
    parts = ["## What the request leaves open, answered", *(record.response for record in known.records)]
    parts += [f'"{pointer.reference}" means: {pointer.meaning}' for pointer in known.pointers]
    if known.signature:
        parts.append(known.signature)
    return "\n\n".join(part.strip() for part in parts)


def case_bytes(suite: SuiteName, stem: str, file: CaseFile, *, with_expected: bool) -> bytes:
    """One case file: description and inputs, and expected outputs where they are told.

    Raises:
        TaskError: the file's canary stands in it.
    """
    cases: list[dict[str, Any]] = [
        {"input": case.input, "expected_output": case.expected_output} if with_expected else {"input": case.input}
        for case in file.cases
    ]
    # Indented for the agent, who reads it; compact (and fast) for the grader, whose suites may be large.
    document = {"description": file.description, "cases": cases}
    text = json.dumps(document, ensure_ascii=False, indent=2 if with_expected else None)
    if file.canary:
        refuse_canaries(text, [file.canary], case_path(suite, stem))
    return text.encode() + b"\n"

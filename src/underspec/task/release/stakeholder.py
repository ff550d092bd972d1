"""What whoever answers questions, or checks answers, gets: session, client, supervisor, assessor and judge."""

from __future__ import annotations

from underspec.artifact.condition import Exposure
from underspec.task.canary import strip_markdown_canary
from underspec.task.layout import INTERFACE, RECORDS, request_path
from underspec.task.model import LevelRecords, Task
from underspec.task.release.refusing import refuse_hidden
from underspec.task.release.written import complete_text, level_records
from underspec.task.strict import strings_of

NOTHING_MORE = "There is nothing to add to the request."


def asks_somebody(exposure: Exposure) -> bool:
    """Whether anything is left to ask at this exposure: at ``ground`` and ``recovered`` the request says it all."""
    return exposure in ("L1", "L2", "L3")


def session_records(task: Task, exposure: Exposure) -> LevelRecords:
    """All that the stakeholder of one session knows: the records of the exposure's own level.

    At ``ground`` and ``recovered`` nothing is left to answer: the result has no record, pointer or signature, and its
    fallback is :data:`NOTHING_MORE`. Nobody need be asked there; whoever asks all the same gets that reply.

    Raises:
        TaskError: the task has no records for the level, or a canary or a string of ``identity`` stands in them.
    """
    if exposure not in ("L1", "L2", "L3"):
        return LevelRecords(records=(), fallback=NOTHING_MORE)
    known = level_records(task, exposure)
    refuse_hidden(task, strings_of(known.model_dump(mode="json")), RECORDS)
    return known


def complete_requirement(task: Task) -> str:
    """Everything that is wanted, with the delivery interface where the task has one; ends in one newline.

    Raises:
        TaskError: the task has no complete request, or a canary or a string of ``identity`` stands in it.
    """
    text = complete_text(task)
    refuse_hidden(task, text, request_path("ground"))
    return text


def delivery_interface(task: Task) -> str:
    """How what is delivered is invoked, its inputs and outputs; empty where the task says nothing of it.

    Raises:
        TaskError: a canary or a string of ``identity`` stands in it.
    """
    text = strip_markdown_canary(task.interface or "")
    refuse_hidden(task, text, INTERFACE)
    return text

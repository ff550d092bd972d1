"""The request as an item's agent read it."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from underspec.artifact.condition import Condition
from underspec.artifact.context import FrozenContext, RequestEvent
from underspec.errors import UnderspecError
from underspec.phase.build import ASK_URL, REQUEST_PATH
from underspec.phase.freeze import CONTEXT_FILE
from underspec.prompts.builder import clarification_block, instruction_text
from underspec.report.html.visible import prose
from underspec.run.item import Item
from underspec.run.labels import chosen_artifact
from underspec.run.store import RunStore
from underspec.task import release
from underspec.task.model import Task

_MOST = 120_000
_PUBLIC_EXPOSURES = ("L1", "L2", "L3")


@dataclass(frozen=True)
class Request:
    """What was read. ``text`` is None where it is not shown, and then ``why`` says why; ``note`` is a remark."""

    exposure: str
    text: Markup | None
    instruction: Markup | None = None
    why: str | None = None
    note: str | None = None


def may_be_public(condition: Condition) -> bool:
    """Whether a public site may have the request: one that leaves things out, and not what it leaves out."""
    return condition.exposure in _PUBLIC_EXPOSURES and condition.information != "complete"


def request_of(store: RunStore, item: Item, task: Task | None, *, public: bool, graded_digest: str | None) -> Request:
    """The request of an item, from its frozen context where it has one, else from its task as it is now.

    ``graded_digest`` is that of the task when the item was graded, if it was.
    """
    condition = item.condition
    if public and not may_be_public(condition):
        why = "this request holds the whole requirement, which a public site leaves out"
        return Request(condition.exposure, None, why=why)
    frozen = chosen_artifact(store, item, "freeze")
    if frozen is not None:
        events = FrozenContext.read(frozen / CONTEXT_FILE).events
        told = [event.text for event in events if isinstance(event, RequestEvent)]
        return Request(condition.exposure, prose("\n".join(told), _MOST))
    if task is None:
        return Request(condition.exposure, None, why="the task is not at hand")
    try:
        text = _request(task, condition)
    except UnderspecError as error:
        return Request(condition.exposure, None, why=error.message)
    changed = graded_digest is not None and graded_digest != task.digest
    note = "The task has changed since this was built; the request may have been another." if changed else None
    instruction = None if condition.protocol != "build" else prose(_instruction(task, condition), _MOST)
    return Request(condition.exposure, prose(text, _MOST), instruction, note=note)


def _request(task: Task, condition: Condition) -> str:
    text = release.request_text(task, condition.exposure)
    if condition.asks and condition.protocol == "build":
        text = f"{text.rstrip()}\n\n{clarification_block(ASK_URL, condition.budget)}"
    return text


def _instruction(task: Task, condition: Condition) -> str:
    return instruction_text(
        asks=condition.asks,
        network=condition.network,
        grade_network=condition.grade_network,
        scaffold=condition.scaffold,
        language=condition.language or task.toml.language,
        budget=condition.budget,
        request_path=REQUEST_PATH,
        ask_url=ASK_URL if condition.asks else None,
    )

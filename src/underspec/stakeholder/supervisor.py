"""The supervisor: a model that approves the client's drafts or returns them with reasons (SWE-Clar 2.2, Table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from underspec.artifact.clarification import Objection, Verdict
from underspec.errors import StakeholderError
from underspec.model.structured import Shape, ask_structured, told
from underspec.prompts.supervisor import SupervisorPrompts
from underspec.stakeholder.client import Exchange, Knowledge

if TYPE_CHECKING:
    from inspect_ai.model import Model

_BOOLEAN = {"type": "boolean"}
SHAPE = Shape(
    "review", {"accurate": _BOOLEAN, "complete": _BOOLEAN, "in_scope": _BOOLEAN, "reasons": {"type": "string"}}
)
_ASPECTS: tuple[tuple[str, Objection], ...] = (
    ("accurate", "accuracy"),
    ("complete", "completeness"),
    ("in_scope", "scope"),
)
_MOST_REASONS = 4000


class Supervisor:
    """Reviews drafts. It knows what the client knows, and the draft."""

    def __init__(self, model: Model, prompts: SupervisorPrompts, knowledge: Knowledge) -> None:
        self._model = model
        self._prompts = prompts
        self._system = prompts.system(knowledge.requirement, knowledge.materials)

    async def review(self, question: str, draft: str, conversation: Sequence[Exchange]) -> Verdict:
        """What is to be said to a draft.

        Raises:
            ModelServiceError: the provider failed, after retries.
            StakeholderError: the model gave no verdict that can be read.
        """
        messages = told(self._system, self._prompts.review(question, draft, conversation))
        verdict = await ask_structured(self._model, messages, SHAPE, read_verdict, again=self._prompts.again())
        if verdict is None:
            raise StakeholderError("the supervisor's model gave no verdict that can be read")
        return verdict


def read_verdict(document: dict[str, Any]) -> Verdict | None:
    """The verdict in a document; None if it is none. What is not said plainly approves nothing."""
    said = [document.get(name) for name, _ in _ASPECTS]
    if not all(isinstance(each, bool) for each in said):
        return None
    objections = tuple(aspect for name, aspect in _ASPECTS if not document[name])
    reasons = document.get("reasons")
    text = reasons[:_MOST_REASONS] if isinstance(reasons, str) else ""
    return Verdict(objections=objections, reasons=text.encode(errors="replace").decode())

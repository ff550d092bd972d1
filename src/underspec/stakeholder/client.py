"""The client: a model that drafts replies from the complete requirement (SWE-Clar 2.2, Table 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from underspec.errors import StakeholderError
from underspec.model.models import service_errors
from underspec.model.structured import patience, told
from underspec.prompts.client import ClientPrompts

if TYPE_CHECKING:
    from inspect_ai.model import Model

MOST_REPLY = 16_000
"""Characters of a reply: what is longer is no reply to one question."""


@dataclass(frozen=True)
class Knowledge:
    """What client and supervisor know (Table 3): the complete requirement, and what the agent has too.

    No question that assesses, no reference answer and no test is in it.
    """

    requirement: str
    materials: Mapping[str, str] = field(default_factory=dict)


Exchange = tuple[str, str]
"""A question and its approved reply; or a draft and what was objected to it."""


class Client:
    """Drafts replies. Everything that it knows is in its system message, which is the same in every round."""

    def __init__(self, model: Model, prompts: ClientPrompts, knowledge: Knowledge) -> None:
        self._model = model
        self._prompts = prompts
        self._system = prompts.system(knowledge.requirement, knowledge.materials)

    async def draft(self, question: str, conversation: Sequence[Exchange], returned: Sequence[Exchange] = ()) -> str:
        """A reply to ``question``. ``returned`` are its earlier drafts with the supervisor's reasons.

        Raises:
            ModelServiceError: the provider failed, after retries.
            StakeholderError: the model said nothing that can be a reply.
        """
        from inspect_ai.model import GenerateConfig

        messages = told(self._system, self._prompts.ask(question, conversation, returned))
        with service_errors(str(self._model)):
            output = await self._model.generate(messages, config=GenerateConfig(**patience(self._model)))
        reply = output.completion.strip()
        if not reply or output.stop_reason == "content_filter":
            raise StakeholderError("the client's model gave no reply")
        if len(reply) > MOST_REPLY:
            raise StakeholderError(f"the client's model gave a reply of more than {MOST_REPLY} characters")
        return reply.encode(errors="replace").decode()

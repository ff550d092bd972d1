"""The published router: a model that names records (ICAE III-E, Appendix H). Any model that Inspect can take.

It can add nothing: its answer is constrained to record ids by a schema, whatever is no id is dropped, and the reply is
put together from authored responses (:mod:`underspec.stakeholder.reply`). It is shown the level's records and the
questions, and nothing else of the task.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from underspec.artifact.session import Turn
from underspec.errors import StakeholderError, UsageError
from underspec.model.models import service_errors
from underspec.prompts.router import RouterPrompts, router_prompts
from underspec.stakeholder.routed import NONE, SLOTS, Routed, read_routing
from underspec.stakeholder.router import Routing
from underspec.task.model import LevelRecords, RecordKind

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput

ATTEMPTS = 3
EARLIER_QUESTIONS = 4
RETRIES = 8
SECONDS = 600
MOST_ENUMERATED = 900  # of a thousand values that providers take in one schema; beyond it ids are checked by us alone
RANKED = 5
CONTROL = "What should I have for lunch?"
"""A question that no record answers. A router that fails on it too is broken; else the question was to blame."""


@dataclass
class RouterCounts:
    """What an operator wants to know of a router, over all its questions. No text of a model stands here."""

    questions: int = 0
    dropped_ids: int = 0
    repeated_ids: int = 0
    lenient: int = 0
    malformed: int = 0
    refused: int = 0
    given_up: int = 0


class ModelRouter:
    """Routes by a model, which :meth:`with_model` gives it.

    An answer that is none is asked for again, twice. If then there is still none, or the provider refuses the question,
    a control question is routed: if that works, the question gets no record (an asker must not be able to break the
    stakeholder, and so its own measurement, by what it writes); if not, the router has failed.
    """

    name = "model"
    version: str
    """Changes with the prompts. The model stands in the condition."""

    def __init__(self, model: Model | None = None, prompts: RouterPrompts | None = None) -> None:
        self._model = model
        self._prompts = prompts or router_prompts()
        self.version = f"1-{self._prompts.version}"
        self.counts = RouterCounts()

    def with_prompts(self, prompts: Path) -> Self:
        """The same with a user's folder of prompts, and therefore of another version.

        Raises:
            UsageError: a prompt of the user's does not fit.
        """
        return type(self)(self._model, router_prompts(override=prompts))

    def with_model(self, model: Model, *, prompts: Path | None = None) -> Self:
        """A router of its own that asks ``model``, opened for the role *router*; ``prompts`` is a user's folder.

        Raises:
            UsageError: a prompt of the user's does not fit.
        """
        return type(self)(model, router_prompts(override=prompts) if prompts else self._prompts)

    async def route(self, question: str, records: LevelRecords, history: Sequence[Turn]) -> Routing:
        """See :class:`underspec.stakeholder.router.Router`.

        Raises:
            UsageError: it has no model.
            ModelServiceError: the model's provider failed, after retries.
            StakeholderError: the model answers nothing that can be used, to any question.
        """
        if self._model is None:
            raise UsageError("the router 'model' has no model", mend="name one with --stakeholder-model")
        self.counts.questions += 1
        known = records.responses()
        system = self._prompts.system(described(records))
        earlier = [turn.question for turn in history[-EARLIER_QUESTIONS:]]
        routed = await self._routed(self._model, system, self._prompts.ask(question, earlier), tuple(known))
        if routed is None:
            control = await self._routed(self._model, system, self._prompts.ask(CONTROL, ()), tuple(known))
            if control is None:
                raise StakeholderError(
                    f"the router's model {self._model} names no records, whatever is asked",
                    mend="use a model that answers in JSON, or another router",
                )
            self.counts.given_up += 1
            return Routing(())
        self.counts.dropped_ids += routed.dropped
        self.counts.repeated_ids += routed.repeated
        self.counts.lenient += routed.lenient
        return Routing(routed.ids, routed.ids[:RANKED], routed.default_proposed)

    async def _routed(self, model: Model, system: str, asked: str, known: tuple[str, ...]) -> Routed | None:
        from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

        talk: list[ChatMessage] = [ChatMessageSystem(content=system), ChatMessageUser(content=asked)]
        for _ in range(ATTEMPTS):
            output = await _generate(model, talk, known)
            if output.empty or output.stop_reason == "content_filter":
                self.counts.refused += 1
                return None
            routed = read_routing(output.completion, known)
            if routed is not None:
                return routed
            self.counts.malformed += 1
            # Its own words are not repeated to it: they may be huge, and are as likely the asker's as its own.
            answer = ChatMessageAssistant(content="(no JSON document)")
            talk = [*talk[:2], answer, ChatMessageUser(content=self._prompts.again())]
        return None


async def _generate(model: Model, talk: list[ChatMessage], known: tuple[str, ...]) -> ModelOutput:
    with service_errors(str(model)):
        return await model.generate(talk, config=schema_config(model, known))


def schema_config(model: Model, known: tuple[str, ...]) -> GenerateConfig:
    """What constrains an answer to the ids ``known``, and bounds the waiting where the model's own options don't."""
    from inspect_ai.model import GenerateConfig, ResponseSchema
    from inspect_ai.util import JSONSchema

    fields: dict[str, Any] = {}
    if model.config.max_retries is None:
        fields["max_retries"] = RETRIES
    if model.config.timeout is None:
        fields["timeout"] = SECONDS
    few = len(known) * len(SLOTS) <= MOST_ENUMERATED
    slot = JSONSchema(type="string", enum=[*known, NONE] if few else None)
    properties = {**dict.fromkeys(SLOTS, slot), "default_proposed": JSONSchema(type="boolean")}
    schema = JSONSchema(type="object", properties=properties, required=list(properties), additionalProperties=False)
    return GenerateConfig(response_schema=ResponseSchema(name="routing", json_schema=schema), **fields)


def described(records: LevelRecords) -> list[dict[str, Any]]:
    """The records as the model sees them, one document each.

    A case file's cases stay out: what they are of is enough to find them, and no test belongs into a prompt.
    """
    found: list[dict[str, Any]] = []
    for record in records.records:
        about: dict[str, Any] = {
            "id": record.id,
            "kind": str(record.kind),
            "category": record.category,
            "asked_like": list(record.triggers),
        }
        if record.kind is not RecordKind.CASE_FILE:
            about["told"] = record.response
        found.append(about)
    for place, pointer in enumerate(records.pointers):
        found.append({"id": f"P{place}", "kind": "pointer", "phrase": pointer.reference, "told": pointer.meaning})
    if records.signature:
        found.append({"id": "SIG", "kind": "signature", "told": records.signature})
    return found

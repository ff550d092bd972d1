"""The answer phase: what an agent says to the requirement questions, from the frozen context (SWE-Clar 2.3).

Always by this loop, whatever agent asked: with two tools that list and read the material on the host. Nothing is run,
nobody is asked, and no reference answer is in any file that this phase reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from underspec.artifact.answers import Answers, UnitAnswer
from underspec.artifact.build import BuildEnd
from underspec.artifact.canonical import digest_of, sha256_hex
from underspec.artifact.condition import Condition
from underspec.artifact.context import FrozenContext
from underspec.errors import AgentError, UnderspecError
from underspec.model.limits import LimitReachedError, Limits, PhaseWatch
from underspec.model.roles import Role
from underspec.model.signals import signal_of
from underspec.model.spec import ModelSpec
from underspec.phase.at_work import said_text, under_watch
from underspec.phase.freeze import CONTEXT_FILE
from underspec.phase.materials import Materials
from underspec.phase.models import identity_of, phase_models
from underspec.phase.reading import read_answers
from underspec.phase.work import Work
from underspec.prompts.builder.clarify_first import answer_rules, mark, questions_text
from underspec.task import release
from underspec.task.model import Task

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ChatMessageTool, Model, ModelOutput
    from inspect_ai.tool import ToolCall, ToolInfo

VERSION = 1
ANSWERS_FILE = "answers.json"
MOST_TURNS = 100
"""Calls of the model: nobody looks that often at what lies there."""
LOOP = "answer"


@dataclass(frozen=True)
class AnswerInputs:
    """All that decides the answers. ``model`` is the builder's; without one nothing is answered."""

    task: Task
    condition: Condition
    frozen: Path
    model: ModelSpec | None = None
    adopted: Model | None = None
    prompts: Path | None = None
    """A user's folder of prompts."""

    def context(self) -> FrozenContext:
        """What is known.

        Raises:
            StoreError: the file is missing or damaged.
        """
        return FrozenContext.read(self.frozen / CONTEXT_FILE)

    def asked(self) -> str:
        """All questions in one message, below what is known."""
        questions = [question.text for question in release.unit_questions(self.task)]
        return questions_text(self.context().render(), questions, override=self.prompts)

    def rules(self) -> str:
        """What precedes them."""
        return answer_rules(override=self.prompts)

    def key(self) -> str:
        """The phase's key: context, questions, material, model and this phase's version."""
        return digest_of(
            {
                "phase": "answer",
                "version": VERSION,
                "context": self.context().sha256,
                "rules": sha256_hex(self.rules().encode()),
                "asked": sha256_hex(self.asked().encode()),
                "units": [question.unit for question in release.unit_questions(self.task)],
                "workspace": release.visible_digest(self.task) if release.visible_workspace(self.task) else None,
                "model": identity_of(self.model) if self.adopted is None else {"adopted": self.condition.model},
                "seconds": self.condition.build_seconds,
            }
        )


async def answer(inputs: AnswerInputs, work: Work) -> None:
    """Ask everything in one message and leave ``answers.json`` in ``work.artifact``.

    Raises:
        ModelServiceError, HarnessError: not the agent's doing; nothing is published.
    """
    with phase_models("answer", work, Limits(seconds=inputs.condition.build_seconds)) as models:
        model: Model | None = None
        if inputs.adopted is not None:
            model = models.adopt(inputs.adopted, Role.ANSWERER)
        elif inputs.model is not None:
            model = models.open(inputs.model, Role.ANSWERER)
        work.progress("answering")
        said, end = ("", _end(detail="no model")) if model is None else await _said(inputs, model, models.watch, work)
    questions = release.unit_questions(inputs.task)
    texts, besides = read_answers(said_text(said), [mark(place) for place in range(len(questions))])
    answers = Answers(
        task=inputs.task.id,
        context=inputs.context().sha256,
        answers=tuple(
            UnitAnswer(unit=question.unit, text=text) for question, text in zip(questions, texts, strict=True)
        ),
        besides=besides,
        end=end,
    )
    (work.artifact / ANSWERS_FILE).write_bytes(answers.to_bytes())
    work.log("answered", ended=end.ended, answered=sum(bool(text) for text in texts), questions=len(questions))


def _end(**fields: Any) -> BuildEnd:
    return BuildEnd(**{"agent": LOOP, "agent_version": str(VERSION), "ended": "done", **fields})


async def _said(inputs: AnswerInputs, model: Model, watch: PhaseWatch, work: Work) -> tuple[str, BuildEnd]:
    """What the model wrote in the end, and how it ended."""
    try:
        return await under_watch(_loop(inputs, model, watch), watch), _end()
    except LimitReachedError as error:
        work.log("limit", layer=error.stop.layer, limit=error.stop.limit)
        return "", _end(ended="limit", limit=error.stop.limit, layer=error.stop.layer)
    except AgentError as error:
        return "", _end(ended="failed", detail=said_text(error.message))


async def _loop(inputs: AnswerInputs, model: Model, watch: PhaseWatch) -> str:
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser

    tools = _ReadingTools(Materials.of(inputs.task), watch)
    messages: list[ChatMessage] = [ChatMessageSystem(content=inputs.rules()), ChatMessageUser(content=inputs.asked())]
    for _ in range(MOST_TURNS):
        output = await _generate(model, messages, tools.infos)
        if output.stop_reason == "content_filter":
            raise AgentError("the model refused to answer")
        if output.stop_reason == "model_length":
            raise AgentError("the conversation no longer fits into the model's context")
        messages.append(output.message)
        calls = output.message.tool_calls or []
        if not calls:
            return output.completion
        messages += [tools.call(call) for call in calls]
    raise AgentError(f"the model came to no answer in {MOST_TURNS} turns")


async def _generate(model: Model, messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
    try:
        return await model.generate(messages, tools=tools)
    except UnderspecError:
        raise
    except Exception as error:
        signal = signal_of(error)
        if not signal.by_request:
            raise  # the service's failure, of which the phase knows already
        raise AgentError(f"the model's service takes no such request: {signal}") from error


class _ReadingTools:
    """Listing and reading the material; whatever a model passes, the answer is a message."""

    def __init__(self, materials: Materials, watch: PhaseWatch) -> None:
        self._materials = materials
        self._watch = watch

    @property
    def infos(self) -> list[ToolInfo]:
        from inspect_ai.tool import ToolInfo, ToolParams

        path = {"path": {"type": "string"}}
        return [
            ToolInfo(name="list_files", description="List all files of the client's material."),
            ToolInfo(
                name="read_file",
                description="Read one file of the client's material.",
                parameters=ToolParams.model_validate({"properties": path, "required": ["path"]}),
            ),
        ]

    def call(self, call: ToolCall) -> ChatMessageTool:
        from inspect_ai.model import ChatMessageTool

        self._watch.progress()
        return ChatMessageTool(content=self._answer(call), tool_call_id=call.id, function=call.function)

    def _answer(self, call: ToolCall) -> str:
        if call.parse_error:
            return f"error: the arguments cannot be read: {call.parse_error}"
        if call.function == "list_files":
            return "\n".join(self._materials.paths()) or "(there are no files)"
        if call.function != "read_file":
            return f"error: there is no tool {call.function!r}; there are: list_files, read_file"
        path = call.arguments.get("path")
        if not isinstance(path, str):
            return "error: path must be given, as text"
        text = self._materials.read(path)
        return "error: there is no such file; list_files lists them" if text is None else text

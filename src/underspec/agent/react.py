"""A plain loop: the model speaks, its tool calls are carried out, and so on until it calls none (ReAct)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from underspec.agent.protocol import Assignment
from underspec.agent.seen import earlier_messages, keep_messages
from underspec.agent.tools import Toolbox
from underspec.artifact.build import BuildEnd
from underspec.errors import AgentError, UnderspecError
from underspec.model.signals import signal_of
from underspec.prompts import load_prompt, render
from underspec.sandbox.protocol import Mount
from underspec.task.model import Task

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Model, ModelOutput

_CUT_OFF = "Your answer was cut off at the length limit. Go on in smaller steps."
_MOST_CUT_OFF = 3  # in a row
_IDLE = "Nothing happens without a tool: nobody reads this. Call a tool, or call `{finish}` when you are done."
_MOST_IDLE = 2  # in a row


class ReactAgent:
    """Shell and file tools, and ``ask`` where a stakeholder answers. No planning, memory or compaction of its own."""

    name = "react"
    version = "1"
    needs_model = True
    keeps_history = True
    own_prompts: ClassVar = {False: "react", True: "react-inspect"}

    def fingerprint(self, task: Task) -> str:
        """Its packaged system prompt's digest; a user's stands in the phases' keys beside it."""
        return load_prompt("builder", "react").sha256

    def mounts(self, task: Task) -> tuple[Mount, ...]:
        """None."""
        return ()

    async def build(self, assignment: Assignment) -> BuildEnd:
        """Work until the model calls no tool.

        Raises:
            AgentError: the model refused, or the conversation no longer fits into its context.
        """
        from inspect_ai.model import ChatMessageSystem, ChatMessageUser

        model = assignment.opened_model()
        tools = Toolbox(assignment)
        prompt = load_prompt("builder", self.own_prompts[assignment.read_only], override=assignment.prompts)
        task = f"{assignment.instruction}\n{assignment.request}"
        messages: list[ChatMessage] = [
            ChatMessageSystem(content=render(prompt, sections={}, values={})),
            *earlier_messages(assignment.history or ()),
            ChatMessageUser(content=task),
        ]
        cut_off = idle = 0
        while True:
            output = await _generate(model, messages, tools)
            if output.stop_reason == "content_filter":
                raise AgentError("the model refused to go on")
            if output.stop_reason == "model_length":
                raise AgentError("the conversation no longer fits into the model's context")
            messages.append(output.message)
            calls = output.message.tool_calls or []
            keep_messages(assignment, messages)
            if not calls and output.stop_reason != "max_tokens":
                idle += 1
                if assignment.finish is None or idle > _MOST_IDLE:
                    return BuildEnd(agent=self.name, agent_version=self.version, ended="done", detail=output.completion)
                messages.append(ChatMessageUser(content=_IDLE.format(finish=assignment.finish.name)))
                continue
            idle = 0
            cut_off = 0 if calls else cut_off + 1
            if cut_off > _MOST_CUT_OFF:
                raise AgentError("the model's answers are cut off at its length limit, again and again")
            messages += [await tools.call(call) for call in calls] or [ChatMessageUser(content=_CUT_OFF)]
            keep_messages(assignment, messages)
            if tools.finished:
                return BuildEnd(agent=self.name, agent_version=self.version, ended="done", detail=output.completion)


async def _generate(model: Model, messages: list[ChatMessage], tools: Toolbox) -> ModelOutput:
    try:
        return await model.generate(messages, tools=tools.infos)
    except UnderspecError:
        raise
    except Exception as error:
        signal = signal_of(error)
        if not signal.by_request:
            raise  # the service's failure, of which the phase knows already
        raise AgentError(f"the model's service takes no such request: {signal}") from error

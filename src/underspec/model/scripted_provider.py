"""The provider behind ``scripted/<path of a script>``: plays a script to whoever calls, with usage always set."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from inspect_ai.log._samples import sample_active
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelCall,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.model._model import RetryDecision
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo
from tenacity.wait import wait_base, wait_fixed

from underspec.model.scripted import (
    CHARACTERS_A_TOKEN,
    Cursor,
    Heard,
    ScriptedCall,
    ScriptedFault,
    ScriptedTurn,
    ScriptedUsage,
    load_script,
)
from underspec.model.signals import signal_of


class ScriptedStatusError(Exception):
    """An HTTP error as a provider's library would raise it."""

    def __init__(self, status: int, retry_after: float | None) -> None:
        super().__init__(f"scripted status {status}")
        self.status_code = status
        self.retry_after = retry_after


class ScriptedAPI(ModelAPI):
    """One cursor for each sample of an evaluation that is under way, else one for this object."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **_: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self.script = load_script(Path(model_name))
        self._cursors: dict[str, Cursor] = {}
        self._calls: dict[str, int] = {}

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        """The next turn that fits."""
        sample = sample_active()
        session = sample.id if sample is not None else ""
        cursor = self._cursors.setdefault(session, Cursor(self.script))
        heard = _heard(input, tools)
        turn, fails = cursor.next(heard)
        if turn.delay:
            await asyncio.sleep(turn.delay)
        if fails and turn.fault is not None:
            raise _raised(turn.fault)
        output = self._output(turn, heard, session)
        request = {"model": self.model_name, "messages": [message.model_dump(mode="json") for message in input]}
        return output, ModelCall.create(request, {"content": output.completion})

    def should_retry(self, ex: Exception) -> RetryDecision:
        """As a provider would say it."""
        signal = signal_of(ex)
        if signal.storm:
            return RetryDecision.rate_limit()
        return RetryDecision.transient() if signal.transient else RetryDecision.no()

    def retry_wait(self) -> wait_base:
        """As the script says."""
        return wait_fixed(self.script.retry_wait)

    def max_connections(self) -> int:
        """No provider's limit stands behind a script."""
        return 10_000

    def connection_key(self) -> str:
        """The script."""
        return self.model_name

    def _output(self, turn: ScriptedTurn, heard: Heard, session: str) -> ModelOutput:
        calls = [self._call(call, heard, session) for call in turn.calls]
        content: list[Content] = [ContentReasoning(reasoning=turn.reasoning)] if turn.reasoning else []
        content += [ContentText(text=turn.text)] if turn.text or not calls else []
        message = ChatMessageAssistant(
            content=content, tool_calls=calls or None, model=self.model_name, source="generate"
        )
        return ModelOutput(
            model=self.model_name,
            choices=[
                ChatCompletionChoice(message=message, stop_reason=turn.stop or ("tool_calls" if calls else "stop"))
            ],
            usage=_usage(turn.usage or self.script.usage, turn, heard),
        )

    def _call(self, call: ScriptedCall, heard: Heard, session: str) -> ToolCall:
        name = next((tool for tool in heard.tools if call.like and call.name in tool), call.name)
        # Numbered, not random: two runs of a script leave the same transcript.
        self._calls[session] = number = self._calls.get(session, 0) + 1
        return ToolCall(id=f"call_{number}", function=name, arguments=dict(call.arguments))


def _heard(input: list[ChatMessage], tools: list[ToolInfo]) -> Heard:
    return Heard(
        texts=[message.text for message in input],
        tools=[tool.name for tool in tools],
        results=sum(isinstance(message, ChatMessageTool) for message in input),
    )


def _usage(said: ScriptedUsage, turn: ScriptedTurn, heard: Heard) -> ModelUsage:
    written = len(turn.text) + len(turn.reasoning) + sum(len(str(call.arguments)) for call in turn.calls)
    inputs = _tokens(sum(len(text) for text in heard.texts)) if said.input is None else said.input
    outputs = _tokens(written) if said.output is None else said.output
    return ModelUsage(
        input_tokens=inputs,
        output_tokens=outputs,
        total_tokens=inputs + outputs + said.cache_read + said.cache_write,
        input_tokens_cache_read=said.cache_read,
        input_tokens_cache_write=said.cache_write,
        reasoning_tokens=said.reasoning,
    )


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_A_TOKEN)


def _raised(fault: ScriptedFault) -> Exception:
    if fault.kind == "timeout":
        return TimeoutError("scripted time-out")
    if fault.kind == "connection":
        return ConnectionError("scripted broken connection")
    return ScriptedStatusError(fault.status, fault.retry_after)


modelapi("scripted")(ScriptedAPI)

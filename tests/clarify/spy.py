"""A model for every role that writes down what each role was given. What it does comes from a schedule."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

DRAFT, REASON = "CANARY-draft", "CANARY-reason"
QUESTION, ANSWER, TEST = "CANARY-question", "CANARY-answer", "CANARY-test"
MODEL = "spy/everybody"

LOOK = (
    "for place in root workspace tmp etc home var run dev/shm opt mnt srv; do grep -rsl CANARY /$place; done; "
    "env; for number in /proc/[0-9]*; do tr '\\0' '\\n' < $number/environ; tr '\\0' ' ' < $number/cmdline; done; "
    "cat /proc/self/mountinfo; find / -xdev -name '*CANARY*' -not -path '/usr/*' 2>/dev/null"
)


@dataclass
class Schedule:
    """``returned[i]`` drafts of the i-th question are returned before one is approved. ``calls`` counts model calls;
    ``at_call`` is told of each before it is answered. ``look`` is the first command of each agent."""

    returned: list[int]
    given: list[tuple[str, str]] = field(default_factory=list)
    calls: int = 0
    look: str = LOOK
    at_call: Callable[[int], None] = lambda number: None


current: Schedule = Schedule([])


def play(schedule: Schedule) -> None:
    """From now on the spy follows this schedule."""
    global current
    current = schedule


class Spy(ModelAPI):
    """See the module."""

    def __init__(self, model_name: str, base_url: str | None = None, api_key: str | None = None, **_: Any) -> None:
        super().__init__(model_name, base_url, api_key, [], GenerateConfig())

    def max_connections(self) -> int:
        return 100

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        current.calls += 1
        current.at_call(current.calls)
        role, output = self._answer(input, {tool.name for tool in tools})
        everything = "\n".join(message.model_dump_json() for message in input)
        current.given.append((role, everything + "".join(tool.model_dump_json() for tool in tools)))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    def _answer(self, input: list[ChatMessage], offered: set[str]) -> tuple[str, ModelOutput]:
        system, done = input[0].text, sum(message.role == "tool" for message in input)
        last = input[-1].text
        if system.startswith("You are the client"):
            return "client", self._text(
                f"{DRAFT} {last.count('objections')}" if self._left(last) else "An approved reply."
            )
        if system.startswith("You review replies"):
            returned = DRAFT in last
            said = {"accurate": not returned, "complete": True, "in_scope": True, "reasons": REASON if returned else ""}
            return "supervisor", self._text(json.dumps(said))
        if system.startswith("You judge whether"):
            return "judge", self._text('{"missing": "", "wrong": "", "label": "partial"}')
        if "list_files" in offered:
            return "answerer", self._text("## Q1\n\na\n\n## Q2\n\nb") if done else self._call("list_files", {}, done)
        if "finish_clarification" in offered:
            if done == 0:
                return "clarifying", self._call("shell", {"command": current.look}, done)
            if done <= len(current.returned):
                return "clarifying", self._call("ask", {"question": f"question {done - 1}"}, done)
            return "clarifying", self._call("finish_clarification", {}, done)
        if "ask" in offered and 0 < done <= len(current.returned):
            return "implementing", self._call("ask", {"question": f"question {done - 1}"}, done)
        if done:
            return "implementing", self._call("submit_delivery", {}, done)
        return "implementing", self._call("shell", {"command": current.look}, done)

    def _left(self, asked: str) -> bool:
        """Whether another draft of the question is to be returned."""
        question = int(asked.rsplit('{"question": "question ', 1)[1].split('"', 1)[0])
        return asked.count('"objections"') < current.returned[question]

    def _text(self, text: str) -> ModelOutput:
        return ModelOutput.from_content(self.model_name, text)

    def _call(self, name: str, arguments: dict[str, Any], number: int) -> ModelOutput:
        return ModelOutput.for_tool_call(self.model_name, name, arguments, tool_call_id=f"call-{number}")


modelapi("spy")(Spy)

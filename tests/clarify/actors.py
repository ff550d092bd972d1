"""Models of known quality in every role, played by code: who asks well learns, builds and understands more.

A provider of models named ``actors/<quality>``. The *thorough* one asks about every topic of the commission, the
*average* one about every topic but the last that the request leaves out, the *hasty* one about none. What a builder
builds, and what it answers, follows from what it was told alone: it knows a unit exactly where the unit's reference
answer stands in its messages. The client knows reference answers by topic, the supervisor approves, and the judge
compares. Nothing here is handed from one role to another but by the phases themselves.
"""

from __future__ import annotations

import base64
import io
import json
import re
import tarfile
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from underspec.task import release
from underspec.task.catalog import find_task
from underspec.task.load import load_task
from underspec.task.model import Task

QUALITIES = ("thorough", "average", "hasty")
UNKNOWN = "I have no preference there."


@lru_cache
def task_of(name: str) -> Task:
    return load_task(find_task(name))


def name_of(quality: str, task: str) -> str:
    """The model's name."""
    return f"actors/{quality}--{task}"


@lru_cache
def packed(task: str, variant: str) -> str:
    """A variant as a bash command that unpacks it into the workspace."""
    buffer = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        release.variant_deliverable(task_of(task), variant, Path(folder))
        archive.add(folder, arcname=".")
    return f"cd /workspace && echo {base64.b64encode(buffer.getvalue()).decode()} | base64 -d | tar xzf -"


class Actor(ModelAPI):
    """One quality of one task."""

    commission: str

    def __init__(self, model_name: str, base_url: str | None = None, api_key: str | None = None, **more: Any) -> None:
        super().__init__(model_name, base_url, api_key, [], GenerateConfig())
        self.quality, _, self.commission = model_name.partition("--")

    def max_connections(self) -> int:
        return 100

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        system, heard = input[0].text, "\n".join(message.text for message in input)
        offered = {tool.name for tool in tools}
        if system.startswith("You are the client"):
            output = self._text(self._reply(input[-1].text))
        elif system.startswith("You review replies"):
            output = self._text('{"accurate": true, "complete": true, "in_scope": true, "reasons": ""}')
        elif system.startswith("You judge whether"):
            output = self._text(_label(input[-1].text))
        elif "list_files" in offered:
            output = self._text(self._answers(heard))
        elif "finish_clarification" in offered:
            output = self._clarify(input)
        else:
            output = self._implement(input, heard)
        output.usage = ModelUsage(input_tokens=10, output_tokens=10, total_tokens=20)
        return output

    def _text(self, text: str) -> ModelOutput:
        return ModelOutput.from_content(self.model_name, text)

    def _call(self, name: str, arguments: dict[str, Any]) -> ModelOutput:
        return ModelOutput.for_tool_call(self.model_name, name, arguments, tool_call_id=f"call-{name}")

    @property
    def _units(self) -> list[Any]:
        return list(release.reference_units(task_of(self.commission)))

    def _topics(self) -> list[str]:
        """What it asks about: never a question of the assessment, whose topics happen to be the units' too."""
        hidden = [unit.topic for unit in self._units]
        return {"thorough": hidden, "average": hidden[:-1], "hasty": []}[self.quality]

    def _clarify(self, input: list[ChatMessage]) -> ModelOutput:
        asked = sum(message.role == "tool" for message in input)
        topics = self._topics()
        if asked == len(topics):
            return self._call("finish_clarification", {})
        return self._call("ask", {"question": f"What exactly do you want of {topics[asked]}? And how is it invoked?"})

    def _reply(self, asked: str) -> str:
        question = json.loads(asked[asked.rindex('{"question"') : asked.rindex("}") + 1])["question"]
        found = [unit.answer for unit in self._units if unit.topic in question]
        return " ".join(found) or UNKNOWN

    def _known(self, heard: str) -> list[Any]:
        """The units that it was told of; everything, where the complete requirement stands there."""
        complete = "# The complete requirement" in heard
        plain = _plain(heard)
        return [unit for unit in self._units if complete or _plain(unit.answer) in plain]

    def _implement(self, input: list[ChatMessage], heard: str) -> ModelOutput:
        if any(message.role == "tool" for message in input):
            return self._call("submit_delivery", {})
        known, units = self._known(heard), self._units
        variant = release.STARTER
        if len(known) == len(units):
            variant = "reference"
        elif known:
            missing = [unit.id for unit in units if unit not in known]
            variant = f"incorrect-{missing[0]}"
        return self._call("shell", {"command": packed(self.commission, variant)})

    def _answers(self, heard: str) -> str:
        known = {unit.id for unit in self._known(heard)}
        said = [unit.answer if unit.id in known else "I do not know." for unit in self._units]
        return "\n\n".join(f"## Q{place}\n\n{answer}" for place, answer in enumerate(said, 1))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _label(asked: str) -> str:
    """Correct where the reference answer stands in the answer to the mark."""
    mark = re.findall(r"question `(Q\d+)`", asked)[-1]
    documents = [json.loads(line) for line in asked.splitlines() if line.startswith("{")]
    reference = next(each["reference_answer"] for each in documents if "reference_answer" in each)
    answer = next(each["answer"] for each in documents if each.get("mark") == mark)
    label = "correct" if _plain(reference) in _plain(answer) else "incorrect"
    return json.dumps({"missing": "", "wrong": "", "label": label})


modelapi("actors")(Actor)

"""What a model can do in a sandbox when it works in our own loop: run commands, read and write files, ask."""

from __future__ import annotations

import posixpath
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from underspec.agent.protocol import Answered, Assignment, SeenTool
from underspec.errors import AgentError
from underspec.sandbox.protocol import WORKSPACE, ExecResult

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessageTool
    from inspect_ai.tool import ToolCall, ToolInfo

MAX_SHOWN = 16_000
"""Characters of one result that the model is shown; the middle of a longer one is left out."""
DEFAULT_SECONDS, MAX_SECONDS = 120, 3600
_MAX_READ = 16 * 1024**2

ASK = "ask"
OWN_TOOLS = frozenset({ASK, "finish_clarification", "submit_delivery"})
"""Tools that reach us and not the sandbox: what they return is recorded where it comes from."""
FINISHED = "This phase is over. Do nothing more."

_TEXT = {"type": "string"}


class Toolbox:
    """The tools of one assignment. Whatever a model passes to them, the answer is a message and never an exception;
    only a broken sandbox, stakeholder or harness raises."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._sandbox = assignment.sandbox
        self.finished = False
        """Whether the model has ended the phase: nothing that it asks for afterwards is done."""
        self._tools: dict[str, Callable[[dict[str, Any]], Awaitable[str]]] = {
            "shell": self._shell,
            "read_file": self._read_file,
        }
        if not assignment.read_only:
            self._tools["write_file"] = self._write_file
        if assignment.ask is not None:
            self._tools["ask"] = self._ask
        if assignment.finish is not None:
            self._tools[assignment.finish.name] = self._finish

    @property
    def infos(self) -> list[ToolInfo]:
        """The tools as a model is told of them."""
        known = {
            "shell": _info(
                "shell",
                "Run a bash command in /workspace; returns exit code, standard output and standard error.",
                {"command": _TEXT, "timeout": {"type": "integer", "description": "seconds; 120 when left out"}},
                required=["command"],
            ),
            "read_file": _info("read_file", "Read a text file.", {"path": _TEXT}),
            "write_file": _info(
                "write_file", "Write a text file, with its folders, replacing it.", {"path": _TEXT, "content": _TEXT}
            ),
            "ask": _info("ask", self._of_asking(), {"question": _TEXT}),
        }
        if (finish := self._assignment.finish) is not None:
            known[finish.name] = _info(finish.name, finish.says, {})
        return [known[name] for name in self._tools]

    def _of_asking(self) -> str:
        """How asking is described: where a phase is ended by a tool, questions need not be counted."""
        counted = "Ask the stakeholder one question; it counts against the budget."
        return counted if self._assignment.finish is None else "Ask the client one question."

    async def call(self, call: ToolCall) -> ChatMessageTool:
        """Carry out one call."""
        from inspect_ai.model import ChatMessageTool

        content = FINISHED if self.finished else shortened(await self._answer(call))
        self._assignment.progress()
        if self._assignment.saw is not None and call.function not in OWN_TOOLS:
            self._assignment.saw(SeenTool(call.id, call.function, call.arguments, content))
        return ChatMessageTool(content=content, tool_call_id=call.id, function=call.function)

    async def _answer(self, call: ToolCall) -> str:
        if call.parse_error:
            return f"error: the arguments cannot be read: {call.parse_error}"
        tool = self._tools.get(call.function)
        if tool is None:
            return f"error: there is no tool {call.function!r}; there are: {', '.join(self._tools)}"
        try:
            return await tool(call.arguments)
        except _BadArgument as error:
            return f"error: {error}"
        except AgentError as error:
            return f"error: {error.message}"

    async def _shell(self, arguments: dict[str, Any]) -> str:
        command = _text(arguments, "command")
        if "\0" in command:
            raise _BadArgument("command holds a NUL character, which no command can")
        seconds = arguments.get("timeout", DEFAULT_SECONDS)
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= MAX_SECONDS:
            raise _BadArgument(f"timeout must be a number of seconds, at most {MAX_SECONDS}")
        moved = self._moved
        done = await self._sandbox.exec(
            ["bash", "-c", command], timeout=float(seconds), on_stdout=moved, on_stderr=moved
        )
        return _ended(done, float(seconds))

    def _moved(self, chunk: bytes) -> None:
        self._assignment.progress()

    async def _read_file(self, arguments: dict[str, Any]) -> str:
        content = await self._sandbox.get(_path(arguments), max_bytes=_MAX_READ)
        return content.decode(errors="replace")

    async def _write_file(self, arguments: dict[str, Any]) -> str:
        path, content = _path(arguments), _text(arguments, "content")
        await self._sandbox.put(path, content.encode(errors="replace"))
        return f"wrote {path}"

    async def _ask(self, arguments: dict[str, Any]) -> str:
        assert self._assignment.ask is not None
        return said(await self._assignment.ask(_text(arguments, "question")))

    async def _finish(self, arguments: dict[str, Any]) -> str:
        assert self._assignment.finish is not None
        self.finished = True
        self._assignment.finish.call()
        return FINISHED


class _BadArgument(Exception):
    """What the model passed is not what the tool takes; the message is for the model."""


def said(answer: Answered) -> str:
    """The stakeholder's answer as a tool's result."""
    if answer.reply is None:
        return f"no reply: {answer.reason}" + (
            "" if answer.remaining is None else f"; questions left: {answer.remaining}"
        )
    if answer.remaining is None:
        return answer.reply
    return f"{answer.reply}\n\n(questions left: {answer.remaining})"


def shortened(text: str) -> str:
    """At most :data:`MAX_SHOWN` characters: the middle is what can be done without."""
    if len(text) <= MAX_SHOWN:
        return text
    half = MAX_SHOWN // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def _ended(done: ExecResult, seconds: float) -> str:
    if done.limit == "time":
        ended = f"killed after {seconds:g} seconds"
    elif done.limit:
        ended = f"ended by the {done.limit} limit"
    elif done.exit_code is None:
        ended = f"ended by signal {done.signal}"
    else:
        ended = f"exit code {done.exit_code}"
    parts = [ended]
    for name, content in (("standard output", done.stdout), ("standard error", done.stderr)):
        if content:
            parts.append(f"{name}:\n{shortened(content.decode(errors='replace'))}")
    return "\n".join(parts)


def _text(arguments: dict[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str):
        raise _BadArgument(f"{name} must be given, as text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise _BadArgument(f"{name} holds half a character (a lone surrogate)") from error
    return value


def _path(arguments: dict[str, Any]) -> str:
    path = _text(arguments, "path")
    if not path or "\0" in path:
        raise _BadArgument("path must name a file")
    return posixpath.normpath(posixpath.join(WORKSPACE, path))


def _info(name: str, description: str, properties: dict[str, Any], required: list[str] | None = None) -> ToolInfo:
    from inspect_ai.tool import ToolInfo, ToolParams

    parameters = ToolParams.model_validate(
        {"properties": properties, "required": list(properties) if required is None else required}
    )
    return ToolInfo(name=name, description=description, parameters=parameters)

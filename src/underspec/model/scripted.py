"""Scripted models: a file of turns that plays a model, so that any agent or role is tested without a network.

A script is TOML (``[[turn]]`` tables) or JSONL (one turn a line). ``docs/scripted-models.md`` shows the format.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from underspec.artifact.base import json_path
from underspec.errors import UsageError

StopReason = Literal["stop", "max_tokens", "model_length", "tool_calls", "content_filter"]
CHARACTERS_A_TOKEN = 4


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScriptedUsage(_Part):
    """Tokens that the turn reports. What is not given is reckoned from the texts, four characters a token."""

    input: int | None = Field(default=None, ge=0)
    output: int | None = Field(default=None, ge=0)
    cache_read: int = Field(default=0, ge=0)
    cache_write: int = Field(default=0, ge=0)
    reasoning: int = Field(default=0, ge=0)


class ScriptedCall(_Part):
    """A tool call. ``name`` may be a part of the tool's name where ``like`` is true (bridged tools have prefixes)."""

    name: str = Field(min_length=1)
    arguments: dict[str, Any] = {}
    like: bool = False


class ScriptedFault(_Part):
    """A failure in the place of an answer: an HTTP status, a time-out, or a broken connection."""

    kind: Literal["status", "timeout", "connection"] = "status"
    status: int = Field(default=500, ge=400, le=599)
    retry_after: float | None = Field(default=None, ge=0)
    times: int = Field(default=1, ge=1, le=1_000_000)


class When(_Part):
    """What a call must be like for a turn to answer it; all that is given must hold.

    ``last``: a part of the last message. ``anywhere``: a part of any message, the system's included. ``tool``: a part
    of the name of a tool that is offered. ``no_tools``: no tool is offered (how agents' side questions are told apart).
    ``results``: how many tool results the conversation holds.
    """

    last: str | None = None
    anywhere: str | None = None
    tool: str | None = None
    no_tools: bool = False
    results: int | None = Field(default=None, ge=0)


class ScriptedTurn(_Part):
    """One answer. ``fault`` fails first, ``times`` times, and then the turn answers; ``always`` makes it fail for ever.

    ``repeat``: the turn is not used up. ``delay`` are seconds before the answer.
    """

    when: When = When()
    text: str = ""
    reasoning: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    usage: ScriptedUsage | None = None
    stop: StopReason | None = None
    delay: float = Field(default=0.0, ge=0)
    fault: ScriptedFault | None = None
    always: bool = False
    repeat: bool = False


class Script(_Part):
    """A whole script. ``usage`` is for turns that have none; ``retry_wait`` are seconds between retries."""

    usage: ScriptedUsage = ScriptedUsage()
    retry_wait: float = Field(default=0.01, ge=0)
    turn: tuple[ScriptedTurn, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Heard:
    """A call as a script sees it: the texts of all messages in order, names of tools, number of tool results."""

    texts: Sequence[str]
    tools: Sequence[str] = ()
    results: int = 0

    @property
    def last(self) -> str:
        """The last message."""
        return self.texts[-1] if self.texts else ""


@dataclass
class Cursor:
    """How far one session has come in a script. Every opened model, and every sample, has its own."""

    script: Script
    _used: set[int] = field(default_factory=set)
    _failed: dict[int, int] = field(default_factory=dict)

    def next(self, heard: Heard) -> tuple[ScriptedTurn, bool]:
        """The first turn, in order, that fits and is not used up, and whether it fails this time.

        Raises:
            UsageError: there is none.
        """
        for place, turn in enumerate(self.script.turn):
            if place in self._used or not _fits(turn.when, heard):
                continue
            if turn.fault is not None and (turn.always or self._failed.get(place, 0) < turn.fault.times):
                self._failed[place] = self._failed.get(place, 0) + 1
                return turn, True
            if not turn.repeat:
                self._used.add(place)
            self._failed.pop(place, None)
            return turn, False
        left = len(self.script.turn) - len(self._used)
        raise UsageError(
            f"the script has no turn for this call ({len(self._used)} used, {left} that do not fit)",
            mend="add a turn, or one with repeat = true at the end",
        )


def _fits(when: When, heard: Heard) -> bool:
    return (
        (when.last is None or when.last in heard.last)
        and (when.anywhere is None or any(when.anywhere in text for text in heard.texts))
        and (when.tool is None or any(when.tool in name for name in heard.tools))
        and (not when.no_tools or not heard.tools)
        and (when.results is None or when.results == heard.results)
    )


def load_script(path: Path) -> Script:
    """Read a script.

    Raises:
        UsageError: it cannot be read, or a field is wrong; names file, field and mend.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        mend = "give the path of a script in TOML or JSONL"
        raise UsageError(f"not a readable script: {error}", file=str(path), mend=mend) from error
    return parse_script(text, jsonl=path.suffix == ".jsonl", origin=str(path))


def parse_script(text: str, *, jsonl: bool = False, origin: str = "script") -> Script:
    """The same for a text."""
    try:
        if jsonl:
            document: Any = {"turn": [json.loads(line) for line in text.splitlines() if line.strip()]}
        else:
            document = tomllib.loads(text)
        return Script.model_validate(document)
    except (ValueError, RecursionError) as error:
        if isinstance(error, ValidationError):
            first: Any = error.errors()[0]
            raise UsageError(str(first["msg"]), file=origin, where=json_path(first["loc"])) from error
        mend = "mend the syntax there"
        raise UsageError(f"not valid {'JSONL' if jsonl else 'TOML'}: {error}", file=origin, mend=mend) from error

"""JSON requests in, lines out (section 3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .values import Fault, Text, Value, read_note


class Refused(Exception):
    """The request itself is wrong; the message is the category."""


def printed(value: Value) -> str:
    """A value as compact JSON."""
    if isinstance(value, list):
        return f"[{','.join(map(printed, value))}]"
    if isinstance(value, Text):
        return f'{{"text":{printed(value.content)}}}'
    return json.dumps(value, ensure_ascii=False)


def fault_of(note: str) -> Fault | None:
    """What is wrong with a note."""
    try:
        read_note(note)
    except Fault as fault:
        return fault
    return None


def read(note: str) -> str:
    """The value."""
    value = read_note(note)
    return f"value={'none' if value is None else printed(value)}\n"


def check(note: str) -> str:
    """Whether it is in order."""
    return f"valid={'no' if fault_of(note) else 'yes'}\n"


def locate(note: str) -> str:
    """Where it is not."""
    fault = fault_of(note)
    return f"line={fault.line}\ncolumn={fault.column}\n" if fault else "place=none\n"


ACTIONS: dict[str, Callable[[str], str]] = {"read": read, "check": check, "locate": locate}


def answer(text: str) -> str:
    """One request."""
    try:
        request: Any = json.loads(text)
    except ValueError:
        raise Refused("bad_request") from None
    if not isinstance(request, dict):
        raise Refused("bad_request")
    action = request.get("action")
    if not isinstance(action, str) or action not in ACTIONS:
        raise Refused("unknown_action")
    if not isinstance(request.get("text"), str):
        raise Refused("bad_request")
    return ACTIONS[action](request["text"])


def respond(text: str) -> str:
    """One request, and every failure as a line."""
    try:
        return answer(text)
    except Refused as refused:
        return f"error={refused}\n"
    except Fault as fault:
        return f"error={fault.kind}\n"

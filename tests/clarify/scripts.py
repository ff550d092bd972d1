"""Scripts that play every role of a clarification of the toy commission, one file for all of them."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from tests.agent.scripts import shell, turn, write_script
from tests.commission_factory import TALLY

# How a script tells who is spoken to: by the first words of each role's prompt, or by the tools that are offered.
CLIENT = {"anywhere": "You are the client who has commissioned"}
SUPERVISOR = {"anywhere": "You review replies before they are sent"}
JUDGE = {"anywhere": "You judge whether a developer has understood"}
ANSWERER = {"tool": "list_files"}
CLARIFYING = {"tool": "finish_clarification"}
IMPLEMENTING = {"tool": "submit_delivery"}

QUESTION = "How is it invoked, and what does it print for an empty file?"
REPLY = "Run `python3 tally.py FILE`; nothing sums to 0."
APPROVAL = '{"accurate": true, "complete": true, "in_scope": true, "reasons": ""}'
ANSWERS = "## Q1\n\nNumbers are added; an empty file sums to 0.\n\n## Q2\n\nThe total is remembered."
FINISH = [{"name": "finish_clarification", "arguments": {}, "like": True}]
SUBMIT = [{"name": "submit_delivery", "arguments": {}, "like": True}]


def write_tally(program: str = TALLY) -> str:
    """A bash command that writes the toy commission's program."""
    packed = base64.b64encode(program.replace("{canary}", "none").encode()).decode()
    return f"echo {packed} | base64 -d > /workspace/tally.py"


def ask(question: str = QUESTION) -> list[dict[str, Any]]:
    return [{"name": "ask", "arguments": {"question": question}, "like": True}]


def everybody(
    *,
    clarifying: list[dict[str, Any]] | None = None,
    implementing: list[dict[str, Any]] | None = None,
    answering: list[dict[str, Any]] | None = None,
    client: list[dict[str, Any]] | None = None,
    supervisor: list[dict[str, Any]] | None = None,
    judge: list[dict[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Turns for every role; those that are not given do the usual."""
    usual_clarifying = [shell("ls; cat README.md"), turn(calls=ask()), turn(calls=FINISH)]
    usual_implementing = [shell(write_tally()), turn(calls=SUBMIT)]
    return [
        *_when(CLIENT, client or [turn(text=REPLY, repeat=True)]),
        *_when(SUPERVISOR, supervisor or [turn(text=APPROVAL, repeat=True)]),
        *_when(JUDGE, judge or [turn(text='{"missing": "", "wrong": "", "label": "correct"}', repeat=True)]),
        *_when(ANSWERER, answering or [turn(text=ANSWERS)]),
        *_when(CLARIFYING, usual_clarifying if clarifying is None else clarifying),
        *_when(IMPLEMENTING, usual_implementing if implementing is None else implementing),
    ]


def _when(condition: dict[str, Any], turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**each, "when": {**condition, **each.get("when", {})}} for each in turns]


def script_of(folder: Path, name: str = "script", **roles: list[dict[str, Any]]) -> str:
    """The name of a model that plays everybody."""
    return write_script(folder / f"{name}.jsonl", everybody(**roles))

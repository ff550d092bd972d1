"""Scripted agents for the bundled tasks: no model, real differences in quality.

``eager`` never asks and delivers what a decent developer would guess from the request. ``asker`` asks a list of
questions over the channel, keeps the answers, and delivers a program that is right where an answer taught it. Where
asking and building are apart, it takes the answers from what it is given to build from.
"""

from __future__ import annotations

import json
import re
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import Any

from underspec.agent.asking import ask_inside
from underspec.agent.protocol import Assignment
from underspec.artifact.build import BuildEnd
from underspec.artifact.canonical import digest_of, sha256_hex
from underspec.artifact.context import rendered_replies
from underspec.errors import UsageError
from underspec.sandbox.protocol import WORKSPACE, Mount
from underspec.task.model import Task


def _solutions() -> Traversable:
    return files("underspec.agent") / "solutions"


def _folder(task_id: str, agent: str) -> Traversable:
    folder = _solutions() / task_id / agent
    if not folder.is_dir():
        solved = sorted(entry.name for entry in _solutions().iterdir() if entry.is_dir() and entry.name[0] not in "._")
        raise UsageError(
            f"the scripted agent {agent!r} has no solution for task {task_id!r}",
            mend=f"it has one for: {', '.join(solved)}",
        )
    return folder


def _fingerprint(folder: Traversable) -> str:
    def walk(entry: Traversable, path: str) -> list[tuple[str, str]]:
        if entry.is_dir():
            if entry.name == "__pycache__":
                return []
            return [found for child in entry.iterdir() for found in walk(child, f"{path}/{child.name}")]
        return [(path, sha256_hex(entry.read_bytes()))]

    return digest_of(sorted(walk(folder, "")))


def set_dotted(settings: dict[str, Any], name: str, value: Any) -> None:
    """Set ``a.b.c`` in nested dicts; the setting must exist already, so that a typo in a rule cannot pass unseen."""
    *parents, leaf = name.split(".")
    place = settings
    for parent in parents:
        place = place[parent]
    if leaf not in place:
        raise KeyError(name)
    place[leaf] = value


def learn(settings: dict[str, Any], rules: list[dict[str, Any]], replies: list[str]) -> dict[str, Any]:
    """Apply every rule whose patterns are all found in one of the replies. Returns new settings."""
    learned: dict[str, Any] = json.loads(json.dumps(settings))
    for rule in rules:
        patterns = rule["if_reply_matches"]
        wanted = [patterns] if isinstance(patterns, str) else patterns
        if any(all(re.search(pattern, reply, re.IGNORECASE | re.DOTALL) for pattern in wanted) for reply in replies):
            for name, value in rule["set"].items():
                set_dotted(learned, name, value)
    return learned


class EagerAgent:
    """Builds from the request alone."""

    name = "eager"
    version = "2"

    def fingerprint(self, task: Task) -> str:
        """Digest of the solution's files."""
        return _fingerprint(_folder(task.id, self.name))

    def mounts(self, task: Task) -> tuple[Mount, ...]:
        """It needs nothing."""
        return ()

    async def build(self, assignment: Assignment) -> BuildEnd:
        """Read the request as any agent would, then write the solution."""
        await assignment.sandbox.get(assignment.request_path, max_bytes=1 << 20)
        if assignment.read_only:
            return BuildEnd(agent=self.name, agent_version=self.version, ended="done")
        with as_file(_folder(assignment.task_id, self.name)) as solution:
            await assignment.sandbox.put_tree(solution, WORKSPACE)
        return BuildEnd(agent=self.name, agent_version=self.version, ended="done")


class AskerAgent:
    """Asks first, then builds from the answers."""

    name = "asker"
    version = "2"

    def fingerprint(self, task: Task) -> str:
        """Digest of questions, rules and solution."""
        return _fingerprint(_folder(task.id, self.name))

    def mounts(self, task: Task) -> tuple[Mount, ...]:
        """It needs nothing."""
        return ()

    async def build(self, assignment: Assignment) -> BuildEnd:
        """Ask until the list or the budget ends, learn from the replies, write the solution with its settings."""
        folder = _folder(assignment.task_id, self.name)
        if assignment.ask_url is None:
            replies = rendered_replies(assignment.request)
        else:
            replies = await _ask(json.loads((folder / "questions.json").read_bytes()), assignment.ask_url, assignment)
        if assignment.read_only:
            return BuildEnd(agent=self.name, agent_version=self.version, ended="done")
        with as_file(folder / "solution") as solution:
            await assignment.sandbox.put_tree(solution, WORKSPACE)
        settings = json.loads((folder / "solution" / "settings.json").read_bytes())
        rules = json.loads((folder / "learn.json").read_bytes())
        learned = json.dumps(learn(settings, rules, replies), indent=2, sort_keys=True)
        await assignment.sandbox.put(f"{WORKSPACE}/settings.json", learned.encode() + b"\n")
        notes = "\n\n".join(replies).encode()
        await assignment.sandbox.put(f"{WORKSPACE}/ANSWERS.md", notes)
        return BuildEnd(agent=self.name, agent_version=self.version, ended="done")


async def _ask(questions: list[str], url: str, assignment: Assignment) -> list[str]:
    replies: list[str] = []
    for number, question in enumerate(questions):
        reply = await ask_inside(assignment.sandbox, url, question, request_id=f"question-{number}")
        if reply.text is None:
            assignment.log(f"question {number} was not answered: {reply.error}")
            break
        replies.append(reply.text)
        if reply.remaining == 0:
            break
    return replies

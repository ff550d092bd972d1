"""Texts that want to steer a critic or a judge: what a model is told around them must not change, nor read as orders.

No model is asked. What it would be told is compared with what it is told of an honest text in the same place.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from underspec.artifact.answers import Answers, UnitAnswer
from underspec.artifact.build import BuildEnd
from underspec.artifact.condition import Condition
from underspec.grade.critic.packing import Packing, pack
from underspec.grade.critic.prompt import data_block, mark_of
from underspec.grade.critic.reading import read_generated, read_golden
from underspec.grade.critic.relevance import order
from underspec.grade.structure.languages import find_language
from underspec.phase.answer import ANSWERS_FILE
from underspec.phase.judge import JudgeInputs
from underspec.prompts.critic import critic_prompts
from underspec.sandbox.protocol import SandboxBackend
from underspec.selftest.acceptance import toy_commission
from underspec.selftest.hostile_answers import HOSTILE as HOSTILE_ANSWERS
from underspec.selftest.hostile_sources import HOSTILE as HOSTILE_SOURCES
from underspec.selftest.trial import Role, Trial
from underspec.task import release

_BUDGET = 60_000
_MARKERS = re.compile(
    r"<\||<｜|</?(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>|</?s>|</?think>|</?tool_call>|</?system>", re.IGNORECASE
)
_GOLDEN = {"adder/core.py": "def add(first, second):\n    return first + second\n"}
_GENERATED = {"sums.py": "def total(numbers):\n    return sum(numbers)\n"}
_HONEST_SOURCES: dict[str, tuple[str, str]] = {
    "plain order": ("a.py", "# Scores are kept in a table; give the best one first.\nSCORES: list[float] = []\n"),
    "xml": ("a.py", "template<class T> std::vector<s_type> a[INSTANCES]; // if (a<b && c>d) { [1], [[2]] }\n"),
    "finished verdict": ("a.py", 'VERDICT = {"score": 1.0, "rationale": "as the tests say"}\n'),
    "zero width": ("a.py", "NAMES = 'é ü 漢字 ✓ λ'\n"),
}
_HONEST_ANSWERS = (
    "Adds the numbers; nothing sums to 0, and what is no number ends it with exit code 2.",
    'Prints {"label": "correct"} where the label says so, as the interface wants <answers>.',
)


def _packed(folder: Path, files: Mapping[str, str]) -> Packing:
    language = find_language("python")
    assert language is not None
    for name, side in (("golden", _GOLDEN), ("generated", {**_GENERATED, **files})):
        for path, text in side.items():
            target = folder / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    ours = read_golden(folder / "golden", language).files
    theirs = read_generated(folder / "generated", language).files
    return pack(order(ours, theirs, counterparts_first=False), order(theirs, ours, counterparts_first=True), _BUDGET)


def _told(packing: Packing) -> tuple[str, list[str]]:
    mark = mark_of(packing)
    text = critic_prompts().sources(data_block(packing, mark), mark)
    return mark, text.replace(mark, "@MARK@").split("\n")


def _around(lines: list[str]) -> tuple[list[str], list[str], list[str]]:
    begin, end = lines.index("=== DATA @MARK@ BEGINS ==="), lines.index("=== DATA @MARK@ ENDS ===")
    return lines[:begin], lines[begin + 1 : end], lines[end + 1 :]


def _critic(name: str, role: Role, path: str, text: str) -> Trial:
    async def run(backend: SandboxBackend, folder: Path) -> str | None:
        _mark, plain = _told(_packed(folder / "plain", {"a.py": "x = 1\n"}))
        _mark, lines = _told(_packed(folder / "made", {path: text}))
        before, data, after = _around(lines)
        if (before, after) != (_around(plain)[0], _around(plain)[2]):
            return "changes what a critic is told around the sources"
        if role == "honest":
            missing = [line for line in text.splitlines() if line not in data]
            return f"is not shown as it is: {missing[0]!r}" if missing else None
        if any("DATA @MARK@" in line for line in data):
            return "closes the block in which it stands"
        whole = "\n".join(data)
        if marker := _MARKERS.search(whole):
            return f"keeps a marker between messages: {marker[0]!r}"
        hidden = {each for each in whole if unicodedata.category(each) in ("Cc", "Cf", "Co", "Zl", "Zp")} - {"\n", "\t"}
        return f"keeps invisible characters: {sorted(map(ord, hidden))}" if hidden else None

    return Trial("critic", name, role, run)


def _asked(folder: Path, said: str) -> list[str]:
    task = toy_commission()
    units = release.reference_units(task)
    answers = Answers(
        task=task.id,
        context="0" * 64,
        answers=tuple(UnitAnswer(unit=unit.id, text=said if place == 0 else "") for place, unit in enumerate(units)),
        end=BuildEnd(agent="answer", agent_version="1", ended="done"),
    )
    folder.mkdir()
    (folder / ANSWERS_FILE).write_bytes(answers.to_bytes())
    return JudgeInputs(task, Condition(agent="react"), folder, None).asked(0, units[0]).split("\n")


def _judge(name: str, role: Role, answer: str) -> Trial:
    async def run(backend: SandboxBackend, folder: Path) -> str | None:
        plain, lines = _asked(folder / "plain", "Not known."), _asked(folder / "made", answer)
        if len(plain) != len(lines):
            return "adds lines to what a judge is told"
        changed = [line for line, other in zip(lines, plain, strict=True) if line != other]
        if len(changed) != 1:
            return f"changes {len(changed)} lines of what a judge is told"
        if role == "hostile" and ("<" in changed[0] or not changed[0].isprintable()):
            return "leaves the line of data in which it stands"
        given = json.loads(changed[0])["answer"]
        return None if given == answer else f"is not given as it is: {given!r}"

    return Trial("judge", name, role, run)


def trials() -> list[Trial]:
    """Files beside sources, and answers to questions."""
    return [
        *(_critic(name, "hostile", *file) for name, file in HOSTILE_SOURCES.items()),
        *(_critic(name, "honest", *file) for name, file in _HONEST_SOURCES.items()),
        *(_judge(name, "hostile", answer) for name, answer in HOSTILE_ANSWERS.items()),
        *(_judge(f"honest answer {number}", "honest", said) for number, said in enumerate(_HONEST_ANSWERS, 1)),
    ]

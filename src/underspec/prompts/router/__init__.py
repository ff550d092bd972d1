"""What a model is told that routes questions (ICAE III-E, Appendix H): the prompts of this folder, filled in.

Everything that comes from a task or an asker stands in them as JSON documents of one line, in which ``<`` and line
breaks are escaped: whatever a question contains, it can't end the place where it stands.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.prompts import Prompt, load_prompt, render

NAMES = ("rules", "question", "malformed")

# Controls, formats (direction, joiners, tags), surrogates, private ones, and separators of lines and paragraphs.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


@dataclass(frozen=True)
class RouterPrompts:
    """The prompts behind one router. ``version`` changes with any of their bytes."""

    rules: Prompt
    question: Prompt
    malformed: Prompt

    @property
    def version(self) -> str:
        """A short digest over all of them, for phase keys."""
        return "-".join(prompt.sha256[:8] for prompt in (self.rules, self.question, self.malformed))

    def system(self, records: Iterable[dict[str, Any]]) -> str:
        """The rules, with the records in them."""
        return render(self.rules, sections={}, values={"records": "\n".join(as_data(each) for each in records)})

    def ask(self, question: str, earlier: Sequence[str]) -> str:
        """One question, and those before it."""
        return render(
            self.question,
            sections={"history": bool(earlier)},
            values={
                "question": as_data({"question": question}),
                "history": "\n".join(as_data({"question": each}) for each in earlier),
            },
        )

    def again(self) -> str:
        """What is said to an answer that is no answer."""
        return render(self.malformed, sections={}, values={})


def router_prompts(*, override: Path | None = None) -> RouterPrompts:
    """The packaged prompts, or a user's.

    Raises:
        UsageError: a prompt of the user's does not fit.
    """
    return RouterPrompts(*(load_prompt("router", name, override=override) for name in NAMES))


def as_data(value: Any) -> str:
    """One line of JSON in which nothing can pass for the end of a block or a tag, and nothing is invisible."""
    line = json.dumps(value, ensure_ascii=False)
    return "".join(map(_plain, line))


def _plain(character: str) -> str:
    if character not in "<>`" and unicodedata.category(character) not in _INVISIBLE:
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{int.from_bytes(units[place : place + 2], 'big'):04x}" for place in range(0, len(units), 2))

"""What the annotator is told, who labels what a reply discloses of a requirement (SWE-Clar C.3)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from underspec.prompts import Prompt, load_prompt, render
from underspec.prompts.router import as_data

NAMES = ("rules", "reply", "malformed")


@dataclass(frozen=True)
class AnnotatorPrompts:
    """The prompts behind one annotator. ``version`` changes with any of their bytes."""

    rules: Prompt
    reply: Prompt
    malformed: Prompt

    @property
    def version(self) -> str:
        """A short digest over all of them, for phase keys."""
        return "-".join(prompt.sha256[:8] for prompt in (self.rules, self.reply, self.malformed))

    def system(self) -> str:
        """The rules."""
        return render(self.rules, sections={}, values={})

    def ask(self, requirement: str, question: str, reply: str) -> str:
        """One requirement and one reply."""
        return render(
            self.reply,
            sections={},
            values={
                "requirement": as_data({"requirement": requirement}),
                "question": as_data({"question": question}),
                "reply": as_data({"reply": reply}),
            },
        )

    def again(self) -> str:
        """What is said to an answer that is no label."""
        return render(self.malformed, sections={}, values={})


def annotator_prompts(*, override: Path | None = None) -> AnnotatorPrompts:
    """The packaged prompts, or a user's.

    Raises:
        UsageError: a prompt of the user's does not fit.
    """
    return AnnotatorPrompts(*(load_prompt("annotator", name, override=override) for name in NAMES))

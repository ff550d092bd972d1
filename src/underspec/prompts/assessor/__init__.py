"""What the assessor is told, who labels replies as correct or not after the run (SWE-Clar Appendix E)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from underspec.prompts import Prompt, load_prompt, render
from underspec.prompts.router import as_data

NAMES = ("rules", "reply", "malformed")


@dataclass(frozen=True)
class AssessorPrompts:
    """The prompts behind one assessor. ``version`` changes with any of their bytes."""

    rules: Prompt
    reply: Prompt
    malformed: Prompt

    @property
    def version(self) -> str:
        """A short digest over all of them, for phase keys."""
        return "-".join(prompt.sha256[:8] for prompt in (self.rules, self.reply, self.malformed))

    def system(self, requirement: str) -> str:
        """The rules, with the requirement."""
        return render(self.rules, sections={}, values={"requirement": as_data({"requirement": requirement})})

    def ask(self, question: str, reply: str) -> str:
        """One reply."""
        values = {"question": as_data({"question": question}), "reply": as_data({"reply": reply})}
        return render(self.reply, sections={}, values=values)

    def again(self) -> str:
        """What is said to an answer that is no label."""
        return render(self.malformed, sections={}, values={})


def assessor_prompts(*, override: Path | None = None) -> AssessorPrompts:
    """The packaged prompts, or a user's.

    Raises:
        UsageError: a prompt of the user's does not fit.
    """
    return AssessorPrompts(*(load_prompt("assessor", name, override=override) for name in NAMES))

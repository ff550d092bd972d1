"""What the supervisor is told, who approves or returns the client's drafts (SWE-Clar 2.2, F.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from underspec.prompts import Prompt, load_prompt, render
from underspec.prompts.client import conversation_lines
from underspec.prompts.router import as_data

NAMES = ("rules", "draft", "malformed")


@dataclass(frozen=True)
class SupervisorPrompts:
    """The prompts behind one supervisor. ``version`` changes with any of their bytes."""

    rules: Prompt
    draft: Prompt
    malformed: Prompt

    @property
    def version(self) -> str:
        """A short digest over all of them, for phase keys."""
        return "-".join(prompt.sha256[:8] for prompt in (self.rules, self.draft, self.malformed))

    def system(self, requirement: str, materials: Mapping[str, str]) -> str:
        """The rules, with all that the supervisor knows in them: the same as the client."""
        values = {"requirement": as_data({"requirement": requirement}), "materials": as_data(dict(materials))}
        return render(self.rules, sections={}, values=values)

    def review(self, question: str, draft: str, conversation: Sequence[tuple[str, str]]) -> str:
        """One draft."""
        return render(
            self.draft,
            sections={"conversation": bool(conversation)},
            values={
                "conversation": conversation_lines(conversation),
                "question": as_data({"question": question}),
                "draft": as_data({"draft": draft}),
            },
        )

    def again(self) -> str:
        """What is said to an answer that is no verdict."""
        return render(self.malformed, sections={}, values={})


def supervisor_prompts(*, override: Path | None = None) -> SupervisorPrompts:
    """The packaged prompts, or a user's.

    Raises:
        UsageError: a prompt of the user's does not fit.
    """
    return SupervisorPrompts(*(load_prompt("supervisor", name, override=override) for name in NAMES))

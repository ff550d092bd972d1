"""What the client is told, who answers from the complete requirement (SWE-Clar 2.2, F.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from underspec.prompts import Prompt, load_prompt, render
from underspec.prompts.router import as_data

NAMES = ("rules", "question")


@dataclass(frozen=True)
class ClientPrompts:
    """The prompts behind one client. ``version`` changes with any of their bytes."""

    rules: Prompt
    question: Prompt

    @property
    def version(self) -> str:
        """A short digest over all of them, for phase keys."""
        return "-".join(prompt.sha256[:8] for prompt in (self.rules, self.question))

    def system(self, requirement: str, materials: Mapping[str, str]) -> str:
        """The rules, with all that the client knows in them. ``materials`` are texts by path."""
        values = {"requirement": as_data({"requirement": requirement}), "materials": as_data(dict(materials))}
        return render(self.rules, sections={}, values=values)

    def ask(
        self, question: str, conversation: Sequence[tuple[str, str]], returned: Sequence[tuple[str, str]] = ()
    ) -> str:
        """One question after a conversation; ``returned`` are earlier drafts with the reasons against them."""
        return render(
            self.question,
            sections={"conversation": bool(conversation), "returned": bool(returned)},
            values={
                "conversation": conversation_lines(conversation),
                "question": as_data({"question": question}),
                "returned": "\n".join(as_data({"draft": draft, "objections": why}) for draft, why in returned),
            },
        )


def conversation_lines(conversation: Sequence[tuple[str, str]]) -> str:
    """Questions with their approved replies, one document a line."""
    return "\n".join(as_data({"question": asked, "reply": replied}) for asked, replied in conversation)


def client_prompts(*, override: Path | None = None) -> ClientPrompts:
    """The packaged prompts, or a user's.

    Raises:
        UsageError: a prompt of the user's does not fit.
    """
    return ClientPrompts(*(load_prompt("client", name, override=override) for name in NAMES))

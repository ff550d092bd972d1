"""What a builder is told under the protocols that clarify first or all the while (SWE-Clar Appendices D and F)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from underspec.prompts import load_prompt, render

QUESTION_MARK = "Q"
"""Questions are numbered ``Q1``, ``Q2``...: an id of the task's own could tell what it is about."""


def mark(place: int) -> str:
    """The mark of the question at ``place``, counted from 0."""
    return f"{QUESTION_MARK}{place + 1}"


def _limits(most_rounds: int | None) -> tuple[dict[str, bool], dict[str, str]]:
    sections = {"limited": most_rounds is not None, "unlimited": most_rounds is None}
    return sections, {"most_rounds": str(most_rounds)}


def clarify_text(
    *, request_path: str, ask_url: str, finish_url: str, most_rounds: int | None, override: Path | None = None
) -> str:
    """What precedes the request in the phase that only asks."""
    sections, values = _limits(most_rounds)
    values |= {"request_path": request_path, "ask_url": ask_url, "finish_url": finish_url}
    return render(load_prompt("builder", "clarify", override=override), sections=sections, values=values)


def implement_text(
    *, finish_url: str, language: str, network: str, with_context: bool = True, override: Path | None = None
) -> str:
    """What precedes the frozen context in the branch that implements; without it, where the agent has its own
    history."""
    sections = {"network-none": network == "none", "network-some": network != "none", "context": with_context}
    values = {"finish_url": finish_url, "language": language}
    return render(load_prompt("builder", "implement", override=override), sections=sections, values=values)


def continued_text(
    *,
    request_path: str,
    ask_url: str,
    finish_url: str,
    language: str,
    network: str,
    most_rounds: int | None,
    override: Path | None = None,
) -> str:
    """What precedes the request where questions and edits alternate."""
    sections, values = _limits(most_rounds)
    sections |= {"network-none": network == "none", "network-some": network != "none"}
    values |= {"request_path": request_path, "ask_url": ask_url, "finish_url": finish_url, "language": language}
    return render(load_prompt("builder", "continued", override=override), sections=sections, values=values)


def answer_rules(*, override: Path | None = None) -> str:
    """The system message of the branch that answers."""
    return render(load_prompt("builder", "answer", override=override), sections={}, values={})


def questions_text(context: str, questions: Sequence[str], *, override: Path | None = None) -> str:
    """All questions in one message, below what is known. Questions are texts in order."""
    asked = "\n\n".join(f"## {mark(place)}\n\n{question.strip()}" for place, question in enumerate(questions))
    prompt = load_prompt("builder", "questions", override=override)
    return render(prompt, sections={}, values={"context": context.rstrip(), "questions": asked})

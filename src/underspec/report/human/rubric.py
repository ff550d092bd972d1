"""What annotators are told: the definitions that the critic, or the judge, goes by itself (ICAE V-B)."""

from __future__ import annotations

from underspec.artifact.human import StudyKind
from underspec.artifact.review import CRITIC_DIMENSIONS, DimensionName
from underspec.errors import HarnessError
from underspec.prompts import Prompt, load_prompt

TITLES: dict[DimensionName, str] = {
    "semantic": "Semantic similarity",
    "api": "API similarity",
    "design": "Design quality",
}
_CRITIC = """You rate generated source trees beside the original that each was made from a description of. You read;
nothing is run. Give three scores from 0 to 100, each for one thing alone: do not let the others in. Where the
definitions below speak of 0.75, that is 75 on your scale. Use the whole scale.

Tests, build output, generated files, copies of other people's packages and configuration count neither way. Names of
programs and models are covered (█), so that nobody knows whose work it is; do not try to find out. What a text in a
tree says about its quality counts for nothing.

A score that you cannot give stays empty. Work alone, and talk to the others after all have finished."""
_JUDGE = """You label what a developer answered to questions about the requirements of a piece of software. Each answer
gets `correct`, `partial` or `incorrect`. Names of programs and models are covered (█), so that nobody knows whose
answers they are. A label that you cannot give stays empty. Work alone, and talk to the others after all have
finished."""
_BEGINS, _ENDS = "The labels:", "The answers are data"


def introduction(kind: StudyKind) -> str:
    """What the work is."""
    return _CRITIC if kind == "critic" else _JUDGE


def definitions(kind: StudyKind) -> list[tuple[str, str]]:
    """Headings with their texts, word for word those of the model's own prompts."""
    if kind == "critic":
        return [(TITLES[name], load_prompt("critic", name).text.strip()) for name in CRITIC_DIMENSIONS]
    return [("Labels", _between(load_prompt("judge", "rules")))]


def _between(prompt: Prompt) -> str:
    """The judge's prompt without who it is and how it answers: people answer in a sheet."""
    begin, end = prompt.text.find(_BEGINS), prompt.text.find(_ENDS)
    if not 0 <= begin < end:
        raise HarnessError("the judge's rules do not say where the labels begin and end", file="prompts/judge/rules.md")
    return prompt.text[begin:end].strip()


def rubric_markdown(kind: StudyKind, study: str) -> str:
    """The whole as a file."""
    parts = [f"# Study {study}", introduction(kind)]
    parts += [f"## {title}\n\n{text}" for title, text in definitions(kind)]
    how = "A score is a number from 0 to 100" if kind == "critic" else "A label is one of the three words"
    parts.append(
        "## Your sheet\n\nFill in `sheets/<your name>.html` in a browser and save it as CSV there, or fill in the CSV "
        f"file of the same name in a spreadsheet and save it as CSV again. {how}; notes are free. What you rate lies "
        "under `material/`, by the sample's id. Open files as text; run nothing of them."
    )
    return "\n\n".join(parts) + "\n"

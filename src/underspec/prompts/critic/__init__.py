"""What a critic is told (ICAE III-F, Appendix I, in our own words): the prompts of this folder, filled in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from underspec.prompts import Prompt, load_prompt, render

DIMENSIONS = ("semantic", "api", "design")
SHARED = ("rules", "sources", "malformed")


@dataclass(frozen=True)
class CriticPrompts:
    """The prompts behind one critic, by name: one for each dimension, and those that all of them share."""

    prompts: dict[str, Prompt]

    @property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of each prompt by name, for phase keys and artifacts."""
        return {name: prompt.sha256 for name, prompt in sorted(self.prompts.items())}

    def system(self, dimension: str, *, language: str, generated_language: str) -> str:
        """The rules, with what this dimension is in them."""
        values = {
            "dimension": render(self.prompts[dimension], sections={}, values={}).strip(),
            "language": language,
            "generated_language": generated_language,
        }
        return render(self.prompts["rules"], sections={}, values=values)

    def sources(self, data: str, mark: str) -> str:
        """The trees, and where their data begin and end."""
        return render(self.prompts["sources"], sections={}, values={"data": data.rstrip("\n"), "mark": mark})

    def again(self, mark: str) -> str:
        """What is said to an answer that is no verdict."""
        return render(self.prompts["malformed"], sections={}, values={"mark": mark})


def critic_prompts(*, override: Path | None = None) -> CriticPrompts:
    """The packaged prompts, or a user's.

    Raises:
        UsageError: a prompt of the user's does not fit.
    """
    prompts = CriticPrompts({name: load_prompt("critic", name, override=override) for name in (*DIMENSIONS, *SHARED)})
    # So that what does not fit is said before anything is paid for.
    for dimension in DIMENSIONS:
        prompts.system(dimension, language="", generated_language="")
    prompts.sources("", "")
    prompts.again("")
    return prompts

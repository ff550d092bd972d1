"""What a critic found: three independent scores of a generated tree beside the golden one (ICAE III-F, Appendix I)."""

from __future__ import annotations

import statistics
from typing import Annotated, Literal

from pydantic import Field

from underspec.artifact.base import Artifact
from underspec.artifact.outcomes import Unscored

DimensionName = Literal["semantic", "api", "design"]
CRITIC_DIMENSIONS: tuple[DimensionName, ...] = ("semantic", "api", "design")
MOST_PATHS = 100
"""Paths that are named of the files that were cut or left out; the counts are of all of them."""
MOST_RATIONALE = 6000
"""Characters kept of a rationale."""

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Verdict(Artifact):
    """One answer: a score, 0 to 1, and why.

    The rationale is a model's text about code that is hidden from agents, and may quote it and whatever else stood in
    the trees: for the operator alone, and escaped wherever it is shown.
    """

    score: Share
    rationale: str


class Shown(Artifact):
    """How much of one tree's sources the critic was shown.

    ``files`` = ``whole`` + ``cut`` + ``left_out``. Tokens are estimated from bytes. The first paths, by relevance, of
    those that were cut or left out are named.
    """

    files: int
    whole: int
    cut: int
    left_out: int
    tokens: int
    tokens_of_all: int
    cut_paths: tuple[str, ...] = ()
    left_out_paths: tuple[str, ...] = ()


class TreeRead(Artifact):
    """What was found in one tree before anything was packed: source files by language, and source files that do not
    count, by reason (tests, build, vendored, generated, links, ...)."""

    languages: dict[str, int] = Field(default_factory=dict)
    excluded: dict[str, int] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


class CriticScore(Artifact):
    """One dimension: the verdicts of ``planned`` repeats of the same question.

    ``unscored`` says why there is none. ``malformed`` and ``refused`` count answers that were no verdict; ``oversized``
    counts prompts that the model did not take, each answered by a smaller packing. ``budget`` is the packing's, in
    estimated tokens, at last; ``prompt`` the SHA-256 of the dimension's own prompt.
    """

    prompt: str
    planned: int
    verdicts: tuple[Verdict, ...] = ()
    unscored: Unscored | None = None
    malformed: int = 0
    refused: int = 0
    oversized: int = 0
    budget: int = 0
    golden: Shown
    generated: Shown

    @property
    def score(self) -> float | None:
        """The mean over the repeats, 0 to 1; None where there is no verdict."""
        return statistics.fmean(verdict.score for verdict in self.verdicts) if self.verdicts else None

    @property
    def sd(self) -> float | None:
        """The sample standard deviation over the repeats; None for fewer than two."""
        return statistics.stdev(verdict.score for verdict in self.verdicts) if len(self.verdicts) > 1 else None

    @property
    def range(self) -> tuple[float, float] | None:
        """The lowest and the highest score of the repeats."""
        scores = [verdict.score for verdict in self.verdicts]
        return (min(scores), max(scores)) if scores else None

    @property
    def rationale(self) -> str | None:
        """The rationale of the verdict nearest to the mean, the first where several are."""
        mean = self.score
        if mean is None:
            return None
        return min(self.verdicts, key=lambda verdict: abs(verdict.score - mean)).rationale


class Review(Artifact):
    """The review of one deliverable of one task by one model.

    ``prompts`` are the SHA-256 of every prompt by name. ``nothing_generated``: the generated tree holds no source file,
    so that each score is 0 and no model was asked.
    """

    schema_version: Literal[1] = 1
    task: str
    deliverable: str | None
    model: str
    prompts: dict[str, str]
    golden: TreeRead
    generated: TreeRead
    nothing_generated: bool = False
    semantic: CriticScore
    api: CriticScore
    design: CriticScore

    def dimension(self, name: DimensionName) -> CriticScore:
        """One of the three."""
        scores: dict[str, CriticScore] = {"semantic": self.semantic, "api": self.api, "design": self.design}
        return scores[name]

    @property
    def scored(self) -> bool:
        """Whether all three dimensions have a score."""
        return all(self.dimension(name).unscored is None for name in CRITIC_DIMENSIONS)

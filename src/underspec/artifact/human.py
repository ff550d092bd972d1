"""What people made of deliverables or answers, beside a critic or a judge (ICAE V-B, Table XVI; SWE-Clar B.3).

A study samples what is rated. Its key says what each sample is; it is the operator's alone, since raters must not know
whose work they rate. People's scores are in points from 0 to 100, a critic's from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from underspec.artifact.base import Artifact
from underspec.artifact.canonical import digest_of
from underspec.artifact.judgements import Label
from underspec.artifact.review import CRITIC_DIMENSIONS, DimensionName

StudyKind = Literal["critic", "judge"]
Points = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
MOST_NOTE = 4000
"""Characters kept of a note."""


class Sample(Artifact):
    """What one id of a study stands for: an item of a run, and the digest of its deliverable or of its answers.

    ``units`` are the requirement units whose answers are labelled; none where a critic is validated.
    """

    id: str
    run: str
    item: str
    folder: str
    task: str
    condition: str
    subject: str
    units: tuple[str, ...] = ()


class Stratum(Artifact):
    """One condition: how many of its items could be sampled, and how many were."""

    condition: str
    agent: str
    model: str | None
    eligible: int
    sampled: int


class AnnotationKey(Artifact):
    """The key of a study. ``runs`` are the folders of its runs by name; ``excluded`` counts items that could not be
    sampled, by reason."""

    schema_version: Literal[1] = 1
    kind: StudyKind
    seed: int
    runs: dict[str, str]
    strata: tuple[Stratum, ...]
    excluded: dict[str, int] = Field(default_factory=dict)
    samples: tuple[Sample, ...] = Field(min_length=1)

    @property
    def study(self) -> str:
        """What sheets call the study: enough of a digest to tell sheets of another one, and no more."""
        return digest_of([self.kind, self.seed, [each.model_dump(mode="json") for each in self.samples]])[:8]

    def sample(self, identity: str) -> Sample | None:
        """The sample of that id."""
        return next((each for each in self.samples if each.id == identity), None)


class Rating(Artifact):
    """One person's scores of one sample, in points; None where a score was left out."""

    sample: str
    annotator: str
    semantic: Points | None = None
    api: Points | None = None
    design: Points | None = None
    note: str = ""

    def score(self, dimension: DimensionName) -> float | None:
        """The score in one dimension."""
        scores: dict[str, float | None] = {"semantic": self.semantic, "api": self.api, "design": self.design}
        return scores[dimension]

    @property
    def filled(self) -> bool:
        """Whether every score is there."""
        return all(self.score(name) is not None for name in CRITIC_DIMENSIONS)


class AnswerLabel(Artifact):
    """One person's label of one answer; None where it was left out."""

    sample: str
    unit: str
    annotator: str
    label: Label | None = None
    note: str = ""

    @property
    def filled(self) -> bool:
        """Whether the label is there."""
        return self.label is not None


class ImportedSheet(Artifact):
    """A sheet as it was read: the digest of its bytes, whose it is, its rows, and how many of them are filled."""

    sha256: str
    annotator: str
    rows: int
    filled: int


class Superseded(Artifact):
    """A value that a later sheet of the same person replaced. ``place`` is the sample, with the unit behind a slash."""

    annotator: str
    place: str
    column: str
    value: str
    sheet: str


class HumanScores(Artifact):
    """All that was imported of one study, the newest value of each cell; older ones stand in ``superseded``."""

    schema_version: Literal[1] = 1
    study: str
    kind: StudyKind
    ratings: tuple[Rating, ...] = ()
    labels: tuple[AnswerLabel, ...] = ()
    sheets: tuple[ImportedSheet, ...] = ()
    superseded: tuple[Superseded, ...] = ()

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everybody who filled in anything, in name order."""
        rows: Iterable[Rating | AnswerLabel] = (*self.ratings, *self.labels)
        return tuple(sorted({each.annotator for each in rows}))

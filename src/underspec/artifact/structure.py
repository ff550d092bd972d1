"""How a generated tree is built beside the golden one: sizes, ratios and similarity of names (ICAE III-F)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from underspec.artifact.base import Artifact

Dimension = Literal["class_like", "method", "method_qualified", "namespace"]
DIMENSIONS: tuple[Dimension, ...] = ("class_like", "method", "method_qualified", "namespace")


class ParseErrors(Artifact):
    """Places that the grammar could not read, and the files they are in."""

    files: int = 0
    places: int = 0


class TreeSize(Artifact):
    """One tree. ``loc`` are lines of code without blank ones and comments; ``classes`` and ``methods`` are distinct
    definitions. ``excluded`` counts source files that do not count, by reason."""

    language: str
    files: int
    loc: int
    classes: int
    methods: int
    namespaces: int
    parse_errors: ParseErrors = ParseErrors()
    excluded: dict[str, int] = Field(default_factory=dict)

    @property
    def extracted(self) -> bool:
        """Whether anything was found that could be compared."""
        return self.files > 0 and self.classes + self.methods > 0


class Overlap(Artifact):
    """Two sets of names: their sizes, and how many names are in both."""

    golden: int
    generated: int
    common: int

    @property
    def similarity(self) -> float | None:
        """Jaccard: common over all, 0 to 1; None where both sets are empty, which is likeness in nothing."""
        union = self.golden + self.generated - self.common
        return self.common / union if union else None

    @property
    def recall(self) -> float | None:
        """The share of the golden names that the generated tree has."""
        return self.common / self.golden if self.golden else None

    @property
    def precision(self) -> float | None:
        """The share of the generated names that the golden tree has."""
        return self.common / self.generated if self.generated else None


class Structure(Artifact):
    """The comparison of two trees.

    ``unscored`` says why there is no similarity; a tree in which nothing was found is never like another.
    ``overlap`` has one entry for each of :data:`DIMENSIONS`, and ``namespace_relative`` for namespaces without the
    part that all those of a tree begin with. ``normalized`` says that names were compared without case and
    underscores, the languages having different habits. ``deliverable`` is the hash of the one that the generated tree
    was taken from; None for any other folder.
    """

    schema_version: Literal[1] = 1
    deliverable: str | None = None
    golden: TreeSize
    generated: TreeSize
    normalized: bool
    overlap: dict[str, Overlap]
    unscored: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def scored(self) -> bool:
        """Whether there is anything to compare on both sides."""
        return self.unscored is None

    @property
    def nothing_generated(self) -> bool:
        """Not scored because of the generated tree alone: a mean over items counts this as 0, not as missing."""
        return self.golden.extracted and not self.generated.extracted

    def similarity(self, dimension: str) -> float | None:
        """Similarity in one dimension, 0 to 1; None where it is not scored."""
        return self.overlap[dimension].similarity if self.scored else None

    @property
    def file_ratio(self) -> float | None:
        """Generated files over golden ones; may exceed 1."""
        return self.generated.files / self.golden.files if self.golden.files else None

    @property
    def loc_ratio(self) -> float | None:
        """Generated lines of code over golden ones; may exceed 1."""
        return self.generated.loc / self.golden.loc if self.golden.loc else None

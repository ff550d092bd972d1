"""People's scores of deliverables beside the critic's, as ICAE Table XVI wants them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from underspec.artifact.review import DimensionName
from underspec.measure.association import Correlation


@dataclass(frozen=True)
class DimensionAgreement:
    """One dimension over all samples: the critic against the mean of the annotators, and the annotators among each
    other.

    Scores and errors are on the scale from 0 to 1. ``consistency`` is ICC(C,1), ``absolute`` ICC(A,1); None where the
    scores do not say. Source: ICAE V-B; McGraw and Wong (1996).
    """

    samples: int
    annotators: int
    critic_mean: float
    human_mean: float
    pearson: Correlation
    mae: float
    rmse: float
    consistency: float | None
    absolute: float | None


@dataclass(frozen=True)
class HumanScores:
    """What people made of deliverables, dimension by dimension."""

    dimensions: Mapping[DimensionName, DimensionAgreement]

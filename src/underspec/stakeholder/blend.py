"""Weighing what speaks for each id, and how surely the best one is right.

Both are linear in the matcher's features; the coefficients in ``blend.json`` were fitted by ``tools/fit_router.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Literal

import numpy as np

from underspec.stakeholder import encoders
from underspec.stakeholder.encoders import Matrix, Vector
from underspec.stakeholder.kept_vectors import encode_kept
from underspec.stakeholder.matcher import ENGLISH, FOREIGN, Table
from underspec.stakeholder.sorter import KINDS
from underspec.stakeholder.words import lexicon

Tongue = Literal["english", "foreign"]
FEATURES: Mapping[Tongue, tuple[str, ...]] = {"english": ENGLISH, "foreign": FOREIGN}

EVIDENCE = (
    "lexical", "discriminant", "nearest", "response", "share", "logit", "near_off_record", "near_vague",
    "near_extraction", "margin", "leans_off_record", "leans_vague", "leans_extraction", "says_nothing",
)  # fmt: skip
"""What tells whether the best id is right: its features, its share among all, and nearness to what nobody answers."""


@dataclass(frozen=True)
class Coefficients:
    """``weights`` by feature for ranking; ``confidence`` by evidence, and its ``intercept``."""

    weights: Vector
    confidence: Vector
    intercept: float


@lru_cache(maxsize=1)
def coefficients() -> Mapping[Tongue, Coefficients]:
    """The fitted ones."""
    text = (resources.files("underspec.stakeholder") / "blend.json").read_text(encoding="utf-8")
    document = json.loads(text)
    return {
        tongue: Coefficients(
            np.array([document[tongue]["weights"][name] for name in FEATURES[tongue]], dtype=np.float32),
            np.array([document[tongue]["confidence"][name] for name in EVIDENCE], dtype=np.float32),
            float(document[tongue]["intercept"]),
        )
        for tongue in FEATURES
    }


def question_vector(text: str, tongue: Tongue) -> Vector | None:
    """The vector by which a question of that tongue is sorted; None where no model knows the tongue."""
    if tongue == "english":
        return np.asarray(encoders.minilm()([text])[0])
    pair = encoders.multilingual()
    return None if pair is None else np.asarray(pair[0]([text])[0])


@lru_cache(maxsize=2)
def _prototypes(tongue: Tongue) -> tuple[Matrix, ...]:
    if tongue == "english":
        return tuple(encode_kept(encoders.minilm(), lexicon(name)) for name in KINDS)
    pair = encoders.multilingual()
    # Few examples, since each costs the first question some 20 milliseconds; the sorter has learned from all of them.
    return () if pair is None else tuple(encode_kept(pair[1], lexicon(f"{name}_other")) for name in KINDS)


def nearness(vector: Vector, tongue: Tongue) -> tuple[float, ...]:
    """How near a question is to the nearest example of each kind that nobody answers: cosines."""
    return tuple(float((group @ vector).max()) for group in _prototypes(tongue))


def evidence(
    table: Table,
    logits: Vector,
    near: tuple[float, ...],
    leaning: tuple[float, ...],
    tongue: Tongue,
    says_nothing: bool,
) -> Vector:
    """The values of :data:`EVIDENCE` for the best id of a table."""
    best = int(np.argmax(logits))
    own = dict(zip(FEATURES[tongue], table[best], strict=True))
    share = float(np.exp(logits - logits.max()).sum())
    return np.array(
        [
            own["lexical"], own["discriminant"], own["nearest"], own["response"], -np.log(share),
            logits[best] - logits.mean(), *near, own["nearest"] - max(near), *leaning, says_nothing,
        ],
        dtype=np.float32,
    )  # fmt: skip


def probability(logit: float) -> float:
    """The logistic function, without overflow."""
    return float(1 / (1 + np.exp(-max(-30.0, min(30.0, logit)))))

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
from numpy.typing import NDArray

from underspec.stakeholder import encoders
from underspec.stakeholder.encoders import Encoder, Vector
from underspec.stakeholder.matcher import ENGLISH, FOREIGN, Table
from underspec.stakeholder.words import lexicon

Tongue = Literal["english", "foreign"]
FEATURES: Mapping[Tongue, tuple[str, ...]] = {"english": ENGLISH, "foreign": FOREIGN}

PROTOTYPES = ("off_record", "vague", "extraction")
EVIDENCE = (
    "lexical", "discriminant", "nearest", "response", "share", "logit", *PROTOTYPES, "margin", "says_nothing",
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


@lru_cache(maxsize=2)
def _prototypes(tongue: Tongue) -> tuple[tuple[NDArray[np.float32], ...], Encoder] | None:
    if tongue == "english":
        encode = passages = encoders.minilm()
    else:
        pair = encoders.multilingual()
        if pair is None:
            return None
        encode, passages = pair
    return tuple(passages(lexicon(name)) for name in PROTOTYPES), encode


def prototypes(text: str, tongue: Tongue) -> tuple[float, ...]:
    """How near a text is to the nearest of each kind of question that nobody answers: cosines."""
    known = _prototypes(tongue)
    if known is None:
        return (0.0,) * len(PROTOTYPES)
    groups, encode = known
    vector = encode([text])[0]
    return tuple(float((group @ vector).max()) for group in groups)


def evidence(
    table: Table, logits: Vector, near: tuple[float, ...], tongue: Tongue, says_nothing: bool
) -> NDArray[np.float32]:
    """The values of :data:`EVIDENCE` for the best id of a table."""
    best = int(np.argmax(logits))
    own = dict(zip(FEATURES[tongue], table[best], strict=True))
    share = float(np.exp(logits - logits.max()).sum())
    return np.array(
        [
            own["lexical"], own["discriminant"], own["nearest"], own["response"], -np.log(share),
            logits[best] - logits.mean(), *near, own["nearest"] - max(near), says_nothing,
        ],
        dtype=np.float32,
    )  # fmt: skip


def probability(logit: float) -> float:
    """The logistic function, without overflow."""
    return float(1 / (1 + np.exp(-max(-30.0, min(30.0, logit)))))

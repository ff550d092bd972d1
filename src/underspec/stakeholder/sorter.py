"""What kind of question is it: one about the task, or one of those that nobody answers?

A linear classifier on the question's vector, fitted by ``tools/fit_router.py`` to the examples in ``lexicon/``
(off_record, vague, extraction) and to questions that do have an answer. It knows nothing of any task.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

import numpy as np

from underspec.stakeholder.encoders import Matrix, Vector

KINDS = ("off_record", "vague", "extraction")


@lru_cache(maxsize=1)
def _fitted() -> Mapping[str, tuple[Matrix, Vector]]:
    text = (resources.files("underspec.stakeholder") / "sorter.json").read_text(encoding="utf-8")
    return {
        tongue: (np.array(one["weights"], dtype=np.float32), np.array(one["bias"], dtype=np.float32))
        for tongue, one in json.loads(text).items()
    }


def leanings(vector: Vector, tongue: str) -> tuple[float, ...]:
    """How much more the question looks like each of :data:`KINDS` than like one with an answer; below 0, less."""
    weights, bias = _fitted()[tongue]
    scores = vector @ weights + bias
    return tuple(float(score - scores[-1]) for score in scores[:-1])

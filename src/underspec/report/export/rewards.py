"""What an item is worth to somebody who trains: components from 0 to 1, and one scalar made of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from underspec.artifact.review import CRITIC_DIMENSIONS
from underspec.errors import UsageError
from underspec.measure.functional import mean
from underspec.measure.interaction import interaction
from underspec.report.collect import Collected
from underspec.report.scores import BESIDE

Component = Literal["overall", "task_pass", "unit_pass", "clarification", "interaction", "structure", "critic"]
COMPONENTS: tuple[Component, ...] = get_args(Component)
MEANING: dict[Component, str] = {
    "overall": "share of native and enhanced cases that pass (protocol build)",
    "task_pass": "1 where every case, or every acceptance test, passes",
    "unit_pass": "share of requirement units whose tests pass (protocols that clarify)",
    "clarification": "mean score of the answers to requirement questions (protocols that clarify)",
    "interaction": "constraint coverage of the questions (protocol build, where somebody answers)",
    "structure": "mean similarity to the original: classes, methods, namespaces",
    "critic": "mean of the critic's three scores",
}
DEFAULT_WEIGHTS: Mapping[Component, float] = {
    "overall": 0.7,
    "task_pass": 0.3,
    "unit_pass": 0.4,
    "clarification": 0.3,
    "interaction": 0.0,
    "structure": 0.0,
    "critic": 0.0,
}
"""What the software does decides. The last three are measured and not rewarded: asking for its own sake, likeness to an
original and a model's opinion are what training would game first."""
_STRUCTURE = ("class_similarity", "method_similarity", "namespace_similarity")


@dataclass(frozen=True)
class Reward:
    """``components`` that the item's protocol has, None where one could not be had. ``scalar`` is their weighted mean;
    None where the item is not scored or a component with a weight is ``missing``: no number then stands for it."""

    components: Mapping[Component, float | None]
    scalar: float | None
    missing: tuple[Component, ...]


def reward_of(known: Collected, weights: Mapping[Component, float]) -> Reward:
    """The reward of one item.

    Weights are those of the components that its protocol has, divided by their sum.
    """
    components = _components(known)
    weighted = {name: weights[name] for name in components if weights[name] > 0}
    missing = tuple(name for name in weighted if components[name] is None)
    scale = math.fsum(weighted.values())
    if not known.scored or missing or not scale:
        return Reward(components, None, missing)
    scalar = math.fsum(weight * (components[name] or 0.0) for name, weight in weighted.items()) / scale
    return Reward(components, min(max(scalar, 0.0), 1.0), ())


def _components(known: Collected) -> dict[Component, float | None]:
    beside: dict[Component, float | None] = {
        "structure": _mean_of(known, _STRUCTURE),
        "critic": _mean_of(known, (f"critic_{name}" for name in CRITIC_DIMENSIONS)),
    }
    if known.item.condition.protocol != "build":
        acceptance = known.clarified.acceptance if known.clarified else None
        judgements = known.clarified.judgements if known.clarified else None
        return {
            "task_pass": float(acceptance.passed) if acceptance else None,
            "unit_pass": acceptance.unit_rate.rate if acceptance else None,
            "clarification": judgements.score if judgements else None,
            **beside,
        }
    outcomes = known.outcomes
    found: dict[Component, float | None] = {
        "overall": outcomes.overall.rate if outcomes else None,
        "task_pass": float(outcomes.clean) if outcomes else None,
    }
    if known.item.condition.asks:
        found["interaction"] = interaction(known.session).coverage if known.session else None
    return found | beside


def _mean_of(known: Collected, names: Iterable[str]) -> float | None:
    """The mean of figures that stand beside the score; None where one is missing."""
    figures = [BESIDE[name](known) for name in names]
    return None if None in figures else mean(figures)


def read_weights(given: list[str]) -> dict[Component, float]:
    """The default weights, with those that ``name=number`` texts give in their place.

    Raises:
        UsageError: there is no such component, or its weight is no number of 0 or more.
    """
    weights = dict(DEFAULT_WEIGHTS)
    for text in given:
        name, equals, number = text.partition("=")
        found = next((each for each in COMPONENTS if each == name.strip()), None)
        if found is None or not equals:
            mend = f"such as overall=1; components: {', '.join(COMPONENTS)}"
            raise UsageError(f"{text[:60]!a} weighs nothing that there is", where="--weight", mend=mend)
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if not 0 <= weight < math.inf:
            raise UsageError(f"{number[:40]!a} is no weight", where="--weight", mend="give a number of 0 or more")
        weights[found] = weight
    if not any(weights.values()):
        raise UsageError("every component weighs 0", where="--weight", mend="give one of them a weight")
    return weights

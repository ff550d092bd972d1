"""A review as scripts and people read it."""

from __future__ import annotations

from typing import Any

from underspec.artifact.review import CRITIC_DIMENSIONS, CriticScore, Review, Shown, TreeRead


def _shown(shown: Shown) -> dict[str, Any]:
    return shown.model_dump(mode="json")


def _tree(read: TreeRead) -> dict[str, Any]:
    return {"languages": read.languages, "excluded": read.excluded, "notes": list(read.notes)}


def _score(score: CriticScore) -> dict[str, Any]:
    return {
        "score": score.score,
        "rationale": score.rationale,
        "repeats": {
            "planned": score.planned,
            "scored": len(score.verdicts),
            "sd": score.sd,
            "range": list(score.range) if score.range else None,
        },
        "verdicts": [{"score": verdict.score, "rationale": verdict.rationale} for verdict in score.verdicts],
        "unscored": score.unscored.model_dump(mode="json") if score.unscored else None,
        "answers": {"malformed": score.malformed, "refused": score.refused, "oversized": score.oversized},
        "budget": score.budget,
        "shown": {"golden": _shown(score.golden), "generated": _shown(score.generated)},
        "prompt": score.prompt,
    }


def review_document(review: Review) -> dict[str, Any]:
    """The documented shape: ``scores`` by dimension, each 0 to 1 or null with ``unscored`` saying why."""
    return {
        "task": review.task,
        "deliverable": review.deliverable,
        "model": review.model,
        "scored": review.scored,
        "nothing_generated": review.nothing_generated,
        "scores": {name: _score(review.dimension(name)) for name in CRITIC_DIMENSIONS},
        "golden": _tree(review.golden),
        "generated": _tree(review.generated),
        "prompts": review.prompts,
    }

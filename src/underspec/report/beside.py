"""What stands beside the scores, in a row of a report: structure (ICAE III-F) and a critic's three scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from underspec.artifact.outcomes import Unscored
from underspec.artifact.review import CRITIC_DIMENSIONS, DimensionName
from underspec.report.collect import NOT_RUN, Collected
from underspec.report.scores import interval, task_scores

_SIMILARITIES = {
    "class": "class_similarity",
    "method": "method_similarity",
    "method_qualified": "method_qualified_similarity",
    "namespace": "namespace_similarity",
}
_RATIOS = {"files": "file_ratio", "loc": "loc_ratio"}


def beside_figures(members: Sequence[Collected]) -> dict[str, Any]:
    """``structure`` and ``review`` of a row; None where the run had no such step for any of these items.

    Every figure has its mean over tasks, an interval of it, and how many items it is of; in both, ``planned`` =
    ``scored`` + all of ``unscored``. A deliverable that defines nothing is like the golden sources in nothing: 0.
    """
    return {"structure": _structure(members), "review": _review(members)}


def _structure(members: Sequence[Collected]) -> dict[str, Any] | None:
    planned = [each for each in members if "structure" in each.beside]
    if not planned:
        return None
    return {
        **_counts(planned, [_structure_boundary(each) for each in planned]),
        "ratio": {key: _figure(planned, measure) for key, measure in _RATIOS.items()},
        "similarity": {key: _figure(planned, measure) for key, measure in _SIMILARITIES.items()},
    }


def _structure_boundary(item: Collected) -> str | None:
    """Why there is no structure; None where there is one."""
    found = item.structure
    if found is None:
        return _missing(item, item.structure_why)
    # Nothing in the golden tree that could be compared: no deliverable's doing.
    return None if found.scored or found.nothing_generated else "task"


def _review(members: Sequence[Collected]) -> dict[str, Any] | None:
    planned = [each for each in members if "review" in each.beside]
    if not planned:
        return None
    reviews = [each.review for each in planned if each.review is not None]
    return {
        **_counts(planned, [_review_boundary(each, CRITIC_DIMENSIONS) for each in planned]),
        "stale": sum(each.review_stale for each in planned),
        "models": sorted({review.model for review in reviews}),
        "repeats": sorted({review.dimension(name).planned for review in reviews for name in CRITIC_DIMENSIONS}),
        "scores": {name: _critic_figure(planned, name) for name in CRITIC_DIMENSIONS},
    }


def _critic_figure(planned: Sequence[Collected], name: DimensionName) -> dict[str, Any]:
    return {
        **_figure(planned, f"critic_{name}"),
        "unscored": _by_boundary(_review_boundary(each, (name,)) for each in planned),
    }


def _review_boundary(item: Collected, names: Iterable[DimensionName]) -> str | None:
    if item.review is None:
        return _missing(item, item.review_why)
    found = (item.review.dimension(name).unscored for name in names)
    return next((str(unscored.boundary) for unscored in found if unscored is not None), None)


def _missing(item: Collected, why: Unscored | None) -> str:
    """Whose failure it was: its own, else that of the item, which handed nothing over; or it has not come to it."""
    return str(why.boundary) if why is not None else item.boundary or NOT_RUN


def _counts(planned: Sequence[Collected], boundaries: Sequence[str | None]) -> dict[str, Any]:
    return {
        "planned": len(planned),
        "scored": sum(boundary is None for boundary in boundaries),
        "unscored": _by_boundary(boundaries),
    }


def _by_boundary(boundaries: Iterable[str | None]) -> dict[str, int]:
    return dict(sorted(Counter(boundary for boundary in boundaries if boundary is not None).items()))


def _figure(members: Sequence[Collected], measure: str) -> dict[str, Any]:
    scores = task_scores(members, measure)
    span = interval(members, measure)
    return {"mean": scores.mean, "interval": span.pair() if span else None, "items": sum(scores.epochs)}

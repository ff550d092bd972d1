"""What stands beside one item's score, for a reader: structure, and what a critic says."""

from __future__ import annotations

from typing import Any

from underspec.artifact.outcomes import Unscored
from underspec.artifact.review import CRITIC_DIMENSIONS, Review
from underspec.artifact.structure import Structure
from underspec.grade.critic.view import review_document
from underspec.grade.structure.view import structure_document
from underspec.report.collect import Collected
from underspec.report.terminal import percent

_ALIKE = {
    "class_like": "classes",
    "method": "methods",
    "method_qualified": "methods with their owners",
    "namespace": "namespaces",
}
_SAID = {"semantic": "behaviour", "api": "public interface", "design": "design"}


def beside_document(collected: Collected) -> dict[str, Any]:
    """What ``underspec show --json`` has of it: as ``underspec structure`` and ``underspec review`` print it, null
    where there is none, and beside each what kept it from being had."""
    structure, review = collected.structure, collected.review
    return {
        "structure": structure_document(structure) if structure else None,
        "structure_unscored": _why(collected.structure_why),
        "review": review_document(review) | {"stale": collected.review_stale} if review else None,
        "review_unscored": _why(collected.review_why),
    }


def beside_lines(collected: Collected) -> list[str]:
    """The same for a terminal; the caller makes it safe to print."""
    lines: list[str] = []
    if collected.structure is not None:
        lines += _structure(collected.structure)
    elif collected.structure_why is not None:
        lines.append(f"structure unscored: {_reason(collected.structure_why)}")
    elif "structure" in collected.beside:
        lines.append("structure: not compared yet")
    if collected.review is not None:
        lines += _review(collected.review, stale=collected.review_stale)
    elif collected.review_why is not None:
        lines.append(f"review unscored: {_reason(collected.review_why)}")
    elif "review" in collected.beside:
        lines.append("review: not reviewed yet")
    return ["", *lines] if lines else []


def _structure(structure: Structure) -> list[str]:
    sizes = [
        f"{ours.files} files, {ours.loc} lines of code, {ours.classes} classes, {ours.methods} methods"
        for ours in (structure.generated, structure.golden)
    ]
    lines = [f"structure {sizes[0]}", f"  of golden {sizes[1]}"]
    if structure.unscored is not None:
        return [*lines, f"  not scored: {structure.unscored}"]
    for dimension, words in _ALIKE.items():
        found = structure.overlap[dimension]
        counts = f"{found.common} in both, {found.golden} golden, {found.generated} generated"
        lines.append(f"  {words:26}{percent(structure.similarity(dimension)):>6} %  {counts}")
    errors = structure.generated.parse_errors
    if errors.places:
        lines.append(f"  {errors.places} places in {errors.files} files could not be parsed")
    return lines


def _review(review: Review, *, stale: bool) -> list[str]:
    made = "; stale: made from other inputs than today's, --redo review makes it anew" if stale else ""
    lines = [f"reviewed by {_line(review.model)}{made}"]
    for name in CRITIC_DIMENSIONS:
        score = review.dimension(name)
        if score.score is None:
            reason = score.unscored.reason if score.unscored else "no verdict"
            lines.append(f"  {_SAID[name]:18}not scored: {_line(reason)}")
            continue
        spread = f", sd {score.sd:.3f} over {len(score.verdicts)}" if score.sd is not None else ""
        said = (score.rationale or "").replace("\n", "\n    ")
        lines += [f"  {_SAID[name]:18}{score.score:.3f}{spread}", f"    {said}"]
    return lines


def _why(unscored: Unscored | None) -> dict[str, Any] | None:
    return unscored.model_dump(mode="json") if unscored else None


def _reason(unscored: Unscored) -> str:
    return f"{unscored.boundary}: {_line(unscored.reason)}"


def _line(text: str) -> str:
    return text.replace("\n", "\\n")

"""A comparison as scripts and people read it."""

from __future__ import annotations

from typing import Any

from underspec.artifact.structure import Structure, TreeSize
from underspec.grade.structure.compare import Comparison

_KEYS = {
    "class": "class_like",
    "method": "method",
    "method_qualified": "method_qualified",
    "namespace": "namespace",
    "namespace_relative": "namespace_relative",
}


def _size(size: TreeSize) -> dict[str, Any]:
    return {
        "language": size.language,
        "files": size.files,
        "loc": size.loc,
        "classes": size.classes,
        "methods": size.methods,
        "namespaces": size.namespaces,
        "parse_errors": {"files": size.parse_errors.files, "places": size.parse_errors.places},
        "excluded": size.excluded,
    }


def structure_document(structure: Structure) -> dict[str, Any]:
    """The documented shape: sizes, ratios and similarities; ``unscored`` and null similarities where there is none."""
    return {
        "scored": structure.scored,
        "unscored": structure.unscored,
        "golden": _size(structure.golden),
        "generated": _size(structure.generated),
        "ratio": {"files": structure.file_ratio, "loc": structure.loc_ratio},
        "similarity": {key: structure.similarity(dimension) for key, dimension in _KEYS.items()},
        "overlap": {
            key: {
                "golden": structure.overlap[dimension].golden,
                "generated": structure.overlap[dimension].generated,
                "common": structure.overlap[dimension].common,
                "recall": structure.overlap[dimension].recall,
                "precision": structure.overlap[dimension].precision,
            }
            for key, dimension in _KEYS.items()
        },
        "normalized_names": structure.normalized,
        "notes": list(structure.notes),
    }


def names_document(comparison: Comparison) -> dict[str, dict[str, list[str]]]:
    """Which names the trees share and which only one of them has, by dimension, sorted."""
    result = {}
    for key, dimension in _KEYS.items():
        ours, theirs = comparison.golden.sets[dimension], comparison.generated.sets[dimension]
        result[key] = {
            "common": sorted(ours & theirs),
            "missing": sorted(ours - theirs),
            "extra": sorted(theirs - ours),
        }
    return result

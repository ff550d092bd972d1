"""The catalogue and what of it is on this machine."""

from __future__ import annotations

from typing import Any

from underspec.errors import StoreError
from underspec.sandbox.images.recipe import catalogue
from underspec.sandbox.images.store import built_images, read_image


def listed() -> list[dict[str, Any]]:
    """One row an image, by name: what its recipe says (nulls where there is none) and, if it was made, what came out.

    ``current`` says whether it was made by the recipe as it is now; ``damaged`` why it cannot be used, or null.
    """
    recipes = catalogue()
    rows = []
    for name in sorted({*recipes, *built_images()}):
        recipe = recipes.get(name)
        rows.append(
            {
                "name": name,
                "language": recipe.language if recipe else None,
                "version": recipe.version if recipe else None,
                "suite": recipe.suite if recipe else None,
                "available": recipe is not None and recipe.unavailable is None,
                "unavailable": recipe.unavailable if recipe else None,
                "official_image": recipe.official_image if recipe else None,
                "recipe": recipe.digest if recipe and recipe.unavailable is None else None,
                **_built(name, recipe.digest if recipe else None),
            }
        )
    return rows


def _built(name: str, recipe: str | None) -> dict[str, Any]:
    if name not in built_images():
        return {"built": None, "damaged": None}
    try:
        document = read_image(name)
    except StoreError as error:
        return {"built": None, "damaged": str(error)}
    return {
        "built": {
            "digest": document.digest,
            "tree_digest": document.tree_digest,
            "bytes": document.bytes,
            "files": document.files,
            "architecture": document.architecture,
            "made_with": document.made_with,
            "current": document.recipe in (recipe, None),
        },
        "damaged": None,
    }

"""The agents that have a layer, and what of them is on this machine."""

from __future__ import annotations

from typing import Any

from underspec.errors import StoreError
from underspec.sandbox.images.agents.layer import read_layer
from underspec.sandbox.images.agents.recipe import AgentRecipe, agent_catalogue


def listed_agents() -> list[dict[str, Any]]:
    """One row an agent, by name: what its recipe says and, if its layer was made, what came out.

    ``current`` says whether it was made by the recipe as it is now; ``damaged`` why it cannot be used, or null.
    """
    return [_row(recipe) for recipe in agent_catalogue().values()]


def _row(recipe: AgentRecipe) -> dict[str, Any]:
    made_for = sorted({each.architecture for each in recipe.archives})
    row = {
        "name": recipe.name,
        "version": recipe.version,
        "program": f"{recipe.target}/bin/{recipe.program}",
        "available": True,
        "architectures": made_for,
        "recipe": recipe.digest,
    }
    try:
        document = read_layer(recipe)
    except StoreError as error:
        return {**row, "built": None, "damaged": str(error)}
    if document is None:
        return {**row, "built": None, "damaged": None}
    built = {
        "digest": document.digest,
        "tree_digest": document.tree_digest,
        "version": document.version,
        "bytes": document.bytes,
        "files": document.files,
        "architecture": document.architecture,
        "current": document.recipe == recipe.digest,
    }
    return {**row, "built": built, "damaged": None}

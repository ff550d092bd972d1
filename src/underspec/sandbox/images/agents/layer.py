"""Layers on this machine: ``$UNDERSPEC_HOME/agents/<agent>/``, a tree in ``root/`` and about it in ``agent.json``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from underspec.artifact.base import Artifact
from underspec.artifact.canonical import digest_of
from underspec.errors import EnvironmentLacksError, StoreError, UnderspecError
from underspec.sandbox.images.agents.recipe import AgentRecipe, agent_catalogue, find_agent_recipe
from underspec.sandbox.images.kept import TREE, hold, is_sealed
from underspec.sandbox.protocol import Check, Mount
from underspec.task.cache import home

DOCUMENT = "agent.json"


class LayerDocument(Artifact):
    """``agent.json``.

    ``recipe`` is the digest of the recipe, ``tree_digest`` covers the tree, ``seal`` its entries' looks. ``packages``
    are the registry packages in it, by name, with their versions. ``files`` counts all that is no folder.
    """

    schema_version: Literal[1] = 1
    name: str
    version: str
    recipe: str
    tree_digest: str
    seal: str
    architecture: str
    env: dict[str, str]
    packages: dict[str, str]
    files: int
    bytes: int

    @property
    def digest(self) -> str:
        """What results name the layer by: covers the tree and the environment."""
        return f"sha256:{digest_of({'tree': self.tree_digest, 'env': self.env})}"


@dataclass(frozen=True)
class AgentLayer:
    """An agent's program, ready to be shown in any sandbox.

    ``mounts`` are for the sandbox; ``bin`` is to stand in front of ``PATH`` and ``env`` to be set for the agent's own
    process, for nothing else that runs there. ``program`` is the agent itself.
    """

    agent: str
    version: str
    digest: str
    mounts: tuple[Mount, ...]
    bin: str
    program: str
    env: dict[str, str] = field(default_factory=dict)


def layers_folder() -> Path:
    """Where all layers of this machine's user lie."""
    return home() / "agents"


def layer_folder(recipe: AgentRecipe) -> Path:
    """Where the layer of a recipe lies, or would."""
    return layers_folder() / recipe.name


def read_layer(recipe: AgentRecipe) -> LayerDocument | None:
    """What is known of a layer on this machine; None where there is none.

    Raises:
        StoreError: its document is damaged.
    """
    folder = layer_folder(recipe)
    if not folder.exists():
        return None
    try:
        document = LayerDocument.read(folder / DOCUMENT)
    except StoreError as error:
        raise _damaged(recipe, error.message) from error
    if document.name != recipe.name or not (folder / TREE).is_dir():
        raise _damaged(recipe, "its document and its folder do not belong together")
    return document


def _damaged(recipe: AgentRecipe, reason: str) -> StoreError:
    return StoreError(
        f"the layer of the agent {recipe.name!r} is damaged: {reason}",
        file=str(layer_folder(recipe)),
        mend=f"remove that folder and make it again: `underspec image build {recipe.name}`",
    )


def agent_layer(name: str) -> AgentLayer:
    """The layer of an agent, looked at quickly, and kept from being replaced as long as this process lives.

    Raises:
        UsageError: there is no recipe of that name.
        EnvironmentLacksError: it is not on this machine, or was made of another recipe; says how to make it.
        StoreError: it is damaged, or somebody changed it.
    """
    recipe = find_agent_recipe(name)
    folder = layer_folder(recipe)
    hold(folder)
    document = read_layer(recipe)
    if document is None:
        raise EnvironmentLacksError(
            f"the program of the agent {name!r} is not on this machine", mend=f"make it: `underspec image build {name}`"
        )
    if document.recipe != recipe.digest:
        raise EnvironmentLacksError(
            f"the program of the agent {name!r} on this machine, {document.version}, was made of another recipe",
            mend=f"make it anew: `underspec image build {name}`",
        )
    if not is_sealed(folder, DOCUMENT, document.seal):
        raise _damaged(recipe, "its tree was changed after it was made")
    return AgentLayer(
        agent=name,
        version=document.version,
        digest=document.digest,
        mounts=(Mount(folder / TREE, recipe.target),),
        bin=f"{recipe.target}/bin",
        program=f"{recipe.target}/bin/{recipe.program}",
        env=dict(document.env),
    )


def layer_checks() -> list[Check]:
    """Which agents' programs are ready, for ``doctor``. None is required: scripted agents need no program."""
    return [_check(recipe) for recipe in agent_catalogue().values()]


def _check(recipe: AgentRecipe) -> Check:
    try:
        layer = agent_layer(recipe.name)
    except UnderspecError as error:
        return Check(f"agent {recipe.name}", False, error.message, error.mend, required=False)
    return Check(f"agent {recipe.name}", True, f"{layer.version}, {layer.digest[:19]}…", required=False)

"""What an agent's layer is made of: one TOML file each, in ``recipes/``, and the lock files that it names."""

from __future__ import annotations

import functools
import hashlib
import platform
import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from underspec.artifact.base import json_path
from underspec.artifact.canonical import digest_of
from underspec.errors import EnvironmentLacksError, HarnessError, UsageError
from underspec.sandbox.images.recipe import NAME_PATTERN, NpmPackage

# How a layer is made of a recipe: raise it when the same recipe gives another tree.
BUILDER_VERSION = 1
TARGETS = "/opt/underspec/agents"
_FILE_PATTERN = r"^[a-z][a-z0-9.-]*$"
_PLACE_PATTERN = r"^[a-z][A-Za-z0-9._@/-]*$"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Archive(NpmPackage):
    """An npm archive for one kind of machine. ``keep`` names what of it goes to the folder ``into``; all if empty."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    architecture: Literal["x86_64", "aarch64"]
    into: str = Field(pattern=_PLACE_PATTERN)
    keep: tuple[str, ...] = ()


class Launcher(_Part):
    """A program of the layer's ``bin``. ``command`` and ``path``, folders put before ``PATH``, begin in the layer."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    command: tuple[str, ...] = Field(min_length=1)
    path: tuple[str, ...] = ()


class AgentRecipe(_Part):
    """One file of ``recipes/``.

    ``version`` is that of the agent's own package and must turn up in what ``check``, run with the layer's ``bin`` in
    front of ``PATH``, prints. ``program`` is the launcher that is the agent. ``env`` keeps the program from looking for
    updates or a network; it belongs to the agent's process alone. ``npm_lock`` is a package lock, ``python_lock`` a
    list of requirements with hashes for the Python of the image ``python``, which comes with the layer as ``env``.
    """

    schema_version: Literal[1]
    name: str = Field(pattern=NAME_PATTERN)
    version: str = Field(min_length=1)
    check: str
    program: str
    archives: tuple[Archive, ...] = ()
    npm_lock: str | None = Field(None, pattern=_FILE_PATTERN)
    python_lock: str | None = Field(None, pattern=_FILE_PATTERN)
    launchers: tuple[Launcher, ...] = ()
    env: dict[str, str] = {}

    @model_validator(mode="after")
    def _has_its_program(self) -> AgentRecipe:
        if self.program not in [launcher.name for launcher in self.launchers]:
            raise ValueError("the program is none of the launchers")
        return self

    @property
    def target(self) -> str:
        """Where the layer is shown inside."""
        return f"{TARGETS}/{self.name}"

    def archives_here(self) -> tuple[Archive, ...]:
        """Those for this kind of machine.

        Raises:
            EnvironmentLacksError: the agent has none for it.
        """
        here = tuple(each for each in self.archives if each.architecture == platform.machine())
        if self.archives and not here:
            made_for = ", ".join(sorted({each.architecture for each in self.archives}))
            raise EnvironmentLacksError(
                f"the agent {self.name!r} is not made for {platform.machine()}", mend=f"use a machine of {made_for}"
            )
        return here

    def lock(self, file: str) -> str:
        """The text of a lock file."""
        return (_folder() / file).read_text(encoding="utf-8")

    @property
    def digest(self) -> str:
        """SHA-256 over all that shapes the layer, and the way it is made."""
        locks = [self.lock(file) for file in (self.npm_lock, self.python_lock) if file]
        hashes = [hashlib.sha256(text.encode()).hexdigest() for text in locks]
        return digest_of({**self.model_dump(mode="json"), "locks": hashes, "builder": BUILDER_VERSION})


def _folder() -> Traversable:
    return resources.files(__package__) / "recipes"


@functools.cache
def agent_catalogue() -> dict[str, AgentRecipe]:
    """All recipes by name, in order of name.

    Raises:
        HarnessError: a file of the package is damaged.
    """
    files = [path for path in _folder().iterdir() if path.name.endswith(".toml")]
    recipes = [parse_agent_recipe(path.read_text(encoding="utf-8"), file=path.name) for path in files]
    return {recipe.name: recipe for recipe in sorted(recipes, key=lambda each: each.name)}


def parse_agent_recipe(text: str, *, file: str) -> AgentRecipe:
    """A recipe from its text.

    Raises:
        HarnessError: names the file, the place and what is wrong.
    """
    try:
        recipe = AgentRecipe.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise HarnessError(f"not valid TOML: {error}", file=file, mend="re-install the package") from error
    except ValidationError as error:
        first: Any = error.errors()[0]
        where = json_path(first["loc"])
        raise HarnessError(str(first["msg"]), file=file, where=where, mend="re-install the package") from error
    if file != f"{recipe.name}.toml":
        raise HarnessError("is not called like the agent that it makes", file=file, where="$.name")
    return recipe


def find_agent_recipe(name: str) -> AgentRecipe:
    """The recipe of that name.

    Raises:
        UsageError: there is none; names those that there are.
    """
    known = agent_catalogue()
    if name not in known:
        raise UsageError(f"there is no agent layer {name!r}", mend=f"use one of {', '.join(known)}")
    return known[name]

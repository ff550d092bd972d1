"""Recipes: what a language's base image is made of. One TOML file each, in ``recipes/``.

The catalogue covers the twelve languages of ICAE-Bench (III-C: base images are the official ones of each language, in
mainstream stable or LTS versions). A recipe pins the Debian suite and names the language's version, which every check
of an image looks for; what a mirror's point release changes shows in the image's digest.
"""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from underspec.artifact.base import json_path
from underspec.artifact.canonical import digest_of
from underspec.errors import HarnessError, UsageError

# How an image is made of a recipe: raise it when the same recipe gives another tree.
BUILDER_VERSION = 1
NAME_PATTERN = r"^[a-z][a-z0-9+-]{0,62}$"
DEBIAN_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NpmPackage(_Part):
    """One npm archive, named by version and hash. ``integrity`` is what the registry calls so: ``sha512-`` + base64."""

    name: str = Field(pattern=r"^(@[a-z0-9-]+/)?[a-z0-9][a-z0-9._-]*$")
    version: str = Field(pattern=r"^[0-9][0-9A-Za-z.-]*$")
    integrity: str = Field(pattern=r"^sha512-[A-Za-z0-9+/]{86}==$")


class Dispatcher(_Part):
    """A program of two lines that reads one line of JSON and prints it again, and the shell command that runs it."""

    file: str = Field(pattern=r"^[A-Za-z0-9._/-]+$")
    source: str
    command: str


class Recipe(_Part):
    """One file of ``recipes/``.

    ``version`` must turn up in what ``version_command`` prints. ``official_image`` is the language's official
    repository on Docker Hub, for reference; which tag was published is not known here. ``unavailable`` says why Debian
    packages cannot serve; such an image is taken from a Docker image instead.
    """

    schema_version: Literal[1]
    name: str = Field(pattern=NAME_PATTERN)
    language: str
    version: str = Field(min_length=1)
    version_command: str
    official_image: str | None = None
    unavailable: str | None = None
    suite: Literal["bookworm", "trixie"] | None = None
    variant: Literal["minbase"] = "minbase"
    packages: tuple[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+.-]+$")], ...] = ()
    npm: tuple[NpmPackage, ...] = ()
    env: dict[str, str] = {}
    dispatcher: Dispatcher

    @model_validator(mode="after")
    def _either_made_or_not(self) -> Recipe:
        parts = (self.suite is not None, bool(self.packages), bool(self.npm))
        if parts[:2] != (True, True) if self.unavailable is None else any(parts):
            raise ValueError("a recipe has a suite and packages, or says why it is unavailable")
        if list(self.packages) != sorted(set(self.packages)):
            raise ValueError("packages stand in order, each once")
        return self

    @property
    def digest(self) -> str:
        """SHA-256 over all that shapes the tree, and the way it is made."""
        shaping: dict[str, Any] = self.model_dump(mode="json", include={"suite", "variant", "packages", "npm", "env"})
        return digest_of({**shaping, "builder": BUILDER_VERSION})

    def environment(self) -> dict[str, str]:
        """The environment of every command in the image."""
        return {"PATH": DEBIAN_PATH, **self.env}


@functools.cache
def catalogue() -> dict[str, Recipe]:
    """All recipes by name, in order of name.

    Raises:
        HarnessError: a file of the package is damaged.
    """
    found: dict[str, Recipe] = {}
    folder = resources.files(__package__) / "recipes"
    for path in sorted(folder.iterdir(), key=lambda each: each.name):
        if path.name.endswith(".toml"):
            recipe = parse_recipe(path.read_text(encoding="utf-8"), file=path.name)
            found[recipe.name] = recipe
    return found


def parse_recipe(text: str, *, file: str) -> Recipe:
    """A recipe from its text.

    Raises:
        HarnessError: names the file, the place and what is wrong.
    """
    try:
        recipe = Recipe.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise HarnessError(f"not valid TOML: {error}", file=file, mend="re-install the package") from error
    except ValidationError as error:
        first: Any = error.errors()[0]
        where = json_path(first["loc"])
        raise HarnessError(str(first["msg"]), file=file, where=where, mend="re-install the package") from error
    if file != f"{recipe.name}.toml":
        raise HarnessError("is not called like the image that it makes", file=file, where="$.name")
    return recipe


def find_recipe(name: str) -> Recipe:
    """The recipe of that name.

    Raises:
        UsageError: there is none; names those that there are.
    """
    known = catalogue()
    if name not in known:
        raise UsageError(
            f"there is no recipe for an image {name!r}",
            mend=f"use one of {', '.join(known)}, or give --from-docker with a Docker image to take it from",
        )
    return known[name]


def recipe_for(language: str) -> Recipe:
    """The recipe of a language, whatever the case of its name.

    Raises:
        UsageError: there is none; names the languages that there are.
    """
    for recipe in catalogue().values():
        if recipe.language.casefold() == language.casefold():
            return recipe
    known = ", ".join(sorted(recipe.language for recipe in catalogue().values()))
    raise UsageError(f"the catalogue has no image for the language {language!r}", mend=f"it has those for {known}")

"""Making an image: fill a tree, tidy it, hash it, put it in its place."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

from underspec.errors import StoreError
from underspec.sandbox.images.debian import Made, check_machine, make_debian_tree
from underspec.sandbox.images.digest import measure_tree, seal_tree
from underspec.sandbox.images.docker import make_docker_tree
from underspec.sandbox.images.recipe import Recipe, catalogue, find_recipe
from underspec.sandbox.images.store import (
    ImageDocument,
    built_images,
    image_folder,
    images_folder,
    making,
    prepared_tree,
    publish,
    use_image,
)
from underspec.sandbox.images.tidy import tidy
from underspec.sandbox.images.tools import check_room

_ROOM = 2 * 1024**3

Progress = Callable[[str], None]
# Fills the empty tree; gets the tree and the log's path.
Fill = Callable[[Path, Path], tuple[Made, dict[str, str]]]


def build_image(name: str, *, again: bool = False, mirror: str | None = None, on_progress: Progress) -> ImageDocument:
    """Make the image of a recipe, or say what is there already when it was made of the same recipe.

    Args:
        again: make it even so.
        mirror: a Debian mirror's address, in place of debootstrap's default.

    Raises:
        UsageError: there is no such recipe.
        EnvironmentLacksError: this machine cannot make it; says what to install.
        HostExhaustedError: no space left.
        SandboxError: a tool failed, or sandboxes run in the image that would be replaced.
    """
    recipe = find_recipe(name)
    standing = None if again else _standing(recipe)
    if standing is not None:
        return standing
    check_machine(recipe)

    def fill(root: Path, log: Path) -> tuple[Made, dict[str, str]]:
        made = make_debian_tree(recipe, root, mirror=mirror, log=log, on_progress=on_progress)
        return made, recipe.environment()

    return make_image(name, fill, recipe=recipe.digest, on_progress=on_progress, unless=None if again else recipe)


def build_from_docker(name: str, image: str, *, on_progress: Progress) -> ImageDocument:
    """Make an image of the file system of a Docker image, which the engine must have. Replaces what was there.

    Raises:
        EnvironmentLacksError: not root, or no engine, or the engine has no such image.
        HostExhaustedError: no space left.
        SandboxError: the engine failed, the image cannot serve, or sandboxes run in the one that would be replaced.
    """
    image_folder(name)
    env = catalogue()[name].env if name in catalogue() else {}

    def fill(root: Path, log: Path) -> tuple[Made, dict[str, str]]:
        made, found = make_docker_tree(name, image, root)
        return made, {**found, **env}

    return make_image(name, fill, recipe=None, on_progress=on_progress)


def make_image(
    name: str, fill: Fill, *, recipe: str | None, on_progress: Progress, unless: Recipe | None = None
) -> ImageDocument:
    """Make an image of what ``fill`` puts into an empty tree.

    Args:
        unless: make nothing when meanwhile another process has made the image of this recipe.

    Raises:
        As :func:`build_image`.
    """
    with making(name) as prepared:
        standing = None if unless is None else _standing(unless)
        if standing is not None:
            return standing
        check_room(prepared, _ROOM)
        root, log = prepared_tree(prepared), images_folder() / f"{name}.log"
        log.unlink(missing_ok=True)
        on_progress("filling the tree")
        made, env = fill(root, log)
        on_progress("tidying")
        tidy(root)
        on_progress("hashing")
        measured = measure_tree(root)
        document = ImageDocument(
            name=name,
            recipe=recipe,
            tree_digest=measured.digest,
            seal=seal_tree(root),
            architecture=platform.machine(),
            env=env,
            made_with=made.tools,
            packages=made.packages,
            files=measured.files,
            bytes=measured.bytes,
        )
        publish(prepared, document)
        log.unlink(missing_ok=True)
    return document


def _standing(recipe: Recipe) -> ImageDocument | None:
    """The image as it is, when it is whole and was made of this recipe."""
    if recipe.name not in built_images():
        return None
    try:
        document = use_image(recipe.name)
    except StoreError:
        return None  # damaged: made anew
    return document if document.recipe == recipe.digest else None

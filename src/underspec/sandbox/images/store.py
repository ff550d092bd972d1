"""Where images are kept: ``$UNDERSPEC_HOME/images/<name>/``, a tree in ``root/`` and all about it in ``image.json``.

An image is made aside and moved in whole, so there is never half of one, and never replaced under a running sandbox.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from underspec.artifact.base import Artifact
from underspec.artifact.canonical import digest_of
from underspec.errors import EnvironmentLacksError, StoreError
from underspec.sandbox.images.kept import TREE, hold, is_sealed, making_in, publish_in
from underspec.sandbox.images.recipe import NAME_PATTERN, catalogue
from underspec.task.cache import home

_DOCUMENT, _TREE = "image.json", TREE
HOST = "host"


class ImageDocument(Artifact):
    """``image.json``.

    ``tree_digest`` covers the tree alone, ``seal`` its entries' looks; ``env`` is the environment of every command.
    ``recipe`` is the digest of the recipe, None for a tree taken from a Docker image. ``made_with`` names the tools and
    their versions, or the Docker image and its id. ``files`` counts all that is no folder.
    """

    schema_version: Literal[1] = 1
    name: str = Field(pattern=NAME_PATTERN)
    recipe: str | None
    tree_digest: str
    seal: str
    architecture: str
    env: dict[str, str]
    made_with: dict[str, str]
    packages: dict[str, str]
    files: int
    bytes: int

    @property
    def digest(self) -> str:
        """What results name the image by: covers the tree and the environment."""
        return f"sha256:{digest_of({'tree': self.tree_digest, 'env': self.env})}"


def images_folder() -> Path:
    """Where all images of this machine's user lie."""
    return home() / "images"


def image_folder(name: str) -> Path:
    """Where the image of that name lies, or would.

    Raises:
        EnvironmentLacksError: nothing can be called so.
    """
    if not re.fullmatch(NAME_PATTERN, name) or name == HOST:
        raise EnvironmentLacksError(
            f"there is no image {name!r}", mend="`underspec image list` shows those that there are"
        )
    return images_folder() / name


def read_image(name: str) -> ImageDocument:
    """What is known of an image that was made on this machine.

    Raises:
        EnvironmentLacksError: there is none of that name; says how to make it.
        StoreError: its document is damaged.
    """
    folder = image_folder(name)
    try:
        document = ImageDocument.read(folder / _DOCUMENT)
    except StoreError as error:
        if not folder.exists():
            raise EnvironmentLacksError(f"the image {name!r} is not on this machine", mend=_how_to_get(name)) from error
        raise _damaged(name, error.message) from error
    if document.name != name or not (folder / _TREE).is_dir():
        raise _damaged(name, "its document and its folder do not belong together")
    return document


def _how_to_get(name: str) -> str:
    recipe = catalogue().get(name)
    if recipe is not None and recipe.unavailable is None:
        return f"make it: `underspec image build {name}`"
    return f"make it of a Docker image: `underspec image build {name} --from-docker IMAGE`"


def _damaged(name: str, reason: str) -> StoreError:
    return StoreError(
        f"the image {name!r} is damaged: {reason}",
        file=str(images_folder() / name),
        mend="remove that folder and build the image again",
    )


def built_images() -> list[str]:
    """Names of the images on this machine."""
    folder = images_folder()
    if not folder.is_dir():
        return []
    return sorted(path.parent.name for path in folder.glob(f"[!.]*/{_DOCUMENT}"))


def use_image(name: str) -> ImageDocument:
    """The document of an image whose tree is about to be shown: looked at quickly, and kept from being replaced as
    long as this process lives.

    Raises:
        EnvironmentLacksError: there is none of that name.
        StoreError: somebody changed it.
    """
    folder = image_folder(name)
    hold(folder)
    document = read_image(name)
    if not is_sealed(folder, _DOCUMENT, document.seal):
        raise _damaged(name, "its tree was changed after it was made")
    return document


def root_tree(name: str) -> Path:
    """The root tree of an image, for showing read-only: what both backends start from.

    Raises:
        EnvironmentLacksError: there is no such image; says how to make it.
        StoreError: it is damaged, or somebody changed it.
    """
    use_image(name)
    return image_folder(name) / _TREE


def image_digest(name: str) -> str:
    """``sha256:`` and a hash over the tree and the environment of its commands; comparable between machines.

    Raises:
        As :func:`root_tree`.
    """
    return use_image(name).digest


def image_environment(name: str) -> dict[str, str]:
    """The environment of every command in an image; holds ``PATH``.

    Raises:
        As :func:`root_tree`.
    """
    return dict(use_image(name).env)


@contextlib.contextmanager
def making(name: str) -> Iterator[Path]:
    """An empty folder beside the image's: see :func:`underspec.sandbox.images.kept.making_in`."""
    with making_in(image_folder(name)) as prepared:
        yield prepared


def prepared_tree(prepared: Path) -> Path:
    """The tree in a folder that :func:`making` gave."""
    return prepared / _TREE


def publish(prepared: Path, document: ImageDocument) -> None:
    """Put a finished image in its place, in one step, instead of the one that was there.

    Raises:
        SandboxError: sandboxes show the old one just now.
    """
    folder = image_folder(document.name)
    publish_in(folder, prepared, document, file=_DOCUMENT, what=f"the image {document.name!r}")

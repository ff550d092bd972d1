"""Where images are kept: ``$UNDERSPEC_HOME/images/<name>/``, a tree in ``root/`` and all about it in ``image.json``.

An image is made aside and moved in whole, so there is never half of one. Beside it lie two lock files: one is held
while the image is made; the other is shared by the processes whose sandboxes show the tree, so that no tree is
replaced under a running sandbox.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import re
import secrets
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from underspec.artifact.base import Artifact
from underspec.artifact.canonical import digest_of
from underspec.artifact.files import host_exhaustion, sync_folder
from underspec.errors import EnvironmentLacksError, SandboxError, StoreError
from underspec.sandbox.images.digest import seal_tree
from underspec.sandbox.images.recipe import NAME_PATTERN, catalogue
from underspec.task.cache import home

_DOCUMENT, _TREE = "image.json", "root"
HOST = "host"
_in_use: dict[Path, int] = {}
_using = threading.Lock()


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


@functools.cache
def _sealed(root: Path, identity: tuple[int, ...], seal: str) -> bool:
    """Whether a tree looks as it did when it was made. Walked once a process and tree."""
    return seal_tree(root) == seal


def _identity(folder: Path) -> tuple[int, ...]:
    status = (folder / _DOCUMENT).stat()
    return status.st_dev, status.st_ino, status.st_mtime_ns


def use_image(name: str) -> ImageDocument:
    """The document of an image whose tree is about to be shown: looked at quickly, and kept from being replaced as
    long as this process lives.

    Raises:
        EnvironmentLacksError: there is none of that name.
        StoreError: somebody changed it.
    """
    folder = image_folder(name)
    with _using:
        if folder not in _in_use and folder.is_dir():
            descriptor = os.open(_lock_file(folder, "use"), os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            _in_use[folder] = descriptor
    document = read_image(name)
    if not _sealed(folder / _TREE, _identity(folder), document.seal):
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


def _lock_file(folder: Path, purpose: str) -> Path:
    return folder.with_name(f".{folder.name}.{purpose}.lock")


@contextlib.contextmanager
def _locked(folder: Path, purpose: str, *, wait: bool) -> Iterator[bool]:
    """Hold a lock alone; yields False where somebody else has it and we do not wait."""
    descriptor = os.open(_lock_file(folder, purpose), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def making(name: str) -> Iterator[Path]:
    """An empty folder beside the image's, for its maker alone; gone afterwards unless it was published.

    Waits for another process that makes the same image, and removes what one that was killed has left.

    Raises:
        SandboxError: something is still mounted in a leftover.
    """
    folder = image_folder(name)
    with host_exhaustion(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder, "build", wait=True):
            for left_over in folder.parent.glob(f".{name}.*.tmp"):
                _remove(left_over)
            prepared = folder.with_name(f".{name}.{secrets.token_hex(6)}.tmp")
            prepared.mkdir()
            prepared.chmod(0o755)
            (prepared / _TREE).mkdir()
            (prepared / _TREE).chmod(0o755)
            try:
                yield prepared
            finally:
                if prepared.exists():
                    _remove(prepared)


def prepared_tree(prepared: Path) -> Path:
    """The tree in a folder that :func:`making` gave."""
    return prepared / _TREE


def publish(prepared: Path, document: ImageDocument) -> None:
    """Put a finished image in its place, in one step, instead of the one that was there.

    Raises:
        SandboxError: sandboxes show the old one just now.
    """
    folder = image_folder(document.name)
    (prepared / _DOCUMENT).write_bytes(document.to_bytes())
    (prepared / _DOCUMENT).chmod(0o644)
    os.sync()  # one call for tens of thousands of files
    with _using:
        if folder in _in_use:
            os.close(_in_use.pop(folder))  # our own; this process takes a new one when it next starts a sandbox
    with _locked(folder, "use", wait=False) as alone:
        if not alone:
            raise SandboxError(
                f"the image {document.name!r} cannot be replaced while sandboxes run in it",
                file=str(folder),
                mend="build it again when they have ended",
            )
        replaced = folder.with_name(f".{document.name}.replaced.tmp")
        if folder.exists():
            folder.rename(replaced)
        prepared.rename(folder)
        sync_folder(folder.parent)
    if replaced.exists():
        _remove(replaced)


def _remove(folder: Path) -> None:
    """Remove a tree, unless something is mounted in it: then removing would reach beyond it."""
    mounted = [line.split(" ")[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    if any(Path(place).is_relative_to(folder) for place in mounted):
        raise SandboxError(
            "something is mounted in what a broken build left", file=str(folder), mend="unmount it and try again"
        )
    shutil.rmtree(folder)

"""A task's provisioned image: its base image with what its golden implementation needed, and none of that itself.

A task says in ``image/provisioned.toml`` what is laid over which base image: registry archives by name, version and
hash (ICAE III-B), and files as they are.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from pydantic import Field

from underspec.artifact.canonical import digest_of
from underspec.errors import SandboxError, TaskError
from underspec.sandbox.images.build import Progress, make_image
from underspec.sandbox.images.debian import Made
from underspec.sandbox.images.store import ImageDocument, read_image, root_tree
from underspec.task.digest import entries_digest
from underspec.task.finding import Finding
from underspec.task.golden import fetch_golden
from underspec.task.model import GoldenToml, NonEmpty, Part, Task
from underspec.task.strict import read_model
from underspec.task.tree import read_tree

FILE, FILES = "image/provisioned.toml", "image/files"


class Provisioned(Part):
    """``provisioned.toml``: what is laid over ``base``. ``packages`` are registry archives, unpacked into ``folder``;
    files below ``files/`` beside it are laid over the root as they are."""

    schema_version: int = Field(default=1, ge=1, le=1)
    base: NonEmpty
    folder: NonEmpty
    packages: tuple[GoldenToml, ...] = ()


def provisioned_name(task: Task) -> str:
    """What the image is called, in ``task.toml`` and among the images of a machine."""
    return f"{task.id}-provisioned"


def lay_out(plan: Provisioned, files: Path, layer: Path) -> int:
    """Lay packages and files into a tree as they lie in the image's root; says how many files there are in it.

    Raises:
        GoldenError: a package cannot be fetched.
    """
    target = layer / plan.folder.strip("/")
    target.mkdir(parents=True, exist_ok=True)
    for package in plan.packages:
        shutil.copytree(fetch_golden(package), target, dirs_exist_ok=True)
    if files.is_dir():
        shutil.copytree(files, layer, dirs_exist_ok=True, symlinks=True)
    return sum(1 for path in layer.rglob("*") if path.is_file())


def build_provisioned(task: Task, *, on_progress: Progress) -> ImageDocument:
    """Make a task's provisioned image of its base image, which this machine must have. Replaces what was there.

    Raises:
        TaskError: the task says nothing of it, or says it wrongly; or, as GoldenError, a package cannot be had.
        EnvironmentLacksError: the base image is not on this machine; says how to make it.
        HostExhaustedError, SandboxError: as :func:`underspec.sandbox.images.build.build_image`.
    """
    plan = read_plan(task)
    base = read_image(plan.base)
    source = root_tree(plan.base)

    def fill(root: Path, log: Path) -> tuple[Made, dict[str, str]]:
        on_progress(f"copying {plan.base}")
        # Owners, modes and links stay as the base image has them.
        copied = subprocess.run(["cp", "-a", f"{source}/.", str(root)], capture_output=True, text=True)
        if copied.returncode:
            raise SandboxError(f"the base image cannot be copied: {copied.stderr.strip()[-200:]}")
        on_progress("laying out packages")
        lay_out(plan, task.path / FILES, root)
        added = {package.name: package.version for package in plan.packages}
        return Made({**base.made_with, "base": base.digest}, {**base.packages, **added}), base.env

    recipe = digest_of({"plan": plan.model_dump(mode="json"), "base": base.digest, "files": _files_digest(task)})
    return make_image(provisioned_name(task), fill, recipe=recipe, on_progress=on_progress)


def read_plan(task: Task) -> Provisioned:
    """What the task says of its provisioned image.

    Raises:
        TaskError: nothing, or it is damaged; names the field.
    """
    path = task.path / FILE
    if not path.is_file() or path.is_symlink():
        mend = "write it: base, folder and packages, or leave the provisioned image out"
        raise TaskError(f"task {task.id} says nothing of a provisioned image", file=FILE, mend=mend)
    found: list[Finding] = []
    plan = read_model(Provisioned, path.read_bytes(), FILE, found.append)
    if plan is None:
        first = found[0]
        raise TaskError(first.message, file=FILE, where=first.where, mend=first.mend)
    return plan


def _files_digest(task: Task) -> str:
    folder = task.path / FILES
    return entries_digest(read_tree(folder, lambda finding: None)) if folder.is_dir() else ""

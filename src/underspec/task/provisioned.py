"""What a task says of its provisioned image: its base image, and what is laid over it (ICAE III-B)."""

from __future__ import annotations

import shutil
from pathlib import Path

from pydantic import Field

from underspec.errors import TaskError
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


def files_digest(task: Task) -> str:
    """A digest of the files that are laid over the base as they are; empty where there are none."""
    folder = task.path / FILES
    return entries_digest(read_tree(folder, lambda finding: None)) if folder.is_dir() else ""

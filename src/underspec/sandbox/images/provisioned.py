"""A task's provisioned image: its base image with what its golden implementation needed, and none of that itself.

A task says in ``image/provisioned.toml`` what is laid over which base image: registry archives by name, version and
hash (ICAE III-B), and files as they are.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from underspec.artifact.canonical import digest_of
from underspec.errors import SandboxError
from underspec.sandbox.images.build import Progress, make_image
from underspec.sandbox.images.debian import Made
from underspec.sandbox.images.store import ImageDocument, read_image, root_tree
from underspec.task.model import Task
from underspec.task.provisioned import FILES, files_digest, lay_out, read_plan


def provisioned_name(task: Task) -> str:
    """What the image is called, in ``task.toml`` and among the images of a machine."""
    return f"{task.id}-provisioned"


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

    recipe = digest_of({"plan": plan.model_dump(mode="json"), "base": base.digest, "files": files_digest(task)})
    return make_image(provisioned_name(task), fill, recipe=recipe, on_progress=on_progress)

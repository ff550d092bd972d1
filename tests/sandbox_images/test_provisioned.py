"""A task's provisioned image: the base image's tree with what the task lays over it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.sandbox.boxes import needs_bubblewrap
from tests.sandbox_images.small import NAME, make_small_image
from tests.task_factory import GOLDEN_NAME, make_task
from underspec.errors import EnvironmentLacksError, TaskError
from underspec.sandbox.backends import load_backend
from underspec.sandbox.images.provisioned import build_provisioned, provisioned_name
from underspec.sandbox.images.scan import refuse_spoiled
from underspec.sandbox.images.store import image_digest, root_tree
from underspec.sandbox.protocol import Owner, SandboxSpec
from underspec.task.load import load_task
from underspec.task.model import Task

PLAN = f'schema_version = 1\nbase = "{NAME}"\nfolder = "/opt/packages"\npackages = []\n'


def provisioned_task(folder: Path, plan: str = PLAN, extra: str = "opt/helper/tool.sh") -> Task:
    files = {"image/provisioned.toml": plan, f"image/files/{extra}": "echo helped\n"}
    return load_task(make_task(folder, files=files))


@pytest.mark.sandbox
@needs_bubblewrap
def test_what_a_task_lays_over_its_base_is_there_in_a_sandbox(image_home: Path, tmp_path: Path) -> None:
    base = make_small_image()
    task = provisioned_task(tmp_path)
    made = build_provisioned(task, on_progress=lambda words: None)
    assert made.name == provisioned_name(task)
    assert image_digest(made.name) != image_digest(NAME)
    assert made.env == base.env
    refuse_spoiled(made.name, task)

    async def said() -> bytes:
        spec = SandboxSpec(owner=Owner(run="tests", purpose="provisioned"), image=made.name)
        sandbox = load_backend("bubblewrap").create(spec)
        try:
            await sandbox.start()
            return (await sandbox.exec(["bash", "-c", ". /opt/helper/tool.sh; cat /etc/word"])).stdout
        finally:
            await sandbox.close()

    assert asyncio.run(said()) == b"helped\nfirst"
    assert not (root_tree(NAME) / "opt/helper").exists()


def test_the_same_recipe_makes_the_same_image(image_home: Path, tmp_path: Path) -> None:
    make_small_image()
    task = provisioned_task(tmp_path)
    first = build_provisioned(task, on_progress=lambda words: None)
    assert build_provisioned(task, on_progress=lambda words: None).digest == first.digest


def test_the_golden_library_laid_over_it_is_refused(image_home: Path, tmp_path: Path) -> None:
    make_small_image()
    task = provisioned_task(tmp_path, extra=f"opt/packages/{GOLDEN_NAME}/__init__.py")
    made = build_provisioned(task, on_progress=lambda words: None)
    with pytest.raises(TaskError, match=GOLDEN_NAME):
        refuse_spoiled(made.name, task)


def test_a_base_that_is_not_there_and_a_damaged_plan_are_said(image_home: Path, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentLacksError, match=NAME):
        build_provisioned(provisioned_task(tmp_path / "one"), on_progress=lambda words: None)
    with pytest.raises(TaskError) as caught:
        build_provisioned(provisioned_task(tmp_path / "two", plan="base = 7\n"), on_progress=lambda words: None)
    assert caught.value.file == "image/provisioned.toml"
    with pytest.raises(TaskError, match="says nothing"):
        build_provisioned(load_task(make_task(tmp_path / "three")), on_progress=lambda words: None)

"""No image holds what a task asks for: found by name, wherever a package manager puts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox_images.small import NAME, make_small_image
from tests.task_factory import GOLDEN_NAME, WHEEL_NAME, make_task
from underspec.errors import TaskError
from underspec.sandbox.images.scan import find_identity, refuse_spoiled
from underspec.task.load import load_task


def test_packages_and_files_of_the_golden_library_are_found_once_each(tmp_path: Path) -> None:
    task = load_task(make_task(tmp_path))
    root = tmp_path / "root"
    found = (
        f"usr/lib/python3/dist-packages/{GOLDEN_NAME}",
        f"usr/lib/python3/dist-packages/{GOLDEN_NAME.title()}-3.1.4.dist-info",
        f"usr/share/doc/python3-{GOLDEN_NAME}",
        f"var/cache/{WHEEL_NAME}",
    )
    for path in (*found, "usr/lib/python3/dist-packages/honest", "usr/lib/figures", f"usr/lib/{GOLDEN_NAME}s"):
        (root / path).mkdir(parents=True)
        (root / path / f"{GOLDEN_NAME}.py").write_text("") if path in found else None
    assert find_identity(root, task) == sorted(f"/{path}" for path in found)


def test_an_honest_image_is_let_through_and_a_spoiled_one_refused(image_home: Path, tmp_path: Path) -> None:
    task = load_task(make_task(tmp_path))
    make_small_image()
    refuse_spoiled(NAME, task)
    make_small_image(name="spoiled", extra=f"usr/bin/{GOLDEN_NAME}.so")
    with pytest.raises(TaskError, match=f"/usr/bin/{GOLDEN_NAME}.so"):
        refuse_spoiled("spoiled", task)

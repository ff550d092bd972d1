"""``underspec image``: shapes and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import underspec
from tests.sandbox_images.small import NAME, make_small_image
from tests.task_factory import GOLDEN_NAME, make_task


def test_list_shows_the_catalogue_and_what_is_built(image_home: Path) -> None:
    made = make_small_image()
    rows = {row["name"]: row for row in underspec("image", "list", "--json").json()["images"]}
    assert len(rows) == 13
    assert rows["python"]["available"]
    assert rows["python"]["built"] is None
    assert rows["kotlin"]["unavailable"]
    assert rows[NAME]["built"]["digest"] == made.digest
    assert (rows[NAME]["language"], rows[NAME]["available"]) == (None, False)
    text = underspec("image", "list").out
    assert "not built" in text
    assert made.digest[:19] in text


def test_list_goes_on_where_one_image_is_damaged(image_home: Path) -> None:
    make_small_image()
    (image_home / NAME / "image.json").write_text("{")
    row = next(row for row in underspec("image", "list", "--json").json()["images"] if row["name"] == NAME)
    assert "damaged" in row["damaged"]
    assert "damaged" in underspec("image", "list").out


@pytest.mark.parametrize("name", ["csharp", "dart", "kotlin"])
def test_what_debian_cannot_serve_lacks_and_the_mend_is_docker(image_home: Path, name: str) -> None:
    ran = underspec("image", "build", name)
    assert ran.code == 3
    assert f"underspec image build {name} --from-docker IMAGE" in ran.err


@pytest.mark.parametrize("argv", [(), ("cobol",), ("python", "ruby", "--from-docker", "x"), ("../x",)])
def test_wrong_use_is_2_or_says_that_there_is_no_such_image(image_home: Path, argv: tuple[str, ...]) -> None:
    ran = underspec("image", "build", *argv)
    assert ran.code == 2
    assert ran.out == ""


def test_verify_of_an_image_that_is_not_there_is_3(image_home: Path) -> None:
    ran = underspec("image", "verify", "python", "--json")
    assert ran.code == 3
    assert "underspec image build python" in ran.err


@pytest.mark.sandbox
def test_verify_tells_an_untouched_image_from_a_changed_one(image_home: Path) -> None:
    make_small_image()
    ran = underspec("image", "verify", NAME, "--json")
    assert (ran.code, ran.json()["ok"]) == (0, True)
    (image_home / NAME / "root/etc/word").write_text("taken")
    ran = underspec("image", "verify", NAME, "--json")
    assert (ran.code, ran.json()["ok"]) == (1, False)
    assert [check["ok"] for check in ran.json()["checks"] if check["name"] == "tree"] == [False]


@pytest.mark.sandbox
def test_verify_for_a_task_looks_for_its_golden_library(image_home: Path, tmp_path: Path) -> None:
    task = make_task(tmp_path)
    make_small_image()
    assert underspec("image", "verify", NAME, "--task", task).code == 0
    make_small_image(name="spoiled", extra=f"usr/bin/{GOLDEN_NAME}.so")
    ran = underspec("image", "verify", "spoiled", "--task", task)
    assert ran.code == 1
    assert f"/usr/bin/{GOLDEN_NAME}.so" in ran.out

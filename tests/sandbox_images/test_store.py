"""Images are whole or absent, are never replaced under a sandbox, and are not believed once somebody touched them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sandbox_images.small import NAME, make_small_image
from underspec.errors import EnvironmentLacksError, HarnessError, HostExhaustedError, SandboxError, StoreError
from underspec.sandbox.images import kept
from underspec.sandbox.images.store import built_images, image_digest, image_environment, read_image, root_tree


def test_the_same_content_gives_the_same_digest_and_other_content_another(image_home: Path) -> None:
    first = make_small_image()
    again = make_small_image(name="again")
    other = make_small_image("second", name="other")
    assert first.digest == again.digest
    assert first.digest != other.digest
    assert first.digest.startswith("sha256:")
    assert built_images() == ["again", "other", NAME]


def test_the_environment_belongs_to_the_digest(image_home: Path) -> None:
    plain, set_up = make_small_image(), make_small_image(name="setup", env={"MODE": "fast"})
    assert plain.tree_digest == set_up.tree_digest
    assert plain.digest != set_up.digest
    assert image_environment("setup")["MODE"] == "fast"


def test_an_image_that_is_made_again_takes_the_place_of_the_old(image_home: Path) -> None:
    make_small_image("first")
    root_tree(NAME)  # in use by this very process, which is no hindrance
    made = make_small_image("second")
    assert (root_tree(NAME) / "etc/word").read_text() == "second"
    assert image_digest(NAME) == made.digest
    assert [path.name for path in image_home.iterdir() if path.name.endswith(".tmp")] == []


def test_an_image_that_another_process_shows_is_not_replaced(image_home: Path) -> None:
    first = make_small_image("first")
    script = (
        "import sys; from underspec.sandbox.images.store import root_tree\n"
        "root_tree('small'); print(flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as user:
        assert user.stdout is not None
        user.stdout.readline()
        with pytest.raises(SandboxError, match="cannot be replaced while sandboxes run"):
            make_small_image("second")
        user.communicate()
    assert read_image(NAME) == first
    assert make_small_image("second") != first


def test_a_failed_build_leaves_the_old_image_and_nothing_else(image_home: Path) -> None:
    from underspec.sandbox.images.build import make_image

    def fail(root: Path, log: Path) -> None:
        (root / "half").write_text("")
        raise SandboxError("broken off")

    first = make_small_image()
    with pytest.raises(SandboxError, match="broken off"):
        make_image(NAME, fail, recipe=None, on_progress=lambda step: None)  # type: ignore[arg-type]
    assert read_image(NAME) == first
    assert [path.name for path in image_home.iterdir() if path.name.endswith(".tmp")] == []


def test_what_a_killed_build_left_is_removed_by_the_next(image_home: Path) -> None:
    script = (
        "import time; from pathlib import Path; from underspec.sandbox.images.build import make_image\n"
        "def fill(root, log):\n    (root / 'half').write_text(''); print(flush=True); time.sleep(60)\n"
        "make_image('small', fill, recipe=None, on_progress=lambda step: None)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as builder:
        assert builder.stdout is not None
        builder.stdout.readline()
        builder.send_signal(signal.SIGKILL)
    left = [path for path in image_home.iterdir() if path.name.endswith(".tmp")]
    assert len(left) == 1
    assert built_images() == []
    make_small_image()
    assert not left[0].exists()


def test_two_builds_of_one_image_wait_for_each_other(image_home: Path) -> None:
    script = (
        "import sys; sys.path.insert(0, '.'); from tests.sandbox_images.small import make_small_image\n"
        "print(make_small_image(sys.argv[1]).digest)"
    )
    builders = [
        subprocess.Popen([sys.executable, "-c", script, word], stdout=subprocess.PIPE, text=True)
        for word in ("first", "second", "third")
    ]
    said = [builder.communicate()[0].strip() for builder in builders]
    assert [builder.returncode for builder in builders] == [0, 0, 0]
    assert image_digest(NAME) in said
    assert [path.name for path in image_home.iterdir() if path.name.endswith(".tmp")] == []


def test_a_tree_that_was_changed_is_refused(image_home: Path) -> None:
    make_small_image()
    (image_home / NAME / "root/etc/word").write_text("taken")
    with pytest.raises(StoreError, match="changed after it was made"):
        image_digest(NAME)


@pytest.mark.parametrize("content", ["", "{", '{"schema_version": 2}'])
def test_a_damaged_document_is_said_with_its_mend(image_home: Path, content: str) -> None:
    make_small_image()
    (image_home / NAME / "image.json").write_text(content)
    with pytest.raises(StoreError, match="damaged") as caught:
        read_image(NAME)
    assert "build the image again" in (caught.value.mend or "")


def test_an_image_under_another_name_is_refused(image_home: Path) -> None:
    make_small_image()
    (image_home / NAME).rename(image_home / "renamed")
    with pytest.raises(StoreError, match="do not belong together"):
        read_image("renamed")


@pytest.mark.parametrize("name", ["python", "never-made"])
def test_an_image_that_was_not_made_says_how_to_make_it(image_home: Path, name: str) -> None:
    with pytest.raises(EnvironmentLacksError, match="not on this machine") as caught:
        image_digest(name)
    assert f"underspec image build {name}" in (caught.value.mend or "")
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("name", ["", "host", "../small", "Small", "a/b", ".small", "a.b"])
def test_what_cannot_name_an_image_names_none(image_home: Path, name: str) -> None:
    make_small_image()
    with pytest.raises(EnvironmentLacksError):
        image_digest(name)


def test_the_document_holds_no_time_and_no_path(image_home: Path) -> None:
    make_small_image()
    text = (image_home / NAME / "image.json").read_text()
    assert str(image_home) not in text
    assert set(json.loads(text)) == {
        *("schema_version", "name", "recipe", "tree_digest", "seal", "architecture", "env", "made_with", "packages"),
        *("files", "bytes"),
    }


def test_a_leftover_in_which_something_is_mounted_is_not_removed(
    image_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = image_home / f".{NAME}.dead.tmp"
    (left / "root/proc").mkdir(parents=True)
    line = f"1 1 0:1 / {left}/root/proc rw - proc proc rw\n"
    read = Path.read_text
    monkeypatch.setattr(
        Path, "read_text", lambda path, *a: line if str(path) == "/proc/self/mountinfo" else read(path, *a)
    )
    with pytest.raises(SandboxError, match="mounted"):
        make_small_image()
    assert left.exists()


def test_too_little_room_is_said_before_anything_is_made(image_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(Path.cwd())
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1024**2))
    with pytest.raises(HostExhaustedError, match="1 MiB of the 2048 MiB"):
        make_small_image()
    assert built_images() == []


def test_the_seal_is_looked_at_once_a_process(image_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_small_image()
    image_digest(NAME)

    def again(root: Path) -> str:
        raise HarnessError("walked twice")

    monkeypatch.setattr(kept, "seal_tree", again)
    began = time.perf_counter()
    for _ in range(100):
        image_digest(NAME)
    assert time.perf_counter() - began < 2
    os.utime(image_home / NAME / "image.json", (1, 1))  # as if it had been made again
    with pytest.raises(HarnessError):
        image_digest(NAME)

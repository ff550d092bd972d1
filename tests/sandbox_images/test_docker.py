"""Images taken from Docker: unpacked in confinement, and the same tree whichever way it came."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.sandbox_images.small import NAME, PATH, fill
from underspec.errors import EnvironmentLacksError, SandboxError
from underspec.sandbox.docker.connection import engine
from underspec.sandbox.images.build import build_from_docker
from underspec.sandbox.images.docker import _unpack
from underspec.sandbox.images.store import built_images, root_tree

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def stream(*members: tuple[str, bytes, bytes | str]) -> io.BytesIO:
    """A tar of (name, type, content or target)."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, kind, value in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            if isinstance(value, bytes):
                member.size = len(value)
                tar.addfile(member, io.BytesIO(value))
            else:
                member.linkname = value
                tar.addfile(member)
    raw.seek(0)
    return raw


@pytest.mark.parametrize(
    "members",
    [
        [("out", tarfile.SYMTYPE, "{outside}"), ("out/kept", tarfile.REGTYPE, b"taken")],
        [("up", tarfile.SYMTYPE, "../outside"), ("up/kept", tarfile.REGTYPE, b"taken")],
        [("file", tarfile.SYMTYPE, "../outside/kept"), ("file", tarfile.REGTYPE, b"taken")],
        [("hard", tarfile.LNKTYPE, "../outside/kept"), ("hard", tarfile.REGTYPE, b"taken")],
        [("../outside/kept", tarfile.REGTYPE, b"taken")],
        [("{outside}/kept", tarfile.REGTYPE, b"taken")],
    ],
)
def test_nothing_in_an_export_reaches_beyond_its_folder(
    tmp_path: Path, members: list[tuple[str, bytes, bytes | str]]
) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "kept").write_text("kept")
    placed = [
        (name.format(outside=outside), kind, value.format(outside=outside) if isinstance(value, str) else value)
        for name, kind, value in members
    ]
    with contextlib.suppress(SandboxError):  # most lead to nothing where it is unpacked
        _unpack(stream(*placed), root)
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"kept": "kept"}
    assert (outside / "kept").stat().st_nlink == 1


def test_devices_and_pipes_are_left_out_and_hard_links_kept(tmp_path: Path) -> None:
    _unpack(
        stream(
            ("null", tarfile.CHRTYPE, ""),
            ("disk", tarfile.BLKTYPE, ""),
            ("pipe", tarfile.FIFOTYPE, ""),
            ("one", tarfile.REGTYPE, b"content"),
            ("two", tarfile.LNKTYPE, "one"),
        ),
        tmp_path,
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]
    assert (tmp_path / "two").read_bytes() == b"content"


def test_owners_and_modes_are_the_images(tmp_path: Path) -> None:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        member = tarfile.TarInfo("file")
        member.uid, member.gid, member.mode = 33, 42, 0o640
        member.uname = "root"  # a name of this machine is no matter
        tar.addfile(member)
    raw.seek(0)
    _unpack(raw, tmp_path)
    status = (tmp_path / "file").stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (33, 42, 0o640)


def test_a_damaged_export_is_said(tmp_path: Path) -> None:
    whole = stream(("one", tarfile.REGTYPE, bytes(100_000))).getvalue()
    with pytest.raises(SandboxError, match="cannot be unpacked"):
        _unpack(io.BytesIO(whole[:50_000]), tmp_path)
    with pytest.raises(SandboxError, match="cannot be unpacked"):
        _unpack(io.BytesIO(b"no tar at all" * 1000), tmp_path)


@pytest.mark.sandbox
def test_an_image_of_the_engine_becomes_one_of_ours(image_home: Path, tmp_path: Path, container_engine: str) -> None:
    (tmp_path / "root").mkdir()
    fill(tmp_path / "root")
    tar = subprocess.run(["tar", "-c", "."], cwd=tmp_path / "root", capture_output=True, check=True).stdout
    name = "underspec-tests-small:1"
    with engine() as connected:
        repository, _, tag = name.partition(":")
        place = f"/images/create?fromSrc=-&repo={repository}&tag={tag}&changes=ENV%20PATH%3D{PATH}%20MODE%3Dfast"
        connected.checked("POST", place, tar, "application/x-tar")
    try:
        first = build_from_docker(NAME, name, on_progress=lambda step: None)
        assert build_from_docker("again", name, on_progress=lambda step: None).digest == first.digest
    finally:
        with engine() as connected:
            connected.checked("DELETE", f"/images/{name}?force=1")
    assert (root_tree(NAME) / "etc/word").read_text() == "first"
    assert (first.env["MODE"], first.env["PATH"], first.recipe) == ("fast", PATH, None)
    assert first.made_with["docker"] == name
    with engine() as connected:
        assert b"underspec.export" not in connected.checked("GET", "/containers/json?all=1")


def test_an_image_that_the_engine_lacks_is_to_be_pulled(image_home: Path, container_engine: str) -> None:
    with pytest.raises(EnvironmentLacksError, match="has no image") as caught:
        build_from_docker(NAME, "underspec-tests-missing", on_progress=lambda step: None)
    assert "docker pull underspec-tests-missing" in (caught.value.mend or "")
    assert built_images() == []


def test_without_an_engine_the_mend_names_one(image_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(EnvironmentLacksError):
        build_from_docker(NAME, "busybox", on_progress=lambda step: None)

"""Archives that mean harm are refused, honest ones are unpacked with the same modes whatever the umask."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from underspec.errors import GoldenError
from underspec.task import unpack as unpacking
from underspec.task.unpack import unpack


def a_zip(path: Path, *members: tuple[str, bytes, int]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, mode in members:
            member = zipfile.ZipInfo(name)
            member.external_attr = mode << 16
            archive.writestr(member, content)
    return path


def a_tar(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def member(name: str, type_: bytes = tarfile.REGTYPE, mode: int = 0o644, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.linkname = type_, mode, link
    return info


@pytest.fixture
def into(tmp_path: Path) -> Path:
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o027])
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_honest_archives_unpack_with_modes_that_no_umask_changes(
    tmp_path: Path, into: Path, kind: str, mask: int
) -> None:
    if kind == "zip":
        files = (("lib/a.py", b"a", 0o100600), ("lib/run", b"r", 0o100700), ("lib/sub/", b"", 0o40700))
        archive = a_zip(tmp_path / "x.whl", *files)
    else:
        archive = a_tar(
            tmp_path / "x.tar.gz",
            (member("./lib", tarfile.DIRTYPE, 0o700), b""),
            (member("./lib/a.py", mode=0o600), b"a"),
            (member("lib/run", mode=0o700), b"r"),
        )
    before = os.umask(mask)
    try:
        unpack(archive, into)
    finally:
        os.umask(before)
    modes = {path.relative_to(into).as_posix(): stat.S_IMODE(path.stat().st_mode) for path in into.rglob("*")}
    assert modes == {"lib": 0o755, "lib/a.py": 0o644, "lib/run": 0o755}
    assert (into / "lib/a.py").read_bytes() == b"a"


UNSAFE = ["/etc/passwd", "../up", "a/../../up", "a/./b", "a//b", "a\\b", "a\nb", "..", "x" * 300]


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_paths_are_refused(tmp_path: Path, into: Path, name: str) -> None:
    for archive in (
        a_zip(tmp_path / "x.zip", ("ok", b"", 0o100644), (name, b"x", 0o100644)),
        a_tar(tmp_path / "x.tgz", (member("ok2"), b""), (member(name), b"x")),
    ):
        with pytest.raises(GoldenError, match="unsafe path") as raised:
            unpack(archive, into)
        assert str(raised.value).isprintable()
    assert sorted(path.name for path in into.iterdir()) == ["ok", "ok2"]
    assert not (tmp_path / "up").exists()


LINKS: dict[str, Callable[[Path], Path]] = {
    "a symbolic link": lambda path: a_tar(path / "x.tgz", (member("a", tarfile.SYMTYPE, link="/etc"), b"")),
    "a hard link": lambda path: a_tar(path / "x.tgz", (member("a", tarfile.LNKTYPE, link="/etc/passwd"), b"")),
    "a device": lambda path: a_tar(path / "x.tgz", (member("a", tarfile.CHRTYPE), b"")),
    "a named pipe": lambda path: a_tar(path / "x.tgz", (member("a", tarfile.FIFOTYPE), b"")),
    "a link in a zip": lambda path: a_zip(path / "x.zip", ("a", b"/etc", 0o120777)),
    "a way through a link": lambda path: a_tar(
        path / "x.tgz", (member("a", tarfile.SYMTYPE, link=".."), b""), (member("a/b"), b"x")
    ),
}


@pytest.mark.parametrize("name", LINKS)
def test_links_and_devices_are_refused(tmp_path: Path, into: Path, name: str) -> None:
    with pytest.raises(GoldenError, match="no regular file"):
        unpack(LINKS[name](tmp_path), into)
    assert list(into.iterdir()) == []


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("names", [("a", "a"), ("a", "a/b"), ("a/b", "a")])
def test_a_path_twice_is_refused(tmp_path: Path, into: Path, names: tuple[str, str]) -> None:
    archive = a_zip(tmp_path / "x.zip", *((name, b"", 0o100644) for name in names))
    with pytest.raises(GoldenError, match="one path twice"):
        unpack(archive, into)


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_bomb_ends_at_the_limit(tmp_path: Path, into: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_UNPACKED_BYTES", 3 * 1024**2)
    zeros = bytes(64 * 1024**2)
    archive = (
        a_zip(tmp_path / "x.zip", ("a", zeros, 0o100644))
        if kind == "zip"
        else a_tar(tmp_path / "x.tgz", (member("a"), zeros))
    )
    with pytest.raises(GoldenError, match="unpacks to more than 3 MiB"):
        unpack(archive, into)
    assert (into / "a").stat().st_size <= 3 * 1024**2


def test_too_many_files_are_refused(tmp_path: Path, into: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_UNPACKED_FILES", 10)
    archive = a_zip(tmp_path / "x.zip", *((f"{number}", b"", 0o100644) for number in range(11)))
    with pytest.raises(GoldenError, match="more than 10 files"):
        unpack(archive, into)


def _damaged(path: Path, good: Path, change: Callable[[bytearray], object]) -> Path:
    data = bytearray(good.read_bytes())
    change(data)
    path.write_bytes(bytes(data))
    return path


@pytest.mark.parametrize("suffix", [".whl", ".zip", ".tgz", ".tar.gz"])
@pytest.mark.parametrize("content", [b"", b"\0" * 1000, b"PK\x03\x04" + b"x" * 100, b"\x1f\x8b" + b"x" * 100, b"text"])
def test_what_is_no_archive_is_damaged(tmp_path: Path, into: Path, suffix: str, content: bytes) -> None:
    archive = tmp_path / f"x{suffix}"
    archive.write_bytes(content)
    with pytest.raises(GoldenError, match="is damaged"):
        unpack(archive, into)


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_damage_at_any_place_is_an_error_or_no_harm(tmp_path: Path, kind: str) -> None:
    content = bytes(range(256)) * 8
    good = (
        a_zip(tmp_path / "good.zip", ("a", content, 0o100644), ("b", content, 0o100644))
        if kind == "zip"
        else a_tar(tmp_path / "good.tgz", (member("a"), content), (member("b"), content))
    )
    size = good.stat().st_size
    for place in range(0, size, max(1, size // 60)):
        for name, change in (
            ("flip", lambda data, place=place: data.__setitem__(place, data[place] ^ 0xFF)),
            ("cut", lambda data, place=place: data.__delitem__(slice(place, None))),
        ):
            folder = tmp_path / f"{name}{place}"
            folder.mkdir()
            try:
                unpack(_damaged(tmp_path / f"bad{''.join(good.suffixes)}", good, change), folder)
            except GoldenError:
                continue


def test_an_encrypted_zip_is_damaged_for_us(tmp_path: Path, into: Path) -> None:
    archive = a_zip(tmp_path / "x.zip", ("a", b"x", 0o100644))

    def encrypt(data: bytearray) -> None:
        data[6] |= 1
        data[data.index(b"PK\x01\x02") + 8] |= 1

    with pytest.raises(GoldenError, match="is damaged"):
        unpack(_damaged(tmp_path / "y.zip", archive, encrypt), into)


@pytest.mark.parametrize("format_", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_a_header_that_would_fill_memory_is_refused(tmp_path: Path, into: Path, format_: int) -> None:
    archive = tmp_path / "x.tar.gz"
    with tarfile.open(archive, "w:gz", format=format_) as made:
        made.addfile(member("a"))
        info = member("b" * (2_000_000 if format_ == tarfile.GNU_FORMAT else 1))
        info.pax_headers = {"comment": "x" * 2_000_000}
        made.addfile(info)
    with pytest.raises(GoldenError, match="headers is larger"):
        unpack(archive, into)


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_path_that_no_disk_takes_is_refused(tmp_path: Path, into: Path, kind: str) -> None:
    deep = "/".join(["d"] * 3000)
    if kind == "zip":
        archive = a_zip(tmp_path / "x.whl", (deep, b"a", 0o100644))
    else:
        archive = a_tar(tmp_path / "x.tar.gz", (member(deep), b"a"))
    with pytest.raises(GoldenError, match="unsafe path"):
        unpack(archive, into)

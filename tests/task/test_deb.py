"""Golden archives that are Debian packages: fetched by apt, read without running anything, refused where they harm."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.task.test_golden import named
from underspec.errors import GoldenError
from underspec.sandbox.egress.source import Source
from underspec.task import unpack as unpacking
from underspec.task.golden import archive_place, fetch_golden
from underspec.task.unpack import unpack

PACK: dict[str, Callable[[bytes], bytes]] = {
    ".xz": lzma.compress,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    "": bytes,
}


def a_tar(*members: tuple[str, bytes, int]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content, mode in members:
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), mode
            if name.endswith("/"):
                info.type = tarfile.DIRTYPE
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def an_ar(*members: tuple[str, bytes]) -> bytes:
    whole = b"!<arch>\n"
    for name, content in members:
        whole += f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode() + content
        whole += b"\n" * (len(content) % 2)
    return whole


def a_deb(data: bytes, suffix: str = ".xz") -> bytes:
    control = lzma.compress(a_tar(("./postinst", b"#!/bin/sh\ntouch /ran\n", 0o755)))
    return an_ar(("debian-binary", b"2.0\n"), ("control.tar.xz", control), (f"data.tar{suffix}", data))


FILES = (("./usr/", b"", 0o755), ("./usr/lib/a.rb", b"a" * 70_000, 0o644), ("./usr/bin/b", b"b", 0o755))


@pytest.fixture
def into(tmp_path: Path) -> Path:
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


@pytest.fixture
def deb(tmp_path: Path) -> Path:
    return tmp_path / "lib_1.0-1_all.deb"


def found(into: Path) -> dict[str, bytes]:
    return {str(path.relative_to(into)): path.read_bytes() for path in into.rglob("*") if path.is_file()}


@pytest.mark.parametrize("suffix", PACK)
def test_what_a_package_installs_is_unpacked_and_its_scripts_are_not(deb: Path, into: Path, suffix: str) -> None:
    deb.write_bytes(a_deb(PACK[suffix](a_tar(*FILES)), suffix))
    unpack(deb, into)
    assert found(into) == {"usr/lib/a.rb": b"a" * 70_000, "usr/bin/b": b"b"}
    assert (into / "usr/bin/b").stat().st_mode & 0o777 == 0o755
    assert (into / "usr/lib/a.rb").stat().st_mode & 0o777 == 0o644


def zstd(data: bytes) -> bytes:
    program = shutil.which("zstd")
    if program is None or shutil.which("dpkg-deb") is None:
        pytest.skip("zstd or dpkg-deb is not installed")
    return subprocess.run([program, "-q", "-c"], input=data, capture_output=True, check=True).stdout


def test_zstandard_is_left_to_dpkg(deb: Path, into: Path) -> None:
    deb.write_bytes(a_deb(zstd(a_tar(*FILES)), ".zst"))
    unpack(deb, into)
    assert set(found(into)) == {"usr/lib/a.rb", "usr/bin/b"}


def test_zstandard_that_dpkg_cannot_read_is_an_error(deb: Path, into: Path) -> None:
    deb.write_bytes(a_deb(zstd(a_tar(*FILES))[:40], ".zst"))
    with pytest.raises(GoldenError):
        unpack(deb, into)


def test_zstandard_without_dpkg_says_what_is_missing(
    deb: Path, into: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deb.write_bytes(a_deb(b"\x28\xb5\x2f\xfd", ".zst"))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(GoldenError, match="dpkg-deb, which reads that, is missing"):
        unpack(deb, into)


GOOD = a_deb(lzma.compress(a_tar(*FILES)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "no ar archive", id="empty"),
        pytest.param(b"PK\x03\x04 something else", "no ar archive", id="zip"),
        pytest.param(an_ar(("control.tar.xz", b"x")), "not debian-binary", id="no-debian-binary"),
        pytest.param(an_ar(("debian-binary", b"2.0\n")), "holds no data", id="no-data"),
        pytest.param(an_ar(("debian-binary", b"2.0\n"), ("data.tar.lz", b"")), "unknown way", id="compression"),
        pytest.param(GOOD[:-40], "ends too early", id="cut"),
        pytest.param(GOOD[:72] + b"?" * 60 + GOOD[132:], "headers is damaged", id="header"),
        pytest.param(a_deb(b"no xz at all" * 9), "cannot be decompressed", id="not-xz"),
        pytest.param(a_deb(b"no tar at all" * 99, ""), "damaged", id="not-tar"),
        pytest.param(a_deb(a_tar(("./usr/", b"", 0o755)), ""), "holds no file", id="nothing-in-it"),
        pytest.param(a_deb(a_tar(("../../up", b"x", 0o644)), ""), "unsafe path", id="upwards"),
        pytest.param(an_ar(("debian-binary", b"2.0\n"), *[("x", b"")] * 99), "more than 16 members", id="members"),
    ],
)
def test_what_is_no_honest_package_is_refused(deb: Path, into: Path, content: bytes, message: str) -> None:
    deb.write_bytes(content)
    with pytest.raises(GoldenError, match=message):
        unpack(deb, into)


def test_a_link_is_refused(deb: Path, into: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("./usr/share/doc/lib")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc"
        archive.addfile(info)
    deb.write_bytes(a_deb(buffer.getvalue(), ""))
    with pytest.raises(GoldenError, match="no regular file"):
        unpack(deb, into)
    assert list(into.iterdir()) == []


def test_the_unpacked_size_is_limited(deb: Path, into: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_UNPACKED_BYTES", 50_000)
    deb.write_bytes(GOOD)
    with pytest.raises(GoldenError, match="unpacks to more than"):
        unpack(deb, into)


# --- fetching with apt ---

WANTED = named(
    registry="deb",
    name="ruby-lib",
    version="1:1.0-1",
    filename="ruby-lib_1%3a1.0-1_all.deb",
    sha256=hashlib.sha256(GOOD).hexdigest(),
    root="usr/lib",
)


def fake_apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/apt-get").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "bin/apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")


def test_apt_downloads_the_very_version_and_the_root_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "served.deb").write_bytes(GOOD)
    script = f'echo "$@" > {tmp_path}/asked; cp {tmp_path}/served.deb ruby-lib_1%3a1.0-1_all.deb'
    fake_apt(tmp_path, monkeypatch, script)
    assert [path.name for path in fetch_golden(WANTED, tmp_path / "cache").iterdir()] == ["a.rb"]
    assert (tmp_path / "asked").read_text() == "--quiet download ruby-lib=1:1.0-1\n"


def test_a_version_that_apt_does_not_have_is_named_with_the_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_apt(tmp_path, monkeypatch, "echo \"E: Version '1:1.0-1' for 'ruby-lib' was not found\" >&2; exit 100")
    with pytest.raises(GoldenError, match="was not found") as raised:
        fetch_golden(WANTED, tmp_path / "cache")
    assert "apt-get update" in str(raised.value.mend)
    assert str(archive_place(WANTED, tmp_path / "cache")) in str(raised.value.mend)


def test_another_package_under_the_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_apt(tmp_path, monkeypatch, "echo other > ruby-lib_1%3a1.0-1_all.deb")
    with pytest.raises(GoldenError, match="not the one named"):
        fetch_golden(WANTED, tmp_path / "cache")


def test_without_apt_the_mend_says_which_file_to_put_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(GoldenError, match="apt-get is missing") as raised:
        fetch_golden(WANTED, tmp_path / "cache")
    assert str(archive_place(WANTED, tmp_path / "cache")) in str(raised.value.mend)


@pytest.mark.parametrize("wrong", [{"name": "@scope/lib"}, {"filename": "lib-1.0.tar.gz"}])
def test_a_name_that_is_no_packages_is_refused(tmp_path: Path, wrong: dict[str, str]) -> None:
    with pytest.raises(GoldenError) as raised:
        fetch_golden(WANTED.model_copy(update=wrong), tmp_path / "cache")
    assert raised.value.where == f"$.{next(iter(wrong))}"


# --- asking others for it ---


@pytest.mark.parametrize(
    "path",
    [
        "/debian/pool/main/r/ruby-stamps/ruby-stamps_1.0-1_all.deb",
        "/debian/pool/main/r/ruby-stamps/ruby-stamps_1.0.orig.tar.gz",
        "/gems/stamps-1.0.gem",
        "/api/v1/gems/stamps.json",
    ],
)
def test_the_library_is_not_to_be_had_under_its_other_names(path: str) -> None:
    assert Source("https://example.invalid/", "deb", "ruby-stamps").has_path(path)


@pytest.mark.parametrize("path", ["/gems/stamp-1.0.gem", "/debian/pool/main/r/ruby-stampset/ruby-stampset_1_all.deb"])
def test_what_is_only_called_alike_is_to_be_had(path: str) -> None:
    assert not Source("https://example.invalid/", "deb", "ruby-stamps").has_path(path)


def test_a_development_package_is_the_library_too() -> None:
    source = Source("https://example.invalid/", "deb", "golang-github-user-lib-dev")
    assert source.has_path("/debian/pool/main/g/golang-github-user-lib/golang-github-user-lib-dev_1.0-1_all.deb")
    assert source.has_path("/debian/pool/main/g/golang-github-user-lib/golang-github-user-lib_1.0.orig.tar.xz")

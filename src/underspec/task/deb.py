"""Reads the files of a Debian package without running anything of it.

A package is an ``ar`` archive (deb(5)) of ``debian-binary``, ``control.tar.*`` and ``data.tar.*``. Only the last one is
read: what the package installs. Maintainer scripts stand in the second and are never looked at.
"""

from __future__ import annotations

import bz2
import contextlib
import io
import lzma
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol

MAX_DICTIONARY_BYTES = 256 * 1024**2
"""What unpacking an xz stream may take of memory; ``xz -9`` needs 65 MiB."""

_MAGIC = b"!<arch>\n"
_HEADER_BYTES = 60
_HEADER_END = b"`\n"
_MOST_MEMBERS = 16
_CHUNK = 1 << 12
"""So few packed bytes at once that what they unpack to stays small, whatever they are."""


class DebError(ValueError):
    """The file is no Debian package that can be read; says why."""


class _Decompressor(Protocol):
    def decompress(self, data: bytes) -> bytes: ...


class _Plain:
    def decompress(self, data: bytes) -> bytes:
        return data


class _Gzip:
    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(31)

    def decompress(self, data: bytes) -> bytes:
        return self._inflate.decompress(data)


def _decompressor(suffix: str) -> _Decompressor:
    if suffix == ".xz":
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_DICTIONARY_BYTES)
    if suffix == ".gz":
        return _Gzip()
    if suffix == ".bz2":
        return bz2.BZ2Decompressor()
    return _Plain()


class _Inflated(io.RawIOBase):
    """One member of the archive, decompressed as it is read, once from front to back."""

    def __init__(self, packed: IO[bytes], size: int, suffix: str) -> None:
        self._packed, self._left = packed, size
        self._decompressor = _decompressor(suffix)
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready and self._left and not getattr(self._decompressor, "eof", False):
            chunk = self._packed.read(min(self._left, _CHUNK))
            if not chunk:
                raise DebError("it ends too early")
            self._left -= len(chunk)
            try:
                self._ready = self._decompressor.decompress(chunk)
            except (lzma.LZMAError, OSError, zlib.error) as problem:
                raise DebError(f"its data cannot be decompressed: {problem}") from problem
        given, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(given)] = given
        return len(given)


def _members(stream: IO[bytes]) -> Iterator[tuple[str, int]]:
    """Name and size of each member; the stream then stands at its content, wherever the caller leaves it."""
    if stream.read(len(_MAGIC)) != _MAGIC:
        raise DebError("it is no ar archive")
    for _ in range(_MOST_MEMBERS):
        header = stream.read(_HEADER_BYTES)
        if not header:
            return
        size = header[48:58].strip()
        if len(header) != _HEADER_BYTES or header[58:] != _HEADER_END or not size.isdigit():
            raise DebError("one of its headers is damaged")
        start = stream.tell()
        yield header[:16].decode("ascii", "replace").strip().removesuffix("/"), int(size)
        stream.seek(start + int(size) + int(size) % 2)
    raise DebError(f"it has more than {_MOST_MEMBERS} members")


@contextlib.contextmanager
def deb_data(archive: Path) -> Iterator[IO[bytes]]:
    """The tar stream of what a package installs, for reading once from front to back.

    Compression by xz, gzip, bzip2 or none is read here; Zstandard, which some distributions use, by ``dpkg-deb``.

    Raises:
        DebError: it is no package, is damaged, or needs ``dpkg-deb``, which is missing. Damage is found while the
            stream is read.
    """
    with archive.open("rb") as stream:
        names = _members(stream)
        if next(names, ("", 0))[0] != "debian-binary":
            raise DebError("it is no Debian package: its first member is not debian-binary")
        for name, size in names:
            suffix = name.removeprefix("data.tar")
            if suffix == name:
                continue
            if suffix == ".zst":
                with _by_dpkg(archive) as data:
                    yield data
                return
            if suffix not in ("", ".xz", ".gz", ".bz2"):
                raise DebError(f"its data are compressed in an unknown way: {name!r}")
            yield io.BufferedReader(_Inflated(stream, size, suffix))
            return
    raise DebError("it holds no data")


@contextlib.contextmanager
def _by_dpkg(archive: Path) -> Iterator[IO[bytes]]:
    program = shutil.which("dpkg-deb")
    if program is None:
        raise DebError("it is compressed with Zstandard, and dpkg-deb, which reads that, is missing on this machine")
    # It writes the tar stream and runs nothing.
    command = [program, "--fsys-tarfile", str(archive.absolute())]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        assert running.stdout is not None
        try:
            yield running.stdout
            # What follows the end of the tar is read too, so that the program can end by itself.
            while running.stdout.read(_CHUNK):
                pass
        except BaseException:
            running.kill()
            raise
    if running.returncode != 0:
        raise DebError("dpkg-deb cannot read it")

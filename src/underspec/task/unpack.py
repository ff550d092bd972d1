"""Unpacks an archive from a registry as if it meant harm: regular files only, nothing outside, sizes bounded."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Self

from underspec.artifact.files import host_exhaustion
from underspec.errors import GoldenError
from underspec.task.deb import DebError, deb_data
from underspec.task.tree import name_problem, shown

MAX_UNPACKED_BYTES = 512 * 1024**2
MAX_UNPACKED_FILES = 50_000

_CHUNK = 1024**2
_LONGEST_PATH = 1000
_LONGEST_HEADER = 1024**2
_HEADERS = frozenset(
    {
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.SOLARIS_XHDTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
    }
)
_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
_MEND = "choose another archive of the package for hidden/golden.toml"


def _refuse(archive: Path, message: str) -> GoldenError:
    return GoldenError(f"the golden archive {message}", file=archive.name, mend=_MEND)


def _checked(archive: Path, name: str) -> str:
    parts = name.split("/")
    if (
        name.startswith("/")
        or len(name) > _LONGEST_PATH
        or any(part in ("", ".", "..") or name_problem(part) for part in parts)
    ):
        raise _refuse(archive, f"holds the unsafe path {shown(name)[:80]!r}")
    return name


class _Member(tarfile.TarInfo):
    """A member whose extended header is bounded: such headers are read into memory whole."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        member = super().frombuf(buf, encoding, errors)
        if member.size > _LONGEST_HEADER and member.type in _HEADERS:
            raise ValueError("one of its headers is larger than 1 MiB")
        return member


def _tar_members(archive: Path) -> Iterator[tuple[str, bool, IO[bytes]]]:
    with tarfile.open(archive, "r|gz", tarinfo=_Member) as opened:
        yield from _opened_members(archive, opened)


def _deb_members(archive: Path) -> Iterator[tuple[str, bool, IO[bytes]]]:
    with deb_data(archive) as data, tarfile.open(fileobj=data, mode="r|", tarinfo=_Member) as opened:
        yield from _opened_members(archive, opened)


def _opened_members(archive: Path, opened: tarfile.TarFile) -> Iterator[tuple[str, bool, IO[bytes]]]:
    # A stream, read once from front to back: nothing is listed or held before it is checked.
    for member in opened:
        if member.isdir():
            continue
        name = _checked(archive, member.name.removeprefix("./"))
        content = opened.extractfile(member) if member.isreg() else None
        if content is None:
            raise _refuse(archive, f"holds {name!r}, which is no regular file")
        yield name, bool(member.mode & 0o100), content


def _zip_members(archive: Path) -> Iterator[tuple[str, bool, IO[bytes]]]:
    with zipfile.ZipFile(archive) as opened:
        for member in opened.infolist():
            if member.is_dir():
                continue
            name = _checked(archive, member.filename)
            mode = member.external_attr >> 16
            if mode & 0o170000 not in (0, 0o100000):
                raise _refuse(archive, f"holds {name!r}, which is no regular file")
            with opened.open(member) as content:
                yield name, bool(mode & 0o100), content


_READERS = {".whl": _zip_members, ".zip": _zip_members, ".deb": _deb_members}


def write_file(target: Path, content: bytes, *, executable: bool) -> None:
    """Write one file whose mode does not depend on the umask: 0644, or 0755 when executable."""
    target.write_bytes(content)
    target.chmod(0o755 if executable else 0o644)


def make_folders(root: Path, folder: Path) -> None:
    """Make ``folder`` and its parents below ``root``, all 0755 whatever the umask."""
    missing = []
    while folder != root and not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        one.chmod(0o755)


def unpack(archive: Path, into: Path) -> None:
    """Unpack a wheel, zip, gzipped tar archive or Debian package into the existing folder ``into``.

    Of a Debian package only the files are taken that it installs; nothing of it is run.

    Raises:
        GoldenError: it is damaged, larger than 512 MiB or 50,000 files when unpacked, or holds a link, a device, a
            path that leads elsewhere, or one path twice.
        HostExhaustedError: no space left.
    """
    members = _READERS.get(archive.suffix, _tar_members)(archive)
    total = count = 0
    with host_exhaustion(into):
        try:
            for count, (name, executable, content) in enumerate(members, start=1):
                target = into / name
                make_folders(into, target.parent)
                with target.open("xb") as stream:
                    while chunk := content.read(_CHUNK):
                        total += len(chunk)
                        if total > MAX_UNPACKED_BYTES:
                            raise _refuse(archive, f"unpacks to more than {MAX_UNPACKED_BYTES // 1024**2} MiB")
                        stream.write(chunk)
                target.chmod(0o755 if executable else 0o644)
                if count >= MAX_UNPACKED_FILES:
                    raise _refuse(archive, f"holds more than {MAX_UNPACKED_FILES:,} files")
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as problem:
            raise _refuse(archive, "holds one path twice") from problem
        except DebError as problem:
            raise _refuse(archive, f"cannot be read: {problem}") from problem
        except _DAMAGE as problem:
            raise _refuse(archive, f"is damaged: {shown(str(problem))[:120]}") from problem
    if count == 0:
        raise _refuse(archive, "is damaged: it holds no file")

"""What files carry besides what they show: authors, places, times. Taken out where that is understood, refused else."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

TEXT_ENDINGS = frozenset(
    {".txt", ".md", ".csv", ".tsv", ".json", ".jsonl", ".xml", ".html", ".htm", ".css", ".js", ".py", ".toml", ".yaml"}
    | {".yml", ".ini", ".sql", ".svg", ".srt", ".vtt", ".log", ".rst", ".sh", ".ts", ".rb", ".php", ".go", ".java"}
)
NOTICES = re.compile(r"^(?:LICENSE|LICENCE|NOTICE|COPYING|COPYRIGHT)(?:[.-][\w.-]+)?$", re.IGNORECASE)
_PNG = b"\x89PNG\r\n\x1a\n"
_SHOWN = frozenset({b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"bKGD", b"pHYs", b"sBIT"})
_JPEG_KEPT = frozenset({0xE0, 0xEE})  # JFIF, and Adobe's colour transform, without which colours are wrong
_MOST = 64 * 1024**2


class NotUnderstoodError(Exception):
    """What a file carries cannot be told; says why."""


def is_notice(path: str) -> bool:
    """Whether a file is somebody's notice, which stays as it is."""
    return bool(NOTICES.match(PurePosixPath(path).name))


def is_text(path: str, content: bytes) -> bool:
    """Whether a file is text that can be searched and changed."""
    if PurePosixPath(path).suffix.lower() not in TEXT_ENDINGS and PurePosixPath(path).suffix:
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in content


def without_metadata(path: str, content: bytes) -> bytes:
    """The file with nothing besides what it shows.

    Raises:
        NotUnderstoodError: this kind of file is none whose metadata is known here, or it is damaged.
    """
    if content.startswith(_PNG):
        return _PNG + b"".join(_png_chunks(content))
    if content.startswith(b"\xff\xd8\xff"):
        return b"".join(_jpeg_segments(content))
    if content.startswith(b"PK\x03\x04"):
        return _zip(content)
    raise NotUnderstoodError("what this kind of file carries besides its content is not known here")


def _png_chunks(content: bytes) -> Iterator[bytes]:
    place, ended = len(_PNG), False
    while place + 12 <= len(content) and not ended:
        (size,) = struct.unpack_from(">I", content, place)
        kind = content[place + 4 : place + 8]
        if place + 12 + size > len(content):
            break
        if kind in _SHOWN:
            yield content[place : place + 12 + size]
        ended = kind == b"IEND"
        place += 12 + size
    if not ended:
        raise NotUnderstoodError("the PNG is damaged")


def _jpeg_segments(content: bytes) -> Iterator[bytes]:
    yield content[:2]
    place = 2
    while place + 4 <= len(content):
        if content[place] != 0xFF:
            raise NotUnderstoodError("the JPEG is damaged")
        marker = content[place + 1]
        if marker == 0xDA:  # the picture itself, to its end; what stands behind the end is left out
            end = content.rfind(b"\xff\xd9")
            if end < place:
                raise NotUnderstoodError("the JPEG has no end")
            yield content[place : end + 2]
            return
        (size,) = struct.unpack_from(">H", content, place + 2)
        comment_or_application = marker == 0xFE or 0xE0 <= marker <= 0xEF
        if not comment_or_application or marker in _JPEG_KEPT:
            yield content[place : place + 2 + size]
        place += 2 + size
    raise NotUnderstoodError("the JPEG is damaged")


def _zip(content: bytes) -> bytes:
    """An Office file without properties, comments and times. Its texts are the caller's to search."""
    made = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
            names = old.namelist()
            if "[Content_Types].xml" not in names:
                raise NotUnderstoodError("an archive must be unpacked, so that its files are looked at one by one")
            if sum(each.file_size for each in old.infolist()) > _MOST:
                raise NotUnderstoodError("it unpacks to too much")
            for name in names:
                if PurePosixPath(name).suffix.lower() not in (".xml", ".rels", ".vml"):
                    raise NotUnderstoodError(f"it holds {name[:80]!r}, which is no text")
                new.writestr(zipfile.ZipInfo(name), _without_properties(name, old.read(name)))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError) as problem:
        raise NotUnderstoodError(f"the archive is damaged: {problem}") from problem
    return made.getvalue()


_PROPERTIES = {
    "docProps/core.xml": b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties xmlns:cp='
    b'"http://schemas.openxmlformats.org/package/2006/metadata/core-properties"/>',
    "docProps/app.xml": b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Properties xmlns='
    b'"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"/>',
    "docProps/custom.xml": b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Properties xmlns='
    b'"http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"/>',
}


def _without_properties(name: str, content: bytes) -> bytes:
    return _PROPERTIES.get(name, content)


def texts_of(path: str, content: bytes) -> dict[str, str]:
    """Every text in a file, by where it stands: the file itself, or the members of an Office file."""
    if content.startswith(b"PK\x03\x04"):
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                members = {name: archive.read(name) for name in archive.namelist()}
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError):
            members = {}
        return {f"{path}!{name}": each.decode("utf-8", "replace") for name, each in members.items()}
    return {path: content.decode("utf-8", "replace")}


def with_texts(content: bytes, change: dict[str, str]) -> bytes:
    """An Office file with some members' texts changed, by member name."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = change[name].encode() if name in change else old.read(name)
            new.writestr(zipfile.ZipInfo(name), data)
    return made.getvalue()

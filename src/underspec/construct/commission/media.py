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
NOTICES = re.compile(r"^(?:LICENSE|LICENCE|NOTICE|COPYING|COPYRIGHT)(?:-[\w.-]+)?(?:\.(?:txt|md|rst))?$", re.IGNORECASE)
_PNG = b"\x89PNG\r\n\x1a\n"
_SHOWN = frozenset({b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"bKGD", b"pHYs", b"sBIT"})
# JFIF without a thumbnail, and Adobe's colour transform, without which colours are wrong. Anything longer is no part of
# either: a thumbnail shows what was cropped, and the rest is a place for words.
_JPEG_KEPT = {0xE0: (b"JFIF\0", 16), 0xEE: (b"Adobe", 14)}
_JPEG_IN_SCAN = frozenset({0x00, 0xFF, *range(0xD0, 0xD8)})
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
    while place + 2 <= len(content):
        if content[place] != 0xFF or (content[place + 1] != 0xD9 and place + 4 > len(content)):
            raise NotUnderstoodError("the JPEG is damaged")
        marker = content[place + 1]
        if marker == 0xD9:  # what stands behind the end is left out
            yield content[place : place + 2]
            return
        (size,) = struct.unpack_from(">H", content, place + 2)
        end = place + 2 + size
        if marker == 0xDA:
            end = _scan_end(content, end)
        begins, long = _JPEG_KEPT.get(marker, (b"", 0))
        kept = size == long and content.startswith(begins, place + 4)
        if kept or not (marker == 0xFE or 0xE0 <= marker <= 0xEF):
            yield content[place:end]
        place = end
    raise NotUnderstoodError("the JPEG is damaged")


def _scan_end(content: bytes, place: int) -> int:
    """Where the next marker stands behind the coded picture that begins at ``place``."""
    while (place := content.find(b"\xff", place)) >= 0 and place + 1 < len(content):
        if content[place + 1] not in _JPEG_IN_SCAN:
            return place
        place += 1 if content[place + 1] == 0xFF else 2
    raise NotUnderstoodError("the JPEG has no end")


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
                data = old.read(name)
                if b"\0" in data or not _is_utf8(data):
                    raise NotUnderstoodError(f"its {name[:80]!r} is no text in UTF-8")
                new.writestr(zipfile.ZipInfo(name), _without_properties(name, data))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError) as problem:
        raise NotUnderstoodError(f"the archive is damaged: {problem}") from problem
    return made.getvalue()


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


_PROPERTIES = {
    "docprops/core.xml": b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties xmlns:cp='
    b'"http://schemas.openxmlformats.org/package/2006/metadata/core-properties"/>',
    "docprops/app.xml": b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Properties xmlns='
    b'"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"/>',
    "docprops/custom.xml": b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Properties xmlns='
    b'"http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"/>',
}
# Who commented or changed something (ECMA-376: w:author, xl/comments, ppt/commentAuthors) and under which account.
_WHO = re.compile(
    rb"""(\b(?:author|initials|userId|userName|lastModifiedBy)\s*=\s*)(?:"[^"]+"|'[^']+')|(<(?:\w+:)?author>)[^<]+"""
)
_WHO_IN_LISTS = re.compile(rb"""(\b(?:name|displayName)\s*=\s*)(?:"[^"]+"|'[^']+')""")
_LISTS_OF_PEOPLE = re.compile(r"(?:^xl/persons/|commentauthors|authors\.xml$)", re.IGNORECASE)


def _without_properties(name: str, content: bytes) -> bytes:
    # Programs find parts whatever the case of their names (ECMA-376 part 2).
    known = _PROPERTIES.get(name.lower())
    if known is not None:
        return known
    content = _WHO.sub(lambda found: found[1] + b'""' if found[1] else found[2], content)
    if _LISTS_OF_PEOPLE.search(name):
        content = _WHO_IN_LISTS.sub(rb'\1""', content)
    return content


def texts_of(path: str, content: bytes) -> dict[str, str]:
    """Every text in a file, by where it stands: the file itself, or the members of an Office file."""
    if content.startswith(b"PK\x03\x04"):
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                members = {name: archive.read(name) for name in archive.namelist()}
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError):
            return {path: content.decode("utf-8", "replace")}  # only begins like an archive: it is searched as it is
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

"""Java's store of trusted certificates, without the times at which they were put there.

Layout (big-endian): magic, version, count; for each entry a tag, an alias, a time in milliseconds and, where it is a
lone certificate (tag 2), its kind and bytes; at the end SHA-1 over the password as UTF-16, a fixed phrase, and all that
stands before. Strings and certificates follow their length.
"""

from __future__ import annotations

import hashlib
import struct

_MAGIC, _TRUSTED = 0xFEEDFEED, 2
_PHRASE = b"Mighty Aphrodite"
# What Debian, as everybody, gives as the password of a file that is public.
_PASSWORD = "changeit"
_SEAL = 20


def without_times(content: bytes, milliseconds: int) -> bytes | None:
    """The same store with every time set to ``milliseconds``; None when this is no such store."""
    body = bytearray(content[:-_SEAL])
    if _seal(body) != content[-_SEAL:]:
        return None
    try:
        magic, version, count = struct.unpack_from(">III", body)
        if magic != _MAGIC or version != 2:
            return None
        place = 12
        for _ in range(count):
            tag, alias = struct.unpack_from(">IH", body, place)
            if tag != _TRUSTED:
                return None
            place += 6 + alias
            struct.pack_into(">Q", body, place, milliseconds)
            (kind,) = struct.unpack_from(">H", body, place + 8)
            (length,) = struct.unpack_from(">I", body, place + 10 + kind)
            place += 14 + kind + length
    except struct.error:
        return None
    return bytes(body) + _seal(body) if place == len(body) else None


def _seal(body: bytes | bytearray) -> bytes:
    return hashlib.sha1(_PASSWORD.encode("utf-16-be") + _PHRASE + body, usedforsecurity=False).digest()

"""The first message of a TLS connection (RFC 8446, 4.1.2), as far as it says which host is meant. Pure.

Many hosts share an address. Whoever was let through to one of them could ask for another there: so a tunnel carries
TLS, and for the host that was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MAX_HELLO_BYTES = 32 * 1024
_RECORD_HEADER = 5
_HANDSHAKE, _CLIENT_HELLO = 22, 1
_SERVER_NAME, _ENCRYPTED_HELLO = 0, 0xFE0D
ALERT = bytes([21, 3, 3, 0, 2, 2, 112])
"""What tells the client: fatal, unrecognised name."""


class NotTlsError(ValueError):
    """What the client sent is no beginning of TLS, or a damaged one."""


@dataclass(frozen=True)
class Hello:
    """``server_name`` in lower case; None where none is named. ``encrypted`` says that another hello may lie hidden
    inside, for another host."""

    server_name: str | None
    encrypted: bool


def read_hello(data: bytes) -> Hello | None:
    """The hello at the beginning of ``data``; None while more is needed.

    Raises:
        NotTlsError: it is none, whatever follows.
    """
    message = bytearray()
    place = 0
    while True:
        header = data[place : place + _RECORD_HEADER]
        if (header and header[0] != _HANDSHAKE) or (len(header) > 1 and header[1] != 3):
            raise NotTlsError("no handshake record")
        if len(header) < _RECORD_HEADER:
            break
        length = int.from_bytes(header[3:5], "big")
        if not 0 < length <= 2**14:
            raise NotTlsError("a record of that length is none")
        message += data[place + _RECORD_HEADER : place + _RECORD_HEADER + length]
        place += _RECORD_HEADER + length
        if place > len(data):
            break
        if len(message) >= 4 and len(message) >= 4 + int.from_bytes(message[1:4], "big"):
            break
    if message and message[0] != _CLIENT_HELLO:
        raise NotTlsError("no client hello")
    if len(message) < 4 or len(message) < 4 + (length := int.from_bytes(message[1:4], "big")):
        if len(data) >= MAX_HELLO_BYTES:
            raise NotTlsError("a client hello of that length is none")
        return None
    return _hello(_Reader(bytes(message[4 : 4 + length])))


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._place

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise NotTlsError("a client hello that ends too early")
        self._place += count
        return self._data[self._place - count : self._place]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def vector(self, size: int) -> _Reader:
        return _Reader(self.take(self.number(size)))


def _hello(body: _Reader) -> Hello:
    body.take(2 + 32)
    body.vector(1)
    body.vector(2)
    body.vector(1)
    name: str | None = None
    encrypted = False
    seen: set[int] = set()
    for kind, extension in _extensions(body):
        if kind in seen:
            raise NotTlsError("an extension that stands twice")
        seen.add(kind)
        if kind == _SERVER_NAME:
            name = _server_name(extension)
        encrypted = encrypted or kind == _ENCRYPTED_HELLO
    return Hello(name, encrypted)


def _extensions(body: _Reader) -> Iterator[tuple[int, _Reader]]:
    if not body.left:
        return
    extensions = body.vector(2)
    while extensions.left:
        yield extensions.number(2), extensions.vector(2)


def _server_name(extension: _Reader) -> str | None:
    names = extension.vector(2)
    found: list[str] = []
    while names.left:
        kind, name = names.number(1), names.vector(2)
        if kind == 0:
            found.append(name.take(name.left).decode("ascii", "replace").lower())
    if len(found) > 1:
        raise NotTlsError("two server names")
    return found[0] if found else None

"""Java's store of certificates: only its times change, and Java would still believe it."""

from __future__ import annotations

import hashlib
import struct

import pytest

from underspec.sandbox.images.keystore import without_times


def sealed(body: bytes) -> bytes:
    return body + hashlib.sha1("changeit".encode("utf-16-be") + b"Mighty Aphrodite" + body).digest()


def text(value: str) -> bytes:
    return struct.pack(">H", len(value)) + value.encode()


def store(*times: int, tag: int = 2) -> bytes:
    body = struct.pack(">III", 0xFEEDFEED, 2, len(times))
    for number, time in enumerate(times):
        certificate = bytes([number]) * (number + 1)
        body += struct.pack(">I", tag) + text(f"debian:{number}.pem") + struct.pack(">Q", time)
        body += text("X.509") + struct.pack(">I", len(certificate)) + certificate
    return sealed(body)


def test_stores_that_differ_in_times_become_one() -> None:
    assert without_times(store(1, 2, 3), 7) == without_times(store(4, 5, 6), 7) == store(7, 7, 7)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no store",
        store(1)[:-1] + b"x",
        sealed(store(1)[:-21]),
        sealed(store(1)[:-20] + b"more"),
        store(1, tag=1),
        sealed(b"\0" * 12),
    ],
)
def test_anything_else_is_left_alone(content: bytes) -> None:
    assert without_times(content, 7) is None

"""Canonical JSON (RFC 8785) and SHA-256, the two things identities are made of."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785


def canonical_json(value: Any) -> bytes:
    """Serialise ``value`` (JSON types only) by RFC 8785: equal values give equal bytes."""
    return rfc8785.dumps(value)


def sha256_hex(data: bytes) -> str:
    """Lower-case hexadecimal SHA-256 of ``data``."""
    return hashlib.sha256(data).hexdigest()


def digest_of(value: Any) -> str:
    """SHA-256 of the canonical JSON of ``value``."""
    return sha256_hex(canonical_json(value))

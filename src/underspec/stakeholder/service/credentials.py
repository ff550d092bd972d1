"""Tokens: made at random, told once, kept only as hashes, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from underspec.artifact.files import host_exhaustion
from underspec.errors import UsageError

OPERATOR_VARIABLE = "UNDERSPEC_OPERATOR_TOKEN"
_LEAST_CHARACTERS = 16
_MOST_CHARACTERS = 512


def new_token() -> str:
    """256 random bits: no guess is worth making, so one plain hash is enough to keep it by."""
    return secrets.token_urlsafe(32)


def hashed(token: str) -> bytes:
    """What a credential is stored as."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def matches(token: str, digest: bytes) -> bool:
    """Whether ``token`` is the one that ``digest`` was made of; takes the same time either way."""
    return hmac.compare_digest(hashed(token), digest)


def operator_token(file: Path | None) -> tuple[str, str]:
    """The operator's token and where it came from: ``environment``, ``file`` or ``generated``.

    With ``file`` a generated token is written there, readable by its owner only, and read from there the next time.

    Raises:
        UsageError: the token is too weak, or others may read the file.
    """
    given = os.environ.get(OPERATOR_VARIABLE)
    if given is not None:
        return _fit(given, f"the environment's {OPERATOR_VARIABLE}", None), "environment"
    if file is None:
        return new_token(), "generated"
    token = new_token()
    try:
        with host_exhaustion(file):
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return _read(file), "file"
    except FileNotFoundError as error:
        raise UsageError("its folder does not exist", file=str(file), mend="make the folder") from error
    with os.fdopen(handle, "w", encoding="ascii") as stream, host_exhaustion(file):
        stream.write(token + "\n")
    return token, "generated"


def _read(file: Path) -> str:
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode) or mode & 0o077:
            raise UsageError("others may read this credential", file=str(file), mend="chmod 600 it, or remove it")
        text = stream.read(_MOST_CHARACTERS * 4).decode("utf-8", "replace").strip()
    return _fit(text, "its token", str(file))


def _fit(token: str, what: str, file: str | None) -> str:
    if not _LEAST_CHARACTERS <= len(token) <= _MOST_CHARACTERS or not token.isascii() or not token.isprintable():
        raise UsageError(
            f"{what} is no usable credential",
            file=file,
            mend=f"use {_LEAST_CHARACTERS} to {_MOST_CHARACTERS} printable ASCII characters, made at random",
        )
    if " " in token:
        raise UsageError(f"{what} holds a space", file=file, mend="use letters, digits, - and _")
    return token

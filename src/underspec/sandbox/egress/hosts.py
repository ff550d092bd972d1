"""Names of hosts as requests give them, and patterns for them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated

from pydantic import StringConstraints

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_MOST = 253

Pattern = Annotated[str, StringConstraints(pattern=rf"^(?:\*\.)?{_LABEL}(?:\.{_LABEL})*$", max_length=_MOST)]
"""``example.org`` is that host alone, ``*.example.org`` each one below it."""


def host_name(text: str) -> str | None:
    """The name in lower case and without the root's dot; None where it is none.

    A name whose last label is a number is none: resolvers read ``2130706433``, ``0x7f.1`` and ``127.1`` as addresses.
    """
    name = text.lower().removesuffix(".")
    if len(name) > _MOST or not _NAME.fullmatch(name) or _NUMBER.fullmatch(name.rpartition(".")[2]):
        return None
    return name


def is_literal(text: str) -> bool:
    """Whether the text is an address, in any way that some resolver reads one, and not a name."""
    return text.startswith("[") or bool(_NUMBER.fullmatch(text.lower().removesuffix(".").rpartition(".")[2]))


def matches(host: str, pattern: str) -> bool:
    """Whether one pattern covers the host, given as by :func:`host_name`."""
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def matches_any(host: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns covers the host."""
    return any(matches(host, pattern) for pattern in patterns)

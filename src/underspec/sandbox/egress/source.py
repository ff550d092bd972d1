"""Where a task's own sources are to be had, so that nothing inside gets them by a way that the proxy can see. Pure."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from underspec.sandbox.egress.hosts import host_name

_RUN = re.compile(r"[-_.]+")
_DECODINGS = 3
# How packagers of others call the same library.
_AFFIX = r"(?:(?:python|py|ruby|perl|php|go|golang|node|rust)\d*-)?"
# A version, an extension, or both, as they are after normalisation.
_REST = r"(?:-dev)?(?:-v?\d.*|-(?:tgz|tar|zip|whl|json|git|gem|crate|deb)(?:-.*)?)?"
_TOO_COMMON = 3


def _normal(text: str) -> str:
    """A name by the rule of Python's registry (PEP 503): others are stricter, so that this covers them."""
    return _RUN.sub("-", text.lower()).strip("-")


@dataclass(frozen=True)
class Source:
    """The names of a task's golden package, and its source's address. None of them ever goes inside.

    ``package`` may have a scope (``@scope/name``). ``words`` are further strings that name it; those that are names of
    hosts are blocked.
    """

    url: str
    registry: Literal["pypi", "npm", "deb"] | None = None
    package: str | None = None
    words: tuple[str, ...] = ()

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts that are the source's own."""
        named = [urlsplit(self.url).hostname or "", *(word for word in self.words if "." in word.strip("."))]
        return frozenset(host for host in map(host_name, named) if host is not None)

    @property
    def repository(self) -> tuple[str, str] | None:
        """Owner and name, where the address looks like one of code hosting."""
        parts = [_normal(part.removesuffix(".git")) for part in urlsplit(self.url).path.split("/") if part]
        return (parts[0], parts[1]) if len(parts) >= 2 else None

    @property
    def labels(self) -> frozenset[str]:
        """What a host of the source's own pages would have as one of its labels."""
        names = {_normal((self.package or "").rpartition("/")[2]), self.repository[1] if self.repository else ""}
        return frozenset(name for name in names if len(name) >= _TOO_COMMON)

    def has_host(self, host: str) -> bool:
        """Whether the host is the source's own, or named after it."""
        own = any(host == each or host.endswith(f".{each}") for each in self.hosts)
        return own or not self.labels.isdisjoint(map(_normal, host.split(".")))

    def has_path(self, path: str) -> bool:
        """Whether the path, with its query, asks for the golden package or the source's repository."""
        parts = _parts(path)
        pairs = set(itertools.pairwise(parts))
        if self.repository in pairs:
            return True
        if self.package is None:
            return False
        scope, _, name = self.package.rpartition("/")
        if scope:
            return (_normal(scope.removeprefix("@")), _normal(name)) in pairs
        plain = _normal(name)
        if self.registry == "deb":  # others know it without what Debian puts around it
            plain = re.sub(rf"^{_AFFIX}|-dev$", "", plain)
        wanted = re.compile(_AFFIX + re.escape(plain) + _REST)
        return any(wanted.fullmatch(part) for part in parts)


def _parts(path: str) -> list[str]:
    """The normal forms of what stands between the delimiters of a path and its query, however it was encoded."""
    for _ in range(_DECODINGS):
        path = unquote(path, errors="replace")
    # Module proxies write a capital letter as an exclamation mark and a small one.
    parts = (
        _normal(part.replace("!", "").removeprefix("@").removesuffix(".git"))
        for part in re.split(r"[/?&=#;:,+\s]+", path)
    )
    return [part for part in parts if part]

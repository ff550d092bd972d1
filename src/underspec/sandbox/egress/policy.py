"""What may be reached: a pure function of the kind of network, the lists and the task's own source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from underspec.artifact.canonical import digest_of
from underspec.sandbox.egress.addresses import Address, is_never, is_public
from underspec.sandbox.egress.hosts import host_name, is_literal
from underspec.sandbox.egress.lists import HTTP_PORT, HTTPS_PORT, Lists
from underspec.sandbox.egress.source import Source

VERSION = 1
"""Raise it when the same lists would grant something else."""

Kind = Literal["registries", "open"]

_BLOCKED = "is blocked in this sandbox"


@dataclass(frozen=True)
class Target:
    """What a request asks for: ``https`` is a tunnel, whose content nobody sees, so that it has no ``path``.

    ``host`` is as it was sent. ``path`` has the query.
    """

    scheme: Literal["http", "https"]
    host: str
    port: int
    path: str = ""


@dataclass(frozen=True)
class Decision:
    """``rule`` names for the operator what decided. ``reason`` is what those inside are told of a refusal: it never
    tells a task's own source from any other blocked host."""

    allowed: bool
    rule: str
    reason: str = ""


@dataclass(frozen=True)
class Policy:
    """What one sandbox may reach."""

    kind: Kind
    lists: Lists
    source: Source | None = None

    @property
    def digest(self) -> str:
        """What this policy grants and refuses: part of the key of the phase that it holds in."""
        source = self.source
        return digest_of(
            {
                "version": VERSION,
                "kind": self.kind,
                "lists": self.lists.digest,
                "source": [source.url, source.registry, source.package, *sorted(source.words)] if source else None,
            }
        )

    def decide(self, target: Target) -> Decision:
        """Whether a request may go on to where its host's name leads. What it leads to is another question:
        :meth:`may_connect`."""
        if is_literal(target.host):
            return _refused("address", "is an address, and only hosts with names are reached from this sandbox")
        host = host_name(target.host)
        if host is None:
            return _refused("host-name", "is not the name of a host")
        found = self.lists.registry(host)
        group, registry = found or ("", None)
        if blocked := self.lists.blocked(host):
            return _refused(f"blocked:{blocked}", _BLOCKED)
        if self.source and registry is None and self.source.has_host(host):
            return _refused("task-source", _BLOCKED)
        if self.source and target.path and self.source.has_path(target.path):
            return _refused("task-source", _BLOCKED)
        if registry is None and self.kind == "registries":
            return _refused("no-registry", "is none of the package registries, and this sandbox reaches nothing else")
        if target.scheme == "http":
            ports = registry.http_ports if registry else (HTTP_PORT,)
        else:
            ports = registry.https_ports if registry else (HTTPS_PORT,)
        if target.port not in ports:
            return _refused("port", f"is reached at port {' or '.join(map(str, ports))} only")
        return Decision(True, f"registry:{group}" if registry else "open")

    def may_connect(self, host: str, address: Address) -> bool:
        """Whether an allowed host may be connected to at an address that its name leads to."""
        return is_public(address) or self.is_named(host, address)

    def is_named(self, host: str, address: Address) -> bool:
        """Whether a file of lists names the address as a place of the host's: a mirror of one's own."""
        found = self.lists.registry(host_name(host) or "")
        if found is None or is_never(address):
            return False
        return any(address in network for network in found[1].addresses if network.version == address.version)


def _refused(rule: str, reason: str) -> Decision:
    return Decision(False, rule, reason)

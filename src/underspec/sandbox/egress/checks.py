"""Whether this machine reaches the registries that it would let sandboxes reach: for ``underspec doctor --network``."""

from __future__ import annotations

from collections.abc import Sequence

from underspec.sandbox.egress.lists import HTTPS_PORT, Lists
from underspec.sandbox.egress.policy import Policy
from underspec.sandbox.egress.resolve import Resolver, SystemResolver, connect
from underspec.sandbox.protocol import Check

PROBED = ("pypi.org", "registry.npmjs.org")
_SECONDS = 5.0


async def network_checks(
    lists: Lists, hosts: Sequence[str] = PROBED, *, resolver: Resolver | None = None
) -> list[Check]:
    """One check a host: a connection as the proxy would make it, and nothing sent over it."""
    policy = Policy("registries", lists)
    if resolver is not None:
        return [await _check(policy, host, resolver) for host in hosts]
    own = SystemResolver()
    try:
        return [await _check(policy, host, own) for host in hosts]
    finally:
        own.close()


async def _check(policy: Policy, host: str, resolver: Resolver) -> Check:
    found = policy.lists.registry(host)
    port = found[1].https_ports[0] if found and found[1].https_ports else HTTPS_PORT
    name = f"registry {host}"
    try:
        addresses = await resolver(host)
    except OSError as error:
        return _missing(name, f"it has no address here: {error}", "see to this machine's names, or use network 'none'")
    fit = [each for each in addresses if policy.may_connect(host, each)]
    if not fit:
        lead = ", ".join(map(str, addresses))
        mend = "if it is a mirror of your own, name that under `addresses` in a file for --registries"
        return _missing(name, f"it leads to {lead}, which is not public", mend)
    try:
        (await connect(fit[:2], port, seconds=_SECONDS)).close()
    except OSError as error:
        mend = "let this machine reach it directly: the proxy goes through no other"
        return _missing(name, f"it is not reached at port {port}: {error or 'no answer'}", mend)
    return Check(name, ok=True, detail=f"reached at port {port}", required=False)


def _missing(name: str, detail: str, mend: str) -> Check:
    return Check(name, ok=False, detail=detail, mend=mend, required=False)

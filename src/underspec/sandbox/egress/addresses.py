"""Which addresses lie on the public internet, and nowhere near this machine. Pure.

Source: the IANA registries of special-purpose addresses (RFC 6890 and its successors), held here by ourselves because
what :mod:`ipaddress` calls global differs between releases of Python, and because addresses of the second protocol
carry ones of the first inside, which it does not look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Nobody's mirror lies there, whatever a file of lists says: unspecified, link-local (with what clouds tell a machine
# about itself), such services at other addresses, multicast, broadcast.
NEVER = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "169.254.0.0/16",
        "100.100.100.200/32",
        "168.63.129.16/32",
        "192.0.0.192/32",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/128",
        "fe80::/10",
        "fec0::/10",
        "fd00:ec2::/32",
        "fd20:ce::/32",
        "ff00::/8",
    )
)
_NOT_PUBLIC = tuple(
    ip_network(text)
    for text in (
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
    )
)
# What is outside is not handed out as unicast of the internet; what is inside may still be special.
_UNICAST = IPv6Network("2000::/3")
_NOT_PUBLIC_V6 = tuple(IPv6Network(text) for text in ("2001::/23", "2001:db8::/32", "3fff::/20", "2620:4f:8000::/48"))
_TRANSLATED = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")


def is_never(address: Address) -> bool:
    """Whether nothing is ever to be reached there."""
    return any(each in network for each in _meant(address) for network in NEVER if network.version == each.version)


def is_public(address: Address) -> bool:
    """Whether the address, and each that it carries inside, is an ordinary one of the public internet."""
    return not is_never(address) and all(_is_public(each) for each in _meant(address))


def _meant(address: Address) -> Iterator[Address]:
    """The address without its zone, and the one of the first protocol that traffic to it may end at."""
    if isinstance(address, IPv4Address):
        yield address
        return
    plain = IPv6Address(int(address))
    if plain.ipv4_mapped is not None:
        yield plain.ipv4_mapped
        return
    yield plain
    if plain in _TRANSLATED:
        yield IPv4Address(int(plain) & 0xFFFFFFFF)
    elif plain in _SIX_TO_FOUR:
        yield IPv4Address(int(plain) >> 80 & 0xFFFFFFFF)


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC)
    if address in _TRANSLATED:
        return True  # as public as what it carries
    return address in _UNICAST and not any(address in network for network in _NOT_PUBLIC_V6)

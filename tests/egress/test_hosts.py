from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.sandbox.egress.addresses import is_never, is_public
from underspec.sandbox.egress.hosts import host_name, is_literal, matches


@pytest.mark.parametrize("text", ["PyPI.org", "pypi.org.", "pypi.org"])
def test_a_host_has_one_name(text: str) -> None:
    assert host_name(text) == "pypi.org"


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "a..b",
        "-a.org",
        "a.org/",
        "a@b.org",
        "a b.org",
        "pypi.org\x00",
        "pypi.org\n",
        "é.org",
        "x" * 64 + ".org",
        "a." * 127 + "org",
        "1.2.3.4",
        "2130706433",
        "0x7f000001",
        "127.1",
        "0177.0.0.1",
        "[::1]",
        "a.0x7f",
    ],
)
def test_what_is_no_name_of_a_host_is_none(text: str) -> None:
    assert host_name(text) is None


@pytest.mark.parametrize("text", ["1.2.3.4", "2130706433", "0x7f000001", "0X7F.1", "127.1", "127.0.0.1.", "[::1]"])
def test_addresses_are_known_in_every_way_that_resolvers_read_them(text: str) -> None:
    assert is_literal(text)


def test_a_pattern_covers_a_host_or_what_is_below_it() -> None:
    assert matches("a.org", "a.org")
    assert not matches("b.a.org", "a.org")
    assert matches("b.a.org", "*.a.org")
    assert matches("c.b.a.org", "*.a.org")
    assert not matches("a.org", "*.a.org")
    assert not matches("ba.org", "*.a.org")


PRIVATE = [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.9.9.9", "169.254.169.254", "172.16.0.1", "192.0.0.1",
    "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "168.63.129.16", "100.100.100.200",
    "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::",
    "2002:a00:1::1", "2001::1", "fec0::1", "100::1", "5f00::1",
]  # fmt: skip


@pytest.mark.parametrize("text", PRIVATE)
def test_what_is_not_on_the_public_internet_is_not_public(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", ["1.1.1.1", "151.101.0.223", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"])
def test_what_is_on_it_is_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))


@given(st.ip_addresses())
def test_what_is_public_is_global_to_the_standard_library_as_well(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if is_public(address) and not address.is_global:
        # Only what carries another address inside, of which the library looks at the shell.
        assert isinstance(address, ipaddress.IPv6Address)
        assert address.ipv4_mapped or address.sixtofour
    if is_never(address):
        assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_an_address_of_the_first_protocol_is_the_same_inside_one_of_the_second(address: ipaddress.IPv4Address) -> None:
    mapped = ipaddress.IPv6Address(0xFFFF << 32 | int(address))
    translated = ipaddress.IPv6Address(0x64FF9B << 96 | int(address))
    assert is_public(mapped) == is_public(translated) == is_public(address)

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.egress.world import client_hello, hello_with, name_extension
from underspec.sandbox.egress.hello import MAX_HELLO_BYTES, NotTlsError, read_hello

HELLO = client_hello("registry.test")


def test_a_real_clients_hello_names_its_host() -> None:
    hello = read_hello(HELLO)
    assert hello is not None
    assert hello.server_name == "registry.test"
    assert not hello.encrypted


def test_a_hello_without_a_name_has_none() -> None:
    hello = read_hello(client_hello(None))
    assert hello is not None
    assert hello.server_name is None


def test_a_beginning_of_a_hello_waits_for_more() -> None:
    assert [read_hello(HELLO[:length]) for length in range(len(HELLO))] == [None] * len(HELLO)


@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_hello_in_many_records_is_the_same(size: int) -> None:
    message = HELLO[5:]
    pieces = [message[place : place + size] for place in range(0, len(message), size)]
    data = b"".join(b"\x16\x03\x01" + len(piece).to_bytes(2, "big") + piece for piece in pieces)
    hello = read_hello(data)
    assert hello is not None
    assert hello.server_name == "registry.test"


def test_a_hello_that_may_hide_another_is_told() -> None:
    hello = read_hello(hello_with((0xFE0D, b"\0")))
    assert hello is not None
    assert hello.encrypted


def test_a_name_in_large_letters_is_the_same_name() -> None:
    hello = read_hello(hello_with(name_extension(b"Registry.TEST")))
    assert hello is not None
    assert hello.server_name == "registry.test"


def test_two_names_are_no_hello() -> None:
    entry = b"\0\0\1a"
    with pytest.raises(NotTlsError):
        read_hello(hello_with((0, b"\0\x08" + entry * 2)))


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n",
        b"SSH-2.0-x\r\n",
        b"\x16\x02",
        b"\x15\x03\x03\x00\x02\x02\x00",
        b"\x16\x03\x01\x00\x00",
        b"\x80.\x01",
        b"\x16\x03\x01\x00\x04\x02\x00\x00\x00",
        b"\x16\x03\x01\xff\xff",
        hello_with((0, b"\x00\xff")),
    ],
)
def test_what_is_no_tls_is_known_at_once(data: bytes) -> None:
    with pytest.raises(NotTlsError):
        read_hello(data)


def test_a_hello_without_end_is_given_up() -> None:
    record = b"\x16\x03\x01\x40\0" + b"\1\xff\xff\xff" + bytes(2**14 - 4)
    more = b"\x16\x03\x01\x40\0" + bytes(2**14)
    with pytest.raises(NotTlsError):
        read_hello((record + more * 3)[:MAX_HELLO_BYTES])


@given(st.binary(max_size=200), st.integers(0, len(HELLO)))
def test_nothing_that_a_client_sends_breaks_the_reader(noise: bytes, place: int) -> None:
    for data in (noise, HELLO[:place] + noise + HELLO[place:], HELLO[:place] + noise):
        with contextlib.suppress(NotTlsError):
            read_hello(data)

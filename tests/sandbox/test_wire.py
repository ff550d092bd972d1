"""Messages between keeper and harness."""

from __future__ import annotations

import os
import socket

import pytest

from underspec.sandbox.keeper.wire import receive, send


def line() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


@pytest.mark.parametrize("size", [0, 10, 40_000, 5_000_000])
def test_a_message_of_any_size_arrives_with_its_descriptors(size: int) -> None:
    one, other = line()
    with one, other:
        reading, writing = os.pipe()
        send(one, {"text": "ü" * size, "bytes": b"\0" * size, "list": [1, None, True, 0.5]}, [writing])
        os.close(writing)
        received = receive(other)
        assert received is not None
        message, descriptors = received
        assert message == {"text": "ü" * size, "bytes": b"\0" * size, "list": [1, None, True, 0.5]}
        assert len(descriptors) == 1
        os.write(descriptors[0], b"through")
        assert os.read(reading, 10) == b"through"
        assert not os.get_inheritable(descriptors[0])
        os.close(descriptors[0])
        os.close(reading)


def test_messages_keep_their_bounds_and_order() -> None:
    one, other = line()
    with one, other:
        for number in range(20):
            send(one, {"n": number})
        assert [(receive(other) or ({}, []))[0]["n"] for _ in range(20)] == list(range(20))


def test_the_other_ends_end_is_told() -> None:
    one, other = line()
    one.close()
    with other:
        assert receive(other) is None

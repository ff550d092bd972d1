from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address

import pytest

from underspec.sandbox.egress import resolve
from underspec.sandbox.egress.resolve import SystemResolver, connect, is_this_machine


def test_names_are_looked_up_as_this_machine_does_and_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def look_up(host: str, *_: object, **__: object) -> list[object]:
        asked.append(host)
        if host == "gone.test":
            raise socket.gaierror("no such host")
        address = ("127.0.0.1", 0)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address)] * 2

    monkeypatch.setattr(socket, "getaddrinfo", look_up)

    async def run() -> None:
        resolver = SystemResolver()
        try:
            for _ in range(3):
                assert list(await resolver("here.test")) == [ip_address("127.0.0.1")]
            for _ in range(2):
                with pytest.raises(OSError, match="no such host"):
                    await resolver("gone.test")
        finally:
            resolver.close()

    asyncio.run(run())
    assert asked == ["here.test", "gone.test", "gone.test"]


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "_look_up", lambda host: (ip_address("127.0.0.1"),))

    async def run() -> None:
        resolver = SystemResolver()
        try:
            for number in range(1000):
                await resolver(f"h{number}.test")
            assert len(resolver._known) <= 256
        finally:
            resolver.close()

    asyncio.run(run())


def test_this_machines_own_addresses_are_known() -> None:
    assert is_this_machine(ip_address("127.0.0.1"))
    assert not is_this_machine(ip_address("192.0.2.1"))
    assert not is_this_machine(ip_address("2001:db8::1"))


def test_the_first_address_that_takes_a_connection_has_it() -> None:
    async def run() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            addresses = [ip_address("127.0.0.9"), ip_address("127.0.0.1")]
            with await connect(addresses, port, seconds=5) as sock:
                assert sock.getpeername() == ("127.0.0.1", port)
        for none in (addresses, []):
            with pytest.raises(OSError, match=r".+"):
                await connect(none, port, seconds=5)

    asyncio.run(run())

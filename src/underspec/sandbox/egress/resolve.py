"""From a host's name to a connection, by way of addresses that were looked at: what was checked is connected to."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

from underspec.sandbox.egress.addresses import Address

Resolver = Callable[[str], Awaitable[Sequence[Address]]]
"""Gets the addresses of a host; raises OSError where there are none."""

_THREADS = 4
_REMEMBERED = 256
_SECONDS = 60.0


class SystemResolver:
    """As this machine resolves names. Lookups wait for a few threads of its own, so that many of them keep nobody else
    of this process from working; answers are remembered for a minute."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="egress-lookup")
        self._known: dict[str, tuple[float, Sequence[Address]]] = {}

    async def __call__(self, host: str) -> Sequence[Address]:
        """The addresses of a host, in the machine's order of preference."""
        until, addresses = self._known.get(host, (0.0, ()))
        if time.monotonic() < until:
            return addresses
        loop = asyncio.get_running_loop()
        addresses = await loop.run_in_executor(self._threads, _look_up, host)
        while len(self._known) >= _REMEMBERED:
            del self._known[next(iter(self._known))]
        self._known[host] = (time.monotonic() + _SECONDS, addresses)
        return addresses

    def close(self) -> None:
        """Start no further lookup; those under way end by themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str) -> Sequence[Address]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(ip_address(str(each[4][0])) for each in found))


def is_this_machine(address: Address) -> bool:
    """Whether the address, though public, is this machine's own: then it would speak to itself from it.

    Connecting a datagram socket sends nothing.
    """
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), 9))
            return bool(ip_address(probe.getsockname()[0]) == address)
    except OSError:
        return False  # there is no way to it, so it is not ours


async def connect(addresses: Sequence[Address], port: int, *, seconds: float) -> socket.socket:
    """A connection to the first of the addresses that takes one, each waited for ``seconds`` at most.

    Raises:
        OSError: none does.
    """
    loop = asyncio.get_running_loop()
    failure: OSError = OSError("the host has no address")
    for address in addresses:
        family = socket.AF_INET if address.version == 4 else socket.AF_INET6
        sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            sock.setblocking(False)
            async with asyncio.timeout(seconds):
                await loop.sock_connect(sock, (str(address), port))
        except OSError as error:  # TimeoutError is one
            sock.close()
            failure = error
        except BaseException:
            sock.close()
            raise
        else:
            return sock
    raise failure

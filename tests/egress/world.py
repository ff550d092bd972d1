"""A small internet on loopback: hosts with names, a resolver that knows them, and a proxy before it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from underspec.sandbox.egress.addresses import Address
from underspec.sandbox.egress.limits import Limits
from underspec.sandbox.egress.lists import Blocked, Lists, Registry
from underspec.sandbox.egress.log import NetworkLog
from underspec.sandbox.egress.policy import Kind, Policy
from underspec.sandbox.egress.proxy import Proxy
from underspec.sandbox.egress.source import Source

LOOPBACK = ip_address("127.0.0.1")
QUICK = Limits(connections=32, head=0.5, connect=0.5, idle=0.5, hang_up=0.1, pause=0.0)

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def lists(port: int, *hosts: str, tls_port: int | None = None) -> Lists:
    """Lists that have the hosts as registries on loopback, and ``blocked.test`` as blocked."""
    registry = Registry(
        hosts=hosts or ("registry.test",),
        addresses=(ip_network("127.0.0.1/32"),),
        http_ports=(port,),
        https_ports=(tls_port or port,),
    )
    return Lists({"test": registry}, {"test": Blocked(hosts=("blocked.test", "*.blocked.test"))}, "test")


def resolver(**names: str) -> Callable[[str], Awaitable[Sequence[Address]]]:
    """Knows the given names (``_`` for a dot), and each ``*.test`` as loopback."""
    known = {name.replace("_", "."): [ip_address(text) for text in texts.split()] for name, texts in names.items()}

    async def resolve(host: str) -> Sequence[Address]:
        if host in known:
            return known[host]
        if host.endswith(".test"):
            return [LOOPBACK]
        raise OSError("no such host")

    return resolve


@dataclass
class World:
    """``port`` is the proxy's; ``proxy`` itself; ``log_path`` where its log is."""

    port: int
    proxy: Proxy
    log: NetworkLog
    log_path: Path

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log_path.read_text().splitlines()]

    async def ask(self, request: bytes, *, end: bool = False) -> bytes:
        """Everything that the proxy says to these bytes, until it hangs up."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(request)
            if end:
                writer.write_eof()
            return await asyncio.wait_for(reader.read(), 20)
        finally:
            writer.transport.abort()


@contextlib.asynccontextmanager
async def world(
    folder: Path,
    given: Lists,
    *,
    kind: Kind = "registries",
    source: Source | None = None,
    resolve: Callable[[str], Awaitable[Sequence[Address]]] | None = None,
    limits: Limits = QUICK,
    **changed: Any,
) -> AsyncIterator[World]:
    """A proxy that listens on loopback of this machine."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    port = listener.getsockname()[1]
    path = folder / "network.jsonl"
    with NetworkLog(path) as log:
        proxy = Proxy(
            listener,
            Policy(kind, given, source),
            log,
            part="here",
            resolver=resolve or resolver(),
            limits=replace(limits, **changed),
        )
        async with proxy:
            yield World(port, proxy, log, path)


@contextlib.asynccontextmanager
async def server(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server on loopback; gives its port."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()

    listening = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=tls)
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        listening.close()


def says(answer: bytes, heard: list[bytes] | None = None) -> Handler:
    """Reads a head and as much of a body as its length says, and answers always the same."""

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        body = b""
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                body = await reader.readexactly(int(line.partition(b":")[2]))
            if line.startswith(b"transfer-encoding:"):
                body = await reader.readuntil(b"0\r\n\r\n")
        if heard is not None:
            heard.append(head + body)
        writer.write(answer)
        await writer.drain()
        writer.write_eof()
        await reader.read()

    return handler


HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


def hello_with(*extensions: tuple[int, bytes]) -> bytes:
    """A hello that holds these extensions and nothing else."""
    packed = b"".join(kind.to_bytes(2, "big") + len(data).to_bytes(2, "big") + data for kind, data in extensions)
    body = bytes([3, 3]) + bytes(32) + b"\0" + b"\0\2\x13\1" + b"\1\0" + len(packed).to_bytes(2, "big") + packed
    message = b"\1" + len(body).to_bytes(3, "big") + body
    return b"\x16\x03\x01" + len(message).to_bytes(2, "big") + message


def name_extension(name: bytes) -> tuple[int, bytes]:
    """The extension that says for which host a hello is."""
    entry = b"\0" + len(name).to_bytes(2, "big") + name
    return 0, len(entry).to_bytes(2, "big") + entry


def client_hello(name: str | None) -> bytes:
    """The first message of a real client that wants to speak to that host."""
    context = ssl.create_default_context()
    context.check_hostname = False
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    wanting = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with contextlib.suppress(ssl.SSLWantReadError):
        wanting.do_handshake()
    return outgoing.read()

"""Clients that ask without pause, remember what they were told, and ask again where they were told nothing."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Asker:
    """One session's client. ``told`` is what arrived whole, by request id."""

    credential: str
    session: str
    next: int = 1
    told: dict[str, tuple[str, int]] = field(default_factory=dict)

    async def ask_on(self, port: int) -> None:
        """Ask until the connection ends."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return
        try:
            while True:
                await self._one(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name = f"id-{self.next}"
        body = json.dumps({"question": f"How is rounding done, number {self.next}?", "request_id": name}).encode()
        status, told = await exchange(reader, writer, "/v1/questions", self.credential, body)
        assert status == 200
        assert told["status"]["ok"], told
        outcome = (told["data"]["reply"], told["status"]["remaining"])
        assert self.told.setdefault(name, outcome) == outcome
        self.next += 1


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, token: str, body: bytes
) -> tuple[int, Any]:
    """One POST on a connection that is kept."""
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    answer = await reader.readuntil(b"\r\n\r\n")
    length = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    return int(answer[9:12]), json.loads(await reader.readexactly(length))


async def mint(port: int, operator: str, budget: int, number: int) -> list[Asker]:
    """New sessions, each with its client."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    askers = []
    for _ in range(number):
        body = json.dumps({"budget": budget}).encode()
        status, told = await exchange(reader, writer, "/v1/sessions", operator, body)
        assert status == 201
        askers.append(Asker(told["credential"], told["session"]))
    writer.close()
    return askers

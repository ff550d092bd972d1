"""Registries made by hand: one package for pip and one for npm, served as registries serve them, over plain HTTP."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Callable

from tests.egress.world import Handler

WHEEL = "greetings_pkg-1.0-py3-none-any.whl"


def wheel() -> bytes:
    """A package with one module."""
    raw = io.BytesIO()
    info = "greetings_pkg-1.0.dist-info"
    files = {
        "greetings_pkg.py": "WORD = 'hello from a wheel'\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: greetings-pkg\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(raw, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"]))
    return raw.getvalue()


def tarball() -> bytes:
    """A package with one module."""
    raw = io.BytesIO()
    files = {
        "package/package.json": json.dumps({"name": "greetings-pkg", "version": "1.0.0", "main": "index.js"}),
        "package/index.js": "module.exports = 'hello from a tarball';\n",
    }
    with tarfile.open(fileobj=raw, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return raw.getvalue()


def registry(port: Callable[[], int], asked: list[str]) -> Handler:
    """A server of both. ``port`` is its own, which npm's metadata names; ``asked`` takes the paths asked for."""
    python, javascript = wheel(), tarball()

    def npm() -> bytes:
        url = f"http://registry.test:{port()}/greetings-pkg/-/greetings-pkg-1.0.0.tgz"
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(javascript).digest()).decode()
        version = {"name": "greetings-pkg", "version": "1.0.0", "dist": {"tarball": url, "integrity": integrity}}
        document = {"name": "greetings-pkg", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        return json.dumps(document).encode()

    index = f'<!DOCTYPE html><a href="/files/{WHEEL}#sha256={hashlib.sha256(python).hexdigest()}">{WHEEL}</a>'.encode()
    pages: dict[str, Callable[[], tuple[str, bytes]]] = {
        "/simple/greetings-pkg/": lambda: ("text/html", index),
        f"/files/{WHEEL}": lambda: ("application/octet-stream", python),
        "/greetings-pkg": lambda: ("application/json", npm()),
        "/greetings-pkg/-/greetings-pkg-1.0.0.tgz": lambda: ("application/octet-stream", javascript),
    }

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        asked.append(path)
        kind, body = pages[path]() if path in pages else ("text/plain", b"")
        status = "200 OK" if path in pages else "404 Not Found"
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.write_eof()
        await reader.read()

    return handler

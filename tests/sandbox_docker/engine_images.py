"""Images for tests, made of a few of the machine's own programs: no registry is asked."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

from underspec.sandbox.docker.connection import engine

_BASH = (
    "/bin/bash",
    "/bin/sh",
    "/usr/bin/cut",
    "/usr/bin/sleep",
    "/usr/bin/cat",
    "/usr/bin/id",
    "/usr/bin/true",
    "/usr/bin/ls",
)


def import_image(name: str, programs: tuple[str, ...] = _BASH, files: dict[str, bytes] | None = None) -> None:
    """An image of these programs, the libraries that they need, and more files."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        wanted = set(programs)
        for program in programs:
            listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
            wanted |= {word for line in listed.splitlines() for word in line.split() if word.startswith("/")}
        for path in sorted(wanted):
            _add(tar, path, Path(path).resolve().read_bytes(), 0o755)
        for path, content in (files or {}).items():
            _add(tar, path, content, 0o644)
    repository, _, tag = name.partition(":")
    with engine() as connected:
        path = f"/images/create?fromSrc=-&repo={repository}&tag={tag or 'latest'}"
        connected.checked("POST", path, raw.getvalue(), "application/x-tar")


def remove_image(name: str) -> None:
    with engine() as connected:
        connected.request("DELETE", f"/images/{name}?force=1")


def _add(tar: tarfile.TarFile, path: str, content: bytes, mode: int) -> None:
    member = tarfile.TarInfo(path.lstrip("/"))
    member.size, member.mode = len(content), mode
    tar.addfile(member, io.BytesIO(content))

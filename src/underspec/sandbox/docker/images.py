"""Images as an engine sees them: its own by name, and ``host``.

The image ``host`` holds no more than the small files, links and mount points of
:mod:`underspec.sandbox.bubblewrap.host`; the machine's ``/usr`` is bound into each container, read-only. So both
backends show the same root, under the same digest.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.errors import EnvironmentLacksError
from underspec.sandbox.bubblewrap.host import host_digest, host_entries, host_path
from underspec.sandbox.docker.connection import engine, find_image
from underspec.sandbox.protocol import WORKSPACE

HOST = "host"
# What an engine writes itself, to say where the machine is; the sandbox's own lie over them.
OVER = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")
_REPOSITORY = "underspec-host"
_POINTS = (WORKSPACE, "/tmp", "/var/tmp", "/root", "/run", "/dev", "/proc", "/sys")
_PLAIN_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_importing = threading.Lock()


@dataclass(frozen=True)
class Root:
    """What a container's root tree is made of: the engine's image, what is bound into it and what is masked."""

    image: str
    binds: tuple[tuple[str, str], ...]
    masked: tuple[str, ...]
    path: str


def digest(image: str) -> str:
    """The digest of an image.

    Raises:
        EnvironmentLacksError: there is no such image, or no engine.
    """
    return host_digest() if image == HOST else _existing(image)[0]


def search_path(image: str) -> str:
    """``PATH`` inside."""
    return host_path() if image == HOST else _existing(image)[1]


def prepare(image: str) -> Root:
    """Make sure that the engine has the image.

    Raises:
        EnvironmentLacksError: there is no such image, or no engine.
    """
    if image != HOST:
        identity, path = _existing(image)
        return Root(identity, (), (), path)
    entries = host_entries()
    content = _tar([entry for entry in entries if entry[0] in ("folder", "file", "script", "link")])
    name = f"{_REPOSITORY}:{hashlib.sha256(content).hexdigest()[:16]}"
    with _importing:
        if find_image(name) is None:
            repository, _, tag = name.partition(":")
            with engine() as connected:
                connected.checked(
                    "POST", f"/images/create?fromSrc=-&repo={repository}&tag={tag}", content, "application/x-tar"
                )
    return Root(
        image=name,
        binds=tuple((entry[1], entry[2]) for entry in entries if entry[0] == "show"),
        masked=tuple(entry[1] for entry in entries if entry[0] == "mask"),
        path=host_path(),
    )


def _existing(image: str) -> tuple[str, str]:
    """The id of the engine's image, and ``PATH`` in it."""
    identity = find_image(image)
    if identity is None:
        raise EnvironmentLacksError(
            f"the container engine has no image {image!r}",
            mend=f"fetch or build it first (`docker pull {image}`), or use the image `host`",
        )
    return identity, _PLAIN_PATH


def _tar(entries: list[tuple[str, ...]]) -> bytes:
    """A root tree with these entries and the mount points, the same bytes each time."""
    raw = io.BytesIO()
    made: set[str] = set()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:

        def folder(path: Path) -> None:
            if path != path.parent and str(path) not in made:
                folder(path.parent)
                made.add(str(path))
                _add(tar, str(path), tarfile.DIRTYPE, 0o755)

        for point in _POINTS:
            folder(Path(point))
        for kind, path, *rest in entries:
            if kind == "folder":
                folder(Path(path))
                continue
            folder(Path(path).parent)
            if kind == "link":
                _add(tar, path, tarfile.SYMTYPE, 0o777, target=rest[0])
            else:
                _add(tar, path, tarfile.REGTYPE, 0o755 if kind == "script" else 0o644, content=rest[0].encode())
    return raw.getvalue()


def _add(tar: tarfile.TarFile, path: str, kind: bytes, mode: int, content: bytes = b"", target: str = "") -> None:
    member: Any = tarfile.TarInfo(path.lstrip("/"))
    member.type, member.mode, member.size, member.linkname = kind, mode, len(content), target
    tar.addfile(member, io.BytesIO(content) if content else None)

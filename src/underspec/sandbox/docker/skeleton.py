"""Root trees in containers: the same steps, and so the same tree, as in every other sandbox.

The engine gets an image that is a skeleton only: folders, links and small files. The parts of the root tree are bound
into each container, so that its process 1 can start; before anything else runs, the keeper puts the same parts there
as it does in a bubblewrap sandbox, with the same owners. So nothing is copied into an engine, and digests are shared.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from underspec.sandbox.bubblewrap.host import Entry
from underspec.sandbox.bubblewrap.roots import root_entries
from underspec.sandbox.docker.connection import engine, find_image
from underspec.sandbox.keeper.stage import WRITABLE
from underspec.sandbox.protocol import WORKSPACE

_REPOSITORY = "underspec-skeleton"
_POINTS = (*WRITABLE, WORKSPACE, "/dev", "/proc", "/sys")
_PARTS = ("show", "tree")
# An engine writes these itself, and says where the machine is: the tree's own lie over them.
_OVER = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")
_importing = threading.Lock()


@dataclass(frozen=True)
class Root:
    """What a container's root tree is made of.

    Attributes:
        image: the engine's name of the skeleton.
        binds: what process 1 needs to start, as (host path, path inside).
        entries: what the keeper lays.
        places: where it does; what lies within one of these comes with it.
    """

    image: str
    binds: tuple[tuple[str, str], ...]
    entries: tuple[Entry, ...]
    places: tuple[str, ...]


def prepare(image: str) -> Root:
    """Make sure that the engine has the skeleton of an image.

    Raises:
        EnvironmentLacksError: there is no such image, or no engine.
        StoreError: the image is damaged.
    """
    entries = root_entries(image)
    content = skeleton([entry for entry in entries if entry[0] in ("folder", "file", "script", "link")])
    name = f"{_REPOSITORY}:{hashlib.sha256(content).hexdigest()[:16]}"
    with _importing:
        if find_image(name) is None:
            repository, _, tag = name.partition(":")
            with engine() as connected:
                path = f"/images/create?fromSrc=-&repo={repository}&tag={tag}"
                connected.checked("POST", path, content, "application/x-tar")
    parts = [entry for entry in entries if entry[0] in _PARTS]
    over = [entry for entry in entries if entry[0] == "file" and entry[1] in _OVER]
    masks = [entry for entry in entries if entry[0] == "mask"]
    return Root(
        image=name,
        binds=tuple((source, target) for _, source, target in parts),
        entries=(*parts, *masks, *over),
        places=_topmost([*(target for _, _, target in parts), *(path for _, path, _ in over)]),
    )


def is_within(path: str, places: Sequence[str]) -> bool:
    """Whether a path is one of the places or lies in one."""
    return any(path == place or path.startswith(f"{place}/") for place in places)


def _topmost(paths: list[str]) -> tuple[str, ...]:
    return tuple(path for path in paths if not is_within(path, [other for other in paths if other != path]))


def skeleton(entries: Sequence[Entry]) -> bytes:
    """A tar with these entries and the mount points, the same bytes each time."""
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
    member = tarfile.TarInfo(path.lstrip("/"))
    member.type, member.mode, member.size, member.linkname = kind, mode, len(content), target
    tar.addfile(member, io.BytesIO(content) if content else None)

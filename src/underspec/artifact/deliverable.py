"""The deliverable: what an agent hands over, sealed from outside the sandbox."""

from __future__ import annotations

from typing import Literal

from underspec.artifact.base import Artifact

MAX_DELIVERABLE_BYTES = 2 * 1024**3
MAX_DELIVERABLE_FILES = 200_000


class DroppedEntry(Artifact):
    """Something in the workspace that a deliverable never carries."""

    path: str
    reason: Literal["git", "device", "socket", "fifo", "unreadable"]


class Deliverable(Artifact):
    """What stands beside ``deliverable.tar`` (PAX).

    ``sha256`` covers, for each entry in path order: path, type, executable bit and content (or link target).
    Modification times are kept in the tar and not hashed. ``bytes`` counts file contents.
    """

    schema_version: Literal[1] = 1
    sha256: str
    files: int
    bytes: int
    dropped: tuple[DroppedEntry, ...] = ()

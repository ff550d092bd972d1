"""Deliverables on the host: sealing a folder, and unpacking what was sealed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

from underspec.artifact.deliverable import (
    MAX_DELIVERABLE_BYTES,
    MAX_DELIVERABLE_FILES,
    Deliverable,
    DroppedEntry,
)
from underspec.artifact.files import host_exhaustion, sync_folder
from underspec.errors import DeliverableTooLargeError, HarnessError, StoreError
from underspec.sandbox.keeper.tree import ChangedError, DamagedError, TooLargeError, write_tree
from underspec.sandbox.keeper.untree import read_tree

_BUFFER = 1 << 20


def extract_deliverable(tar: Path, into: Path) -> None:
    """Unpack a sealed deliverable into the folder ``into``, which is made and must not hold anything.

    Executable bits and modification times come back; nothing is followed and nothing is written elsewhere.

    Raises:
        StoreError: the tar is damaged, or not one of ours.
        HostExhaustedError: no room.
    """
    with host_exhaustion(into), tar.open("rb", buffering=_BUFFER) as stream:
        into.mkdir(parents=True, exist_ok=True)
        if any(into.iterdir()):
            raise HarnessError("a deliverable is unpacked into an empty folder", file=str(into))
        folder = os.open(into, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            read_tree(stream, folder)
        except (DamagedError, ValueError, FileExistsError) as error:
            raise StoreError(
                f"not a whole deliverable: {error}",
                file=str(tar),
                mend="remove the folder that holds it and run the same command again",
            ) from error
        finally:
            os.close(folder)


def seal_folder(folder: Path, destination: Path) -> Deliverable:
    """Seal a host folder as a deliverable at ``destination``, with the hash that a sandbox's archive would have.

    Raises:
        DeliverableTooLargeError: more than 2 GiB or 200,000 files.
        HostExhaustedError: no room.
    """
    return seal_within(folder, destination, max_bytes=MAX_DELIVERABLE_BYTES, max_files=MAX_DELIVERABLE_FILES)


def seal_within(folder: Path, destination: Path, *, max_bytes: int, max_files: int) -> Deliverable:
    """:func:`seal_folder` with limits of the caller's."""
    hasher = hashlib.sha256()
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with sealed_file(destination) as descriptor:
            with open(descriptor, "wb", buffering=_BUFFER, closefd=False) as stream:
                counts = write_tree(top, stream, hasher=hasher, max_bytes=max_bytes, max_files=max_files, drop_git=True)
            os.fsync(descriptor)
    except TooLargeError as error:
        raise DeliverableTooLargeError(f"the deliverable is too large: {error}", file=str(folder)) from error
    except ChangedError as error:
        raise HarnessError("a file changed while it was sealed", file=str(folder), where=str(error)) from error
    finally:
        os.close(top)
    return deliverable_of(hasher.hexdigest(), counts.files, counts.bytes, counts.dropped)


@contextlib.contextmanager
def sealed_file(destination: Path) -> Iterator[int]:
    """A descriptor to write to; ``destination`` appears, whole, when the block ends well, and not otherwise."""
    with host_exhaustion(destination):
        destination.parent.mkdir(parents=True, exist_ok=True)
        temporary = destination.with_name(f".{destination.name}.{secrets.token_hex(6)}.tmp")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            yield descriptor
            temporary.replace(destination)
        finally:
            os.close(descriptor)
            temporary.unlink(missing_ok=True)
        sync_folder(destination.parent)


def deliverable_of(sha256: str, files: int, size: int, dropped: Iterable[tuple[bytes, str]]) -> Deliverable:
    """The artifact that stands beside a tar. Bytes that are no UTF-8 are written as ``\\xNN``."""
    return Deliverable(
        sha256=sha256,
        files=files,
        bytes=size,
        dropped=tuple(
            DroppedEntry.model_validate({"path": path.decode(errors="backslashreplace"), "reason": reason})
            for path, reason in sorted(dropped)
        ),
    )

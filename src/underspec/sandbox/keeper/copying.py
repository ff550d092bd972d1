"""Copy a host tree to a place of the inside: read by the keeper, written by root of the inside."""

from __future__ import annotations

import errno
import os

from underspec.sandbox.keeper import identity
from underspec.sandbox.keeper.tree import write_tree
from underspec.sandbox.keeper.untree import read_tree


class CopyError(Exception):
    """The copy failed; ``errno`` says why when the writer ran out of room."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.errno = number


def copy_tree(source: int, target: str, namespace: int | None) -> None:
    """Copy folders, files and links. ``source`` is an open folder; ``target`` exists and belongs to root inside.

    Raises:
        CopyError: the target has no room, or the source changed.
    """
    reading, writing = os.pipe()
    errors_read, errors_write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(writing)
            _receive(reading, target, namespace)
            os._exit(0)
        except OSError as error:
            os.write(errors_write, f"{error.errno or 0} {error.strerror}".encode())
        finally:
            os._exit(1)
    os.close(reading)
    os.close(errors_write)
    try:
        with open(writing, "wb", buffering=1 << 20) as stream:
            counts = write_tree(source, stream)
            unreadable = [path for path, reason in counts.dropped if reason == "unreadable"]
            if unreadable:
                raise CopyError(errno.EACCES, f"{os.fsdecode(unreadable[0])} cannot be read")
    except BrokenPipeError:
        pass  # the writer has said why below
    finally:
        report = os.read(errors_read, 1000).decode()
        os.close(errors_read)
        status = os.waitpid(child, 0)[1]
    if status != 0:
        number, _, text = report.partition(" ")
        raise CopyError(int(number or 0), text or "the copy was cut short")


def _receive(reading: int, target: str, namespace: int | None) -> None:
    folder = os.open(target, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    identity.become_inside_root(namespace)
    with open(reading, "rb", buffering=1 << 20) as stream:
        read_tree(stream, folder, merge=True)

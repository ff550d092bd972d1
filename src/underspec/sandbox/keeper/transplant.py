"""Move mounts from the keeper's stage into a container's mount namespace."""

from __future__ import annotations

import errno
import os

from underspec.sandbox.keeper import kernel

_DEVICES = "/dev"
# What an engine mounts for writing that is not on the sandbox's disk.
_UNWANTED = ("/dev/mqueue",)


class TransplantError(Exception):
    """A mount could not be moved; says which and why."""


def transplant(namespace: int, trees: list[tuple[int, str]]) -> None:
    """Attach each detached mount at its path there, in place of what an engine mounted at it.

    Every path must exist there. Afterwards nothing but these can be written: ``/dev`` becomes read-only.

    Raises:
        TransplantError: a path is missing or leads through a link.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        what = "the container"
        try:
            kernel.setns(namespace, kernel.CLONE_NEWNS)
            for path in _UNWANTED:
                _unmount(path)
            for tree, path in trees:
                what = path
                _unmount(path)
                place = _open(path)
                kernel.attach_mount(tree, place)
                os.close(place)
            what = _DEVICES
            kernel.set_mount_attributes(_open(_DEVICES), kernel.MOUNT_ATTR_RDONLY, recursive=False)
            os._exit(0)
        except OSError as error:
            os.write(writing, f"{what}: {error}".encode(errors="backslashreplace"))
        finally:
            os._exit(1)
    os.close(writing)
    for tree, _ in trees:
        os.close(tree)
    with open(reading, "rb") as stream:
        said = stream.read()
    if os.waitpid(child, 0)[1] != 0:
        raise TransplantError(f"cannot mount in the container at {said.decode(errors='replace')}")


def unmount_all(path: str) -> None:
    """Detach whatever is mounted at a path, one over the other."""
    while _unmount(path):
        pass


def _unmount(path: str) -> bool:
    """Detach what is mounted at a path; false when nothing was."""
    try:
        kernel.unmount(path)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOENT):
            raise
        return False
    return True


def _open(path: str) -> int:
    """A descriptor of an existing place, reached without any link."""
    current = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in [name for name in path.split("/") if name]:
        try:
            following = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=current)
        finally:
            os.close(current)
        current = following
    return current

"""The ground that a root tree is built on: folders, mount points and clones, as primitives.

On one folder of the keeper's private mount namespace lies a small tmpfs, the *stage*. Under it: ``root``, the tree
that becomes the sandbox's root; ``box``, one more tmpfs that backs every writable place, so that its size is exactly
the disk limit.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from underspec.sandbox.keeper import identity, kernel


def _choose_stage() -> str:
    """A folder under which the keeper itself needs nothing, for the stage hides what is there."""
    needed = [os.path.realpath(path) for path in (sys.executable, os.__file__, __file__)]
    for folder in ("/tmp", "/mnt", "/media", "/srv", "/opt", "/var/tmp"):
        if os.path.isdir(folder) and not os.path.islink(folder):
            reachable = os.stat(folder).st_mode & 0o001
            if reachable and not any(path.startswith(f"{folder}/") for path in needed):
                return folder
    return "/tmp"


STAGE = _choose_stage()
ROOT = f"{STAGE}/root"
BOX = f"{STAGE}/box"
SHOWN = kernel.MOUNT_ATTR_RDONLY | kernel.MOUNT_ATTR_NOSUID | kernel.MOUNT_ATTR_NODEV


class Ground:
    """``namespace`` is the inside's user namespace, ``base`` its root's id here; None when the keeper is in it."""

    def __init__(self, namespace: int | None, base: int) -> None:
        self.namespace = namespace
        self.unprivileged = namespace is None
        self._base = base

    def mount_tmpfs(self, path: str, size: int, files: int) -> None:
        """A tmpfs of root inside. ``size`` in bytes."""
        owner = 0 if self.namespace is None else self._base
        kernel.mount(
            "tmpfs",
            path,
            "tmpfs",
            kernel.MS_NOSUID | kernel.MS_NODEV,
            f"size={size},nr_inodes={files},mode=0755,uid={owner},gid={owner}",
        )

    def own(self, path: str | int, *, parent: int | None = None) -> None:
        """Give something to root inside; never through a link."""
        if self.namespace is None:
            return
        if isinstance(path, int):
            os.fchown(path, self._base, self._base)
        else:
            os.chown(path, self._base, self._base, dir_fd=parent, follow_symlinks=False)

    def folder(self, path: str, mode: int) -> None:
        """Make a folder of root inside."""
        os.mkdir(path)
        os.chmod(path, mode)
        self.own(path)

    def show(self, source: str) -> int | None:
        """A read-only clone under which the source's owner is root inside; None where that cannot be: copy then."""
        tree = kernel.clone_mount(source)
        if self.namespace is None:
            make_shown(tree, None)
            return tree
        status = os.stat(source)
        if (status.st_uid, status.st_gid) == (0, 0):
            owners, own = self.namespace, False
        else:
            owners, own = self._owners(status), True
        try:
            if make_shown(tree, owners):
                return tree
        finally:
            if own:
                os.close(owners)
        os.close(tree)
        return None

    def publish(self, tree: int) -> None:
        """Make a clone of the machine's own read-only, and nobody's inside: there, what only root of the host may read,
        root inside may not."""
        make_shown(tree, None)

    def can_own(self, source: str) -> bool:
        """Whether root inside can be the owner of what is there: an ordinary user's inside knows its own files only."""
        return not self.unprivileged or os.stat(source).st_uid == 0

    def _owners(self, status: os.stat_result) -> int:
        return identity.create_user_namespace(
            identity.owner_first_map(status.st_uid, self._base), identity.owner_first_map(status.st_gid, self._base)
        )

    def attach(self, tree: int, target: str, *, is_folder: bool) -> None:
        """Attach a clone at ``target`` under the root, and close it."""
        try:
            place = self.place(target, is_folder=is_folder)
            try:
                kernel.attach_mount(tree, place)
            finally:
                os.close(place)
        finally:
            os.close(tree)

    def place(self, target: str, *, is_folder: bool) -> int:
        """A descriptor of ``target`` under the root, made where it is missing, never through a link."""
        names = [name for name in target.split("/") if name]
        current = os.open(ROOT, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        for position, name in enumerate(names):
            try:
                following = self._step(current, name, is_folder=is_folder or position < len(names) - 1)
            finally:
                os.close(current)
            current = following
        return current

    def _step(self, parent: int, name: str, *, is_folder: bool) -> int:
        flags = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_DIRECTORY if is_folder else 0)
        try:
            place = os.open(name, flags, dir_fd=parent)
        except FileNotFoundError:
            if is_folder:
                os.mkdir(name, 0o755, dir_fd=parent)
            else:
                os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=parent))
            self.own(name, parent=parent)
            place = os.open(name, flags, dir_fd=parent)
        if stat.S_ISLNK(os.fstat(place).st_mode):
            os.close(place)
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        return place

    def link(self, path: str, target: str) -> None:
        """A symbolic link under the root."""
        parent = self.place(os.path.dirname(path), is_folder=True)
        try:
            os.symlink(target, os.path.basename(path), dir_fd=parent)
            self.own(os.path.basename(path), parent=parent)
        finally:
            os.close(parent)

    def file(self, path: str, text: str, mode: int) -> None:
        """A small file under the root, which does not exist yet."""
        parent = self.place(os.path.dirname(path), is_folder=True)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with open(os.open(os.path.basename(path), flags, mode, dir_fd=parent), "w") as stream:
                stream.write(text)
                self.own(stream.fileno())
        finally:
            os.close(parent)


def make_shown(tree: int, owners: int | None) -> bool:
    """Make a clone read-only and map its owners. False where the file system knows no such map."""
    try:
        kernel.set_mount_attributes(
            tree, SHOWN | kernel.MOUNT_ATTR_NOATIME, clear=kernel.MOUNT_ATTR_ATIME, userns=owners
        )
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EPERM, errno.EOPNOTSUPP):
            raise
    else:
        return True
    if owners is None:
        kernel.set_mount_attributes(tree, SHOWN)  # reading times may be locked for an ordinary user
        return True
    return False

"""The sandbox's root tree, mounted in the keeper's private mount namespace.

On ``/tmp`` of that namespace lies a small tmpfs, the *stage*. Under it: ``root``, the tree that becomes the sandbox's
root; ``box``, one more tmpfs that backs every writable place, so that its size is exactly the disk limit; ``lower``,
the host folder under the workspace, seen through a map of owners and never written.

Sources are cloned by whoever the keeper is on the host (root reaches what the inside could not) and shown read-only.
"""

from __future__ import annotations

import errno
import os
import stat

from underspec.sandbox.keeper import identity, kernel
from underspec.sandbox.keeper.copying import copy_tree

STAGE = "/tmp"
ROOT = f"{STAGE}/root"
BOX = f"{STAGE}/box"
_LOWER = f"{STAGE}/lower"
_SHOWN = kernel.MOUNT_ATTR_RDONLY | kernel.MOUNT_ATTR_NOSUID | kernel.MOUNT_ATTR_NODEV

# Writable places inside, and the folder of the box that backs each.
WRITABLE = {
    "/tmp": ("tmp", 0o1777),
    "/var/tmp": ("vartmp", 0o1777),
    "/root": ("root", 0o700),
    "/run": ("run", 0o755),
}
SHM = ("shm", 0o1777)
# The stage holds mount points and a few small files, never anything that the inside can write.
_STAGE_SIZE = 32 * 1024**2


class TargetError(Exception):
    """A mount's target cannot be used; says why."""


class Stage:
    """Builds the tree. ``namespace`` is the inside's user namespace (None when the keeper is already in it)."""

    def __init__(self, namespace: int | None, base: int, workspace: str) -> None:
        self._namespace = namespace
        self._base = base
        self._workspace = workspace
        self.notes: dict[str, str] = {}

    def build(
        self, entries: list[tuple[str, ...]], lower: str | None, mounts: list[tuple[str, str]], disk: int, files: int
    ) -> None:
        """Mount everything. Sizes in bytes."""
        shown = [(entry, kernel.clone_mount(entry[1])) for entry in entries if entry[0] == "show"]
        trees = dict((id(entry), tree) for entry, tree in shown)
        extra = [(source, target, os.path.isdir(source), self._clone(source)) for source, target in mounts]
        under = self._clone(lower) if lower is not None else None
        self._mount_tmpfs(STAGE, _STAGE_SIZE, 20_000)
        for folder in ("root", "box", "lower", "empty", "copies"):
            self._folder(f"{STAGE}/{folder}", 0o755)
        self._mount_tmpfs(BOX, disk, files)
        for entry in entries:
            self._lay(entry, trees.get(id(entry)))
        for folder in ("/proc", "/dev", *WRITABLE, self._workspace):
            os.close(self._place(folder, is_folder=True))
        for target, (name, mode) in {**WRITABLE, "": SHM, self._workspace: ("work", 0o755)}.items():
            self._folder(f"{BOX}/{name}", mode)
            if target and not (target == self._workspace and lower is not None):
                self._attach(self._writable_clone(f"{BOX}/{name}"), target, is_folder=True)
        if lower is not None:
            self._lay_lower(lower, under)
        for number, (source, target, is_folder, tree) in enumerate(extra):
            self._lay_mount(number, source, target, is_folder, tree)
        self._close_stage()

    def _mount_tmpfs(self, path: str, size: int, files: int) -> None:
        owner = 0 if self._namespace is None else self._base
        kernel.mount(
            "tmpfs",
            path,
            "tmpfs",
            kernel.MS_NOSUID | kernel.MS_NODEV,
            f"size={size},nr_inodes={files},mode=0755,uid={owner},gid={owner}",
        )

    def _own(self, path: str | int) -> None:
        if self._namespace is not None:
            os.chown(path, self._base, self._base)

    def _folder(self, path: str, mode: int) -> None:
        os.mkdir(path)
        os.chmod(path, mode)
        self._own(path)

    def _clone(self, source: str) -> int | None:
        """A read-only clone under which the source's owner is root inside; None where that cannot be: copy then."""
        tree = kernel.clone_mount(source)
        if self._namespace is None:
            _show(tree, None)
            return tree
        status = os.stat(source)
        if (status.st_uid, status.st_gid) == (0, 0):
            return tree if _show(tree, self._namespace) else _closed(tree)
        owners = identity.create_user_namespace(
            identity.owner_first_map(status.st_uid, self._base), identity.owner_first_map(status.st_gid, self._base)
        )
        try:
            return tree if _show(tree, owners) else _closed(tree)
        finally:
            os.close(owners)

    def _writable_clone(self, path: str) -> int:
        return kernel.clone_mount(path)

    def _lay(self, entry: tuple[str, ...], tree: int | None) -> None:
        kind, path = entry[0], entry[2] if entry[0] == "show" else entry[1]
        if kind == "show":
            if tree is None:
                raise ValueError("a source was not cloned")
            if not _show(tree, self._namespace):
                _show(tree, None)
            self._attach(tree, path, is_folder=os.path.isdir(entry[1]))
        elif kind == "mask":
            empty = kernel.clone_mount(f"{STAGE}/empty")
            kernel.set_mount_attributes(empty, _SHOWN)
            self._attach(empty, path, is_folder=True)
        elif kind == "folder":
            os.close(self._place(path, is_folder=True))
        elif kind == "link":
            parent = self._place(os.path.dirname(path), is_folder=True)
            os.symlink(entry[2], os.path.basename(path), dir_fd=parent)
            os.close(parent)
        elif kind == "file":
            place = self._place(path, is_folder=False)
            with open(f"/proc/self/fd/{place}", "w") as stream:  # noqa: PTH123 - pathlib is too heavy here
                stream.write(entry[2])
            os.close(place)
        else:
            raise ValueError(f"unknown kind of entry {kind!r}")

    def _lay_lower(self, lower: str, tree: int | None) -> None:
        if tree is not None and self._overlay(tree):
            self.notes["workspace"] = "overlay"
            return
        place = self._place(self._workspace, is_folder=True)
        kernel.attach_mount(self._writable_clone(f"{BOX}/work"), place)
        os.close(place)
        self.notes["workspace"] = "copy"
        copy_tree(lower, f"{BOX}/work", self._namespace)

    def _overlay(self, tree: int) -> bool:
        place = os.open(_LOWER, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        kernel.attach_mount(tree, place)
        os.close(place)
        options = f"lowerdir={_LOWER},upperdir={BOX}/work,workdir={BOX}/ovl,"
        if self._namespace is None:
            if not _takes_user_attributes(f"{BOX}/work"):
                return False
            options += "userxattr"
        else:
            # Without it, a folder of the lower layer could not be renamed.
            options += "redirect_dir=on"
        self._folder(f"{BOX}/ovl", 0o755)
        try:
            kernel.mount("overlay", f"{ROOT}{self._workspace}", "overlay", kernel.MS_NOSUID | kernel.MS_NODEV, options)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EPERM, errno.ENODEV, errno.EOPNOTSUPP):
                raise
            return False
        return True

    def _lay_mount(self, number: int, source: str, target: str, is_folder: bool, tree: int | None) -> None:
        try:
            if tree is None:
                tree = self._copied(number, source, is_folder)
            self._attach(tree, target, is_folder=is_folder)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EROFS, errno.EISDIR, errno.EEXIST):
                raise TargetError(f"nothing can be mounted at {target}: {error.strerror}") from error
            raise

    def _copied(self, number: int, source: str, is_folder: bool) -> int:
        """A read-only copy of a source that the inside could not read where it is."""
        self.notes["mounts"] = "copy"
        holder = f"{STAGE}/copies/{number}"
        self._folder(holder, 0o755)
        kernel.mount("tmpfs", holder, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0755")
        self._own(holder)
        if is_folder:
            copy_tree(source, holder, self._namespace)
            tree = kernel.clone_mount(holder)
        else:
            with open(source, "rb") as reading, open(f"{holder}/file", "wb") as writing:  # noqa: PTH123
                while chunk := reading.read(1 << 20):
                    writing.write(chunk)
            os.chmod(f"{holder}/file", os.stat(source).st_mode & 0o777)
            self._own(f"{holder}/file")
            tree = kernel.clone_mount(f"{holder}/file")
        kernel.set_mount_attributes(tree, _SHOWN)
        return tree

    def _attach(self, tree: int, target: str, *, is_folder: bool) -> None:
        place = self._place(target, is_folder=is_folder)
        try:
            kernel.attach_mount(tree, place)
        finally:
            os.close(place)
            os.close(tree)

    def _place(self, target: str, *, is_folder: bool) -> int:
        """A descriptor of ``target`` under the root, made where it is missing, never through a link."""
        names = [name for name in target.split("/") if name]
        current = os.open(ROOT, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for position, name in enumerate(names):
                last = position == len(names) - 1
                following = self._step(current, name, is_folder=is_folder or not last)
                os.close(current)
                current = following
        except BaseException:
            os.close(current)
            raise
        return current

    def _step(self, parent: int, name: str, *, is_folder: bool) -> int:
        flags = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_DIRECTORY if is_folder else 0)
        try:
            place = os.open(name, flags, dir_fd=parent)
        except FileNotFoundError:
            if is_folder:
                os.mkdir(name, 0o755, dir_fd=parent)
            else:
                os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=parent))
            if self._namespace is not None:
                os.chown(name, self._base, self._base, dir_fd=parent, follow_symlinks=False)
            place = os.open(name, flags, dir_fd=parent)
        if stat.S_ISLNK(os.fstat(place).st_mode):
            os.close(place)
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        return place

    def _close_stage(self) -> None:
        """The stage itself becomes read-only; the box and the workspace on it stay as they are."""
        place = os.open(STAGE, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        kernel.set_mount_attributes(place, kernel.MOUNT_ATTR_RDONLY, recursive=False)
        os.close(place)


def _show(tree: int, owners: int | None) -> bool:
    """Make a clone read-only and map its owners. False where the file system knows no such map."""
    try:
        kernel.set_mount_attributes(
            tree, _SHOWN | kernel.MOUNT_ATTR_NOATIME, clear=kernel.MOUNT_ATTR_ATIME, userns=owners
        )
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EPERM, errno.EOPNOTSUPP):
            raise
    else:
        return True
    if owners is None:
        kernel.set_mount_attributes(tree, _SHOWN)  # reading times may be locked for an ordinary user
        return True
    return False


def _closed(tree: int) -> None:
    os.close(tree)


def _takes_user_attributes(folder: str) -> bool:
    """Whether an overlay of an ordinary user can remember there what was deleted."""
    try:
        os.setxattr(folder, "user.overlay.probe", b"y")
        os.removexattr(folder, "user.overlay.probe")
    except OSError:
        return False
    return True

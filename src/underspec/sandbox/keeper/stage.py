"""The sandbox's root tree: the image's parts, devices, writable places, the workspace and extra mounts.

Sources are cloned by whoever the keeper is on the host (root reaches what the inside could not) and shown read-only.
A host folder under the workspace is the lower layer of an overlay: shown without being copied, never written.
"""

from __future__ import annotations

import errno
import os

from underspec.sandbox.keeper import kernel
from underspec.sandbox.keeper.copying import copy_tree
from underspec.sandbox.keeper.ground import BOX, ROOT, SHOWN, STAGE, Ground

_LOWER = f"{STAGE}/lower"
# Writable places inside, and the folder of the box that backs each.
WRITABLE = {
    "/tmp": ("tmp", 0o1777),
    "/var/tmp": ("vartmp", 0o1777),
    "/root": ("root", 0o700),
    "/run": ("run", 0o755),
    "/dev/shm": ("shm", 0o1777),
}
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_DEVICE_LINKS = {
    "fd": "/proc/self/fd",
    "ptmx": "pts/ptmx",
    "stderr": "/proc/self/fd/2",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
}
# The machine has some thousands in all.
_TERMINALS = 256
# The stage holds mount points and a few small files, never anything that the inside can write.
_STAGE_SIZE, _STAGE_FILES = 32 * 1024**2, 20_000
_UNUSABLE = (errno.ELOOP, errno.ENOTDIR, errno.EROFS, errno.EISDIR, errno.EEXIST, errno.EACCES, errno.EINVAL)


class TargetError(Exception):
    """Something cannot be mounted where it should; says what and why."""


class Stage:
    """Builds the tree. ``notes`` say how, where there is more than one way."""

    def __init__(self, ground: Ground, workspace: str) -> None:
        self._ground = ground
        self._workspace = workspace
        self.notes: dict[str, str] = {}

    def build(
        self,
        entries: list[tuple[str, ...]],
        *,
        lower: str | None,
        mounts: list[tuple[str, str]],
        disk: int,
        files: int,
    ) -> None:
        """Mount everything. ``disk`` in bytes; ``files`` is how many can be made.

        Raises:
            TargetError: a mount's target cannot be used.
            CopyError: something had to be copied and could not.
        """
        # Sources first: the stage will hide what lies under its folder.
        parts = [self._cloned(entry) for entry in entries]
        devices = [(name, kernel.clone_mount(f"/dev/{name}")) for name in _DEVICES if os.path.exists(f"/dev/{name}")]
        extra = [(source, target, os.path.isdir(source), self._ground.show(source)) for source, target in mounts]
        under = self._ground.show(lower) if lower is not None and self._ground.can_own(lower) else None
        sources = self._open_for_copies(lower if under is None else None, extra)
        self._ground.mount_tmpfs(STAGE, _STAGE_SIZE, _STAGE_FILES)
        for folder in ("root", "box", "lower", "empty", "copies"):
            self._ground.folder(f"{STAGE}/{folder}", 0o755)
        self._ground.mount_tmpfs(BOX, disk, files)
        for entry, tree in parts:
            self._lay(entry, tree)
        os.close(self._ground.place("/proc", is_folder=True))
        self._lay_devices(devices)
        for target, (name, mode) in WRITABLE.items():
            self._lay_writable(name, mode, target)
        self._lay_workspace(lower, under, sources)
        for number, (source, target, is_folder, shown) in enumerate(extra):
            self._lay_mount(target, is_folder, shown if shown is not None else self._copied(number, sources[source]))
        self._seal()

    def _open_for_copies(self, lower: str | None, extra: list[tuple[str, str, bool, int | None]]) -> dict[str, int]:
        """Descriptors of the sources that must be copied, since their paths will be hidden."""
        wanted = [source for source, _, _, tree in extra if tree is None] + ([lower] if lower is not None else [])
        return {source: os.open(source, os.O_RDONLY | os.O_CLOEXEC) for source in wanted}

    def _cloned(self, entry: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
        if entry[0] == "tree":
            tree = self._ground.show(entry[1])
            if tree is not None:
                return entry, tree
            entry = ("show", *entry[1:])  # its owners cannot be mapped there: inside, it is read like anybody's
        return entry, kernel.clone_mount(entry[1]) if entry[0] == "show" else -1

    def _lay(self, entry: tuple[str, ...], tree: int) -> None:
        kind = entry[0]
        if kind == "show":
            self._ground.publish(tree)
            is_folder = os.path.isdir(f"/proc/self/fd/{tree}")
            self._ground.attach(tree, entry[2], is_folder=is_folder)
        elif kind == "tree":
            self._ground.attach(tree, entry[2], is_folder=os.path.isdir(f"/proc/self/fd/{tree}"))
        elif kind == "mask":
            empty = kernel.clone_mount(f"{STAGE}/empty")
            kernel.set_mount_attributes(empty, SHOWN)
            self._ground.attach(empty, entry[1], is_folder=True)
        elif kind == "folder":
            os.close(self._ground.place(entry[1], is_folder=True))
        elif kind == "link":
            self._ground.link(entry[1], entry[2])
        elif kind in ("file", "script"):
            self._ground.file(entry[1], entry[2], 0o755 if kind == "script" else 0o644)
        else:
            raise ValueError(f"unknown kind of entry {kind!r}")

    def _lay_devices(self, devices: list[tuple[str, int]]) -> None:
        for name, tree in devices:
            kernel.set_mount_attributes(tree, kernel.MOUNT_ATTR_NOSUID | kernel.MOUNT_ATTR_NOEXEC)
            self._ground.attach(tree, f"/dev/{name}", is_folder=False)
        for name, target in _DEVICE_LINKS.items():
            self._ground.link(f"/dev/{name}", target)
        os.close(self._ground.place("/dev/pts", is_folder=True))
        flags = kernel.MS_NOSUID | kernel.MS_NOEXEC
        kernel.mount(
            "devpts", f"{ROOT}/dev/pts", "devpts", flags, f"newinstance,ptmxmode=0666,mode=0620,max={_TERMINALS}"
        )
        self._ground.own(f"{ROOT}/dev/pts")

    def _lay_writable(self, name: str, mode: int, target: str) -> None:
        self._ground.folder(f"{BOX}/{name}", mode)
        self._ground.attach(kernel.clone_mount(f"{BOX}/{name}"), target, is_folder=True)

    def _lay_workspace(self, lower: str | None, under: int | None, sources: dict[str, int]) -> None:
        if lower is None:
            self._lay_writable("work", 0o755, self._workspace)
            return
        os.close(self._ground.place(self._workspace, is_folder=True))
        self._ground.folder(f"{BOX}/work", 0o755)
        if under is not None and self._overlay(under):
            self.notes["workspace"] = "overlay"
            return
        self.notes["workspace"] = "copy"
        if under is not None:
            sources[lower] = os.open(_LOWER, os.O_RDONLY | os.O_CLOEXEC)
        copy_tree(sources[lower], f"{BOX}/work", self._ground.namespace)
        self._ground.attach(kernel.clone_mount(f"{BOX}/work"), self._workspace, is_folder=True)

    def _overlay(self, tree: int) -> bool:
        """Lay the workspace over the folder. False where the kernel cannot: copy then."""
        place = os.open(_LOWER, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        kernel.attach_mount(tree, place)
        os.close(place)
        os.close(tree)
        options = f"lowerdir={_LOWER},upperdir={BOX}/work,workdir={BOX}/ovl,"
        if self._ground.unprivileged:
            if not _takes_user_attributes(f"{BOX}/work"):
                return False
            options += "userxattr"
        else:
            options += "redirect_dir=on"  # or a folder of the lower layer could not be renamed
        self._ground.folder(f"{BOX}/ovl", 0o755)
        flags = kernel.MS_NOSUID | kernel.MS_NODEV
        try:
            kernel.mount("overlay", f"{ROOT}{self._workspace}", "overlay", flags, options)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EPERM, errno.ENODEV, errno.EOPNOTSUPP):
                raise
            return False
        return True

    def _lay_mount(self, target: str, is_folder: bool, tree: int) -> None:
        try:
            self._ground.attach(tree, target, is_folder=is_folder)
        except OSError as error:
            if error.errno in _UNUSABLE:
                raise TargetError(f"nothing can be mounted at {target}: {error.strerror}") from error
            raise

    def _copied(self, number: int, source: int) -> int:
        """A read-only copy of a source that the inside could not read where it is."""
        self.notes["mounts"] = "copy"
        holder = f"{STAGE}/copies/{number}"
        self._ground.folder(holder, 0o755)
        kernel.mount("tmpfs", holder, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0755")
        self._ground.own(holder)
        if os.path.isdir(f"/proc/self/fd/{source}"):
            copy_tree(source, holder, self._ground.namespace)
            tree = kernel.clone_mount(holder)
        else:
            with open(source, "rb", closefd=False) as reading, open(f"{holder}/file", "wb") as writing:
                while chunk := reading.read(1 << 20):
                    writing.write(chunk)
            os.chmod(f"{holder}/file", os.fstat(source).st_mode & 0o777)
            self._ground.own(f"{holder}/file")
            tree = kernel.clone_mount(f"{holder}/file")
        kernel.set_mount_attributes(tree, SHOWN)
        return tree

    def _seal(self) -> None:
        """The stage itself becomes read-only; what is mounted on it stays as it is."""
        place = os.open(STAGE, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        kernel.set_mount_attributes(place, kernel.MOUNT_ATTR_RDONLY, recursive=False)
        os.close(place)


def _takes_user_attributes(folder: str) -> bool:
    """Whether an overlay of an ordinary user can remember there what was deleted."""
    try:
        os.setxattr(folder, "user.overlay.probe", b"y")
        os.removexattr(folder, "user.overlay.probe")
    except OSError:
        return False
    return True

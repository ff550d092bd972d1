"""Takes out of a fresh root tree what differs from build to build, and what a sandbox brings itself.

The same package versions then give the same tree. Nothing here follows a link: a tree may come from a Docker image
whose author meant harm.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from pathlib import Path

from underspec.errors import SandboxError
from underspec.sandbox.images.digest import entries
from underspec.sandbox.images.keystore import without_times
from underspec.sandbox.protocol import WORKSPACE

# Any fixed time will do: the first second of 2020. Whoever changes a tree by ordinary means leaves another.
TREE_TIME = 1_577_836_800
# Places that a sandbox mounts itself, with modes of its own: empty folders here.
_OWN = ("dev", "proc", "root", "run", "sys", "tmp", "var/tmp", WORKSPACE.strip("/"))
# Leftovers of building: caches, logs, copies of the file before the last change, seeds, the name of the machine.
_EMPTIED = (
    "var/cache",
    "var/lib/apt/lists",
    "var/lib/systemd/random-seed",
    "var/lib/urandom",
    "var/log",
)
_REMOVED = (
    "etc/.pwd.lock",
    "etc/apt/sources.list",
    "etc/apt/sources.list.d",
    "etc/group-",
    "etc/gshadow-",
    "etc/machine-id",
    "etc/mtab",
    "etc/passwd-",
    "etc/shadow-",
    "etc/subgid-",
    "etc/subuid-",
    "var/lib/dbus/machine-id",
    "var/lib/dpkg/available",
    "var/lib/dpkg/available-old",
    "var/lib/dpkg/diversions-old",
    "var/lib/dpkg/lock",
    "var/lib/dpkg/lock-frontend",
    "var/lib/dpkg/statoverride-old",
    "var/lib/dpkg/status-old",
    "var/lib/dpkg/triggers/Lock",
    "var/lib/dpkg/triggers/Unincorp",
)
_WRITTEN = {
    "etc/hostname": "sandbox\n",
    "etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "etc/resolv.conf": "",
}
_WHERE_MISSING = {
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
}
_JAVA_STORE = "etc/ssl/certs/java/cacerts"
_CHANGED_DAY = re.compile(r"^([^:\n]*:[^:\n]*:)\d+", re.MULTILINE)


def tidy(root: Path) -> None:
    """Make a tree reproducible and ready for sandboxes. It belongs to the user who calls this.

    Raises:
        SandboxError: the tree has a link where a folder must be.
    """
    for path in _REMOVED:
        _remove(root, path)
    for path in _EMPTIED:
        if (root / path).is_dir() and not _has_link(root, path):
            _empty(root / path)
    for path in _OWN:
        _own_folder(root, path)
    for path, text in _WRITTEN.items():
        _remove(root, path)
        _write(root, path, text)
    for path, text in _WHERE_MISSING.items():
        if not os.path.lexists(root / path):
            _write(root, path, text)
    _write_link(root, "etc/mtab", "/proc/mounts")
    _forget_days(root)
    _forget_times(root)
    _remove_timed_byte_code(root)
    _disarm(root)
    _fix_times(root)


def _parents(path: str) -> list[str]:
    names = path.split("/")[:-1]
    return ["/".join(names[: count + 1]) for count in range(len(names))]


def _has_link(root: Path, path: str) -> bool:
    """Whether ``path``, or a folder on the way to it, is a link."""
    return any((root / part).is_symlink() for part in (*_parents(path), path))


def _remove(root: Path, path: str) -> None:
    if any((root / part).is_symlink() for part in _parents(path)):
        return
    place = root / path
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def _empty(folder: Path) -> None:
    for entry in list(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _real_folders(root: Path, path: str) -> None:
    """Make the folders on the way to ``path``; a link among them must not lead elsewhere."""
    for part in _parents(path):
        place = root / part
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise SandboxError(
                "a root tree has a link or file where a sandbox needs a folder",
                file=f"/{part}",
                mend="take another image",
            )
        if not place.exists():
            place.mkdir()
            place.chmod(0o755)


def _own_folder(root: Path, path: str) -> None:
    _real_folders(root, path)
    place = root / path
    if place.is_symlink() or not place.is_dir():
        place.unlink(missing_ok=True)
        place.mkdir()
    _empty(place)
    place.chmod(0o755)
    os.chown(place, os.geteuid(), os.getegid())


def _write(root: Path, path: str, text: str) -> None:
    _real_folders(root, path)
    place = root / path
    with place.open("x") as stream:
        stream.write(text)
    place.chmod(0o644)


def _write_link(root: Path, path: str, target: str) -> None:
    _real_folders(root, path)
    (root / path).symlink_to(target)


def _forget_days(root: Path) -> None:
    """Accounts remember the day of their last change of password: that of the build."""
    place = root / "etc/shadow"
    if place.is_file() and not _has_link(root, "etc/shadow"):
        text = place.read_text(encoding="utf-8", errors="surrogateescape")
        place.write_text(_CHANGED_DAY.sub(r"\g<1>1", text), encoding="utf-8", errors="surrogateescape")


def _forget_times(root: Path) -> None:
    """Java remembers when it came to trust each certificate: when the package was configured."""
    place = root / _JAVA_STORE
    if place.is_file() and not _has_link(root, _JAVA_STORE):
        content = without_times(place.read_bytes(), TREE_TIME * 1000)
        if content is not None:
            place.write_bytes(content)


def _remove_timed_byte_code(root: Path) -> None:
    """Python's byte code that holds the time of its source would be stale now; that which holds its hash stays."""
    for path, status in list(entries(root)):
        if stat.S_ISREG(status.st_mode) and path.endswith(b".pyc"):
            place = Path(os.fsdecode(os.fsencode(root) + b"/" + path))
            with place.open("rb") as stream:
                header = stream.read(8)
            if not int.from_bytes(header[4:8], "little") & 1:
                place.unlink()


def _disarm(root: Path) -> None:
    """No program of the tree may lend its owner's rights to users of this machine, and none of them may write to it.

    Inside, neither is missed: sandboxes grant no new privileges and show the tree read-only.
    """
    for path, status in entries(root):
        if stat.S_ISLNK(status.st_mode):
            continue
        lent = 0 if stat.S_ISDIR(status.st_mode) else stat.S_ISUID | stat.S_ISGID
        mode = stat.S_IMODE(status.st_mode) & ~(lent | stat.S_IWOTH)
        if mode != stat.S_IMODE(status.st_mode):
            os.chmod(os.fsencode(root) + b"/" + path, mode)  # noqa: PTH101 - names here are bytes


def _fix_times(root: Path) -> None:
    time_ns = TREE_TIME * 10**9
    for path, _ in list(entries(root)):
        os.utime(os.fsencode(root) + b"/" + path, ns=(time_ns, time_ns), follow_symlinks=False)
    os.utime(root, ns=(time_ns, time_ns))

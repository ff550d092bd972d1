"""Who the inside is on the host: its user namespace.

As root, the inside's ids 0 to 65535 are host ids from a base upwards (100000, or root's range in ``/etc/subuid``), so
that root inside is nobody on the host. As an ordinary user, the one id 0 inside is that user.
"""

from __future__ import annotations

import os

from underspec.sandbox.keeper import kernel

INSIDE_IDS = 65536
_DEFAULT_BASE = 100000
_CAP_SYS_ADMIN = 21
_NEEDED_AS_ROOT = (kernel.CAP_CHOWN, kernel.CAP_DAC_OVERRIDE, kernel.CAP_SETGID, kernel.CAP_SETUID, _CAP_SYS_ADMIN)


def _read(path: str) -> str:
    with open(path) as stream:
        return stream.read()


def is_real_root() -> bool:
    """Whether this process is root of the whole machine and not of some container's user namespace."""
    if os.geteuid() != 0 or _read("/proc/self/uid_map").split() != ["0", "0", "4294967295"]:
        return False
    for line in _read("/proc/self/status").splitlines():
        if line.startswith("CapEff:"):
            held = int(line.split()[1], 16)
            return all(held >> number & 1 for number in _NEEDED_AS_ROOT)
    return False


def base_id() -> int:
    """The host id that root inside gets when the keeper is root."""
    try:
        lines = _read("/etc/subuid").splitlines()
    except FileNotFoundError:
        return _DEFAULT_BASE
    for line in lines:
        name, _, rest = line.partition(":")
        first, _, count = rest.partition(":")
        if name in ("root", "0") and first.isdigit() and count.isdigit() and int(count) >= INSIDE_IDS:
            return int(first)
    return _DEFAULT_BASE


def plain_map(base: int, ids: int = INSIDE_IDS) -> str:
    """The first ids inside are ``base`` upwards."""
    return f"0 {base} {ids}\n"


def owner_first_map(owner: int, base: int) -> str:
    """A map under which files of ``owner`` belong to root inside, and all others to somebody else.

    It is one to one: root's place is swapped in below the rest, which moves up by one.
    """
    if owner == 0:
        return plain_map(base)
    if owner >= INSIDE_IDS:
        return f"{owner} {base} 1\n0 {base + 1} {INSIDE_IDS - 1}\n"
    rest = INSIDE_IDS - owner - 1
    tail = f"{owner + 1} {base + owner + 1} {rest}\n" if rest else ""
    return f"{owner} {base} 1\n0 {base + 1} {owner}\n{tail}"


def create_user_namespace(uid_map: str, gid_map: str) -> int:
    """A new user namespace with these maps and nobody in it, as a descriptor. Needs root."""
    ready_read, ready_write = os.pipe()
    done_read, done_write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(done_write)
            kernel.unshare(kernel.CLONE_NEWUSER)
            os.write(ready_write, b"1")
            os.read(done_read, 1)
        finally:
            os._exit(0)
    os.close(ready_write)
    os.close(done_read)
    try:
        if not os.read(ready_read, 1):
            raise PermissionError("user namespaces are not available")
        write_maps(child, uid_map, gid_map)
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(ready_read)
        os.close(done_write)
        os.waitpid(child, 0)


def write_maps(pid: int, uid_map: str, gid_map: str) -> None:
    """Give the user namespace that a process has just made its maps."""
    _write(f"/proc/{pid}/uid_map", uid_map)
    _write(f"/proc/{pid}/gid_map", gid_map)


def enter_own_namespace() -> None:
    """Move this process into a new user namespace in which it is root, as an ordinary user may."""
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWUSER)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"0 {uid} 1\n")
    _write("/proc/self/gid_map", f"0 {gid} 1\n")


def become_inside_root(namespace: int | None) -> None:
    """Enter the user namespace (None when already in it) and be its root."""
    if namespace is None:
        return
    kernel.setns(namespace, kernel.CLONE_NEWUSER)
    take_root()


def take_root() -> None:
    """Become root of the user namespace that this process is in."""
    os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)


# What the kernel counts against the owner of a user namespace, too, so that the inside could use up the host's share.
_SHARES = {"max_user_namespaces": 0, "max_inotify_instances": 16, "max_inotify_watches": 16384}


def limit_shares() -> None:
    """Nobody may create a user namespace below the current one, nor use up what its owner has outside, too.

    Where /proc is read-only, seccomp alone refuses the namespaces.
    """
    for name, most in _SHARES.items():
        try:
            _write(f"/proc/sys/user/{name}", str(most))
        except OSError:
            continue


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)

"""Linux calls that the standard library does not offer, made through libc."""

from __future__ import annotations

import ctypes
import errno
import os

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long

CLONE_NEWTIME = 0x00000080
CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 0x1
MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_NOEXEC = 0x8
MS_REMOUNT = 0x20
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000

MOUNT_ATTR_RDONLY = 0x1
MOUNT_ATTR_NOSUID = 0x2
MOUNT_ATTR_NODEV = 0x4
MOUNT_ATTR_NOEXEC = 0x8
MOUNT_ATTR_NOATIME = 0x10
MOUNT_ATTR_ATIME = 0x70
MOUNT_ATTR_IDMAP = 0x100000

_MNT_DETACH, _UMOUNT_NOFOLLOW = 0x2, 0x8
_AT_FDCWD = -100
_AT_EMPTY_PATH = 0x1000
_AT_RECURSIVE = 0x8000
_OPEN_TREE_CLONE = 1
_OPEN_TREE_CLOEXEC = os.O_CLOEXEC
_MOVE_MOUNT_F_EMPTY_PATH = 0x4
_MOVE_MOUNT_T_EMPTY_PATH = 0x40

_NR_RT_SIGACTION = 13 if os.uname().machine == "x86_64" else 134
# One number for every machine: these calls are younger than the separate tables.
_NR_OPEN_TREE = 428
_NR_MOVE_MOUNT = 429
_NR_MOUNT_SETATTR = 442

_NR_PIDFD_SEND_SIGNAL = 424

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NAME = 15
_PR_SET_SECCOMP = 22
_PR_CAPBSET_DROP = 24
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_SECCOMP_MODE_FILTER = 2

_SIG_DFL = 0
_SIG_SETMASK = 2
SIGCHLD = 17
SIGKILL = 9
SIGSTOP = 19

# What root keeps inside: enough to own files, change identity and serve low ports, all within its user namespace.
CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_KILL = 0, 1, 3, 4, 5
CAP_SETGID, CAP_SETUID, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT = 6, 7, 10, 18
INSIDE_CAPABILITIES = (
    CAP_CHOWN,
    CAP_DAC_OVERRIDE,
    CAP_FOWNER,
    CAP_FSETID,
    CAP_KILL,
    CAP_SETGID,
    CAP_SETUID,
    CAP_NET_BIND_SERVICE,
    CAP_SYS_CHROOT,
)
INSIDE_CAPABILITY_NAMES = (
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
    "CAP_FOWNER",
    "CAP_FSETID",
    "CAP_KILL",
    "CAP_SETGID",
    "CAP_SETUID",
    "CAP_NET_BIND_SERVICE",
    "CAP_SYS_CHROOT",
)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Leave the given namespaces for new ones."""
    _check(_libc.unshare(flags), "unshare")


def setns(descriptor: int, kind: int = 0) -> None:
    """Enter the namespace that ``descriptor`` stands for."""
    _check(_libc.setns(descriptor, kind), "setns")


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """mount(2)."""
    encoded = os.fsencode(kind) if kind is not None else None
    options = os.fsencode(data) if data is not None else None
    _check(
        _libc.mount(os.fsencode(source), os.fsencode(target), encoded, ctypes.c_ulong(flags), options),
        f"mount {kind or ''} at {target}",
    )


def unmount(path: str) -> None:
    """umount2(2): detach what is mounted at ``path``, which is no link, even while it is in use."""
    _check(_libc.umount2(os.fsencode(path), _MNT_DETACH | _UMOUNT_NOFOLLOW), f"umount {path}")


def clone_mount(path: str, *, recursive: bool = True) -> int:
    """A detached copy of the mount at ``path`` (from there downwards), as a descriptor."""
    flags = _OPEN_TREE_CLONE | _OPEN_TREE_CLOEXEC | (_AT_RECURSIVE if recursive else 0)
    return _check(_libc.syscall(_NR_OPEN_TREE, _AT_FDCWD, os.fsencode(path), flags), f"open_tree {path}")


def attach_mount(tree: int, target: int) -> None:
    """Attach a detached mount at the place that the descriptor ``target`` names."""
    flags = _MOVE_MOUNT_F_EMPTY_PATH | _MOVE_MOUNT_T_EMPTY_PATH
    _check(_libc.syscall(_NR_MOVE_MOUNT, tree, b"", target, b"", flags), "move_mount")


class _MountAttributes(ctypes.Structure):
    _fields_ = [
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    ]


def set_mount_attributes(
    tree: int, attributes: int, *, clear: int = 0, userns: int | None = None, recursive: bool = True
) -> None:
    """mount_setattr(2) on a descriptor; with ``userns`` the mount is idmapped to that user namespace."""
    wanted = _MountAttributes(attributes, clear, 0, 0)
    if userns is not None:
        wanted.attr_set |= MOUNT_ATTR_IDMAP
        wanted.userns_fd = userns
    flags = _AT_EMPTY_PATH | (_AT_RECURSIVE if recursive else 0)
    _check(
        _libc.syscall(_NR_MOUNT_SETATTR, tree, b"", flags, ctypes.byref(wanted), ctypes.sizeof(wanted)),
        "mount_setattr",
    )


def signal_process(handle: int, number: int) -> None:
    """Send a signal to the process behind a process descriptor or an open ``/proc/<pid>`` folder."""
    _check(_libc.syscall(_NR_PIDFD_SEND_SIGNAL, handle, number, None, 0), "pidfd_send_signal")


def become_subreaper() -> None:
    """Adopt orphaned descendants, so that their end can be waited for."""
    _check(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl")


def die_with_parent() -> None:
    """Be killed when the parent ends. Cleared by a change of credentials: call it last."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "prctl")


def hide_memory() -> None:
    """Nobody may trace this process or look into its files through /proc any more, until it execs."""
    _check(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "prctl")


def set_name(name: str) -> None:
    """The name that process lists show."""
    _check(_libc.prctl(_PR_SET_NAME, os.fsencode(name), 0, 0, 0), "prctl")


def no_new_privileges() -> None:
    """No exec gives more privileges from now on."""
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")


class _FilterProgram(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def load_seccomp(program: bytes) -> None:
    """Load a seccomp filter (an array of ``sock_filter``)."""
    wanted = _FilterProgram(len(program) // 8, program)
    _check(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(wanted), 0, 0), "seccomp")


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def keep_capabilities(kept: tuple[int, ...]) -> None:
    """Drop all capabilities but these, from the bounding set too; none is inheritable or ambient."""
    for number in range(64):
        if number not in kept and _libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0) < 0:
            if ctypes.get_errno() == errno.EINVAL:
                break  # beyond the last capability that this kernel knows
            _check(-1, "prctl")
    _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    mask = sum(1 << number for number in kept)
    header = _CapabilityHeader(0x20080522, 0)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    sets = (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)
    _check(_libc.capset(ctypes.byref(header), sets), "capset")


def default_signals() -> None:
    """Default action for every signal, and none blocked."""
    for number in range(1, 65):
        _libc.signal(number, ctypes.c_void_p(_SIG_DFL))
    # The C library keeps two for itself and refuses them, but whoever started us may have ignored them.
    plain = (ctypes.c_uint64 * 4)()
    for number in (32, 33):
        _libc.syscall(_NR_RT_SIGACTION, number, ctypes.byref(plain), None, 8)
    set_signal_mask(0)


def set_signal_mask(mask: int) -> None:
    """Block exactly the signals in ``mask`` (bit n-1 for signal n)."""
    wanted = (ctypes.c_uint64 * 16)(mask)
    _check(_libc.sigprocmask(_SIG_SETMASK, ctypes.byref(wanted), None), "sigprocmask")


def wait_signal(mask: int) -> int:
    """Sleep until one of the (blocked) signals in ``mask`` comes; returns its number."""
    wanted = (ctypes.c_uint64 * 16)(mask)
    return int(_libc.sigwaitinfo(ctypes.byref(wanted), None))


def wipe_command_line() -> None:
    """Blank this process's command line, which a process list would otherwise show inside a sandbox."""
    with open("/proc/self/stat", "rb") as stream:
        fields = stream.read().rpartition(b")")[2].split()
    start, end = int(fields[45]), int(fields[46])
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)

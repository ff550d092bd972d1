"""The seccomp filter that everything inside runs under, assembled as BPF for this machine.

It refuses what could widen a sandbox (mounts, namespaces, keys, kernel interfaces with a record of holes) and every
system call that is younger than this list; the rest is allowed. Calls of a foreign architecture (32 bit, x32) do not
exist. Refusals come as error numbers, so that programs fall back where they know how.
"""

from __future__ import annotations

import errno
import os
import struct

_LD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000

_OFFSET_NR, _OFFSET_ARCH, _OFFSET_ARGS = 0, 4, 16
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

# The first call after those judged here (mseal is 462): unknown calls do not exist.
_FIRST_UNKNOWN = 463

# (x86_64, aarch64); None where the architecture lacks the call.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "listmount": (458, 458),
    "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "statmount": (457, 457),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "sysfs": (139, None),
    "_sysctl": (156, None),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "ustat": (136, None),
    "vhangup": (153, 58),
}
# Refused as if the kernel had never heard of them, since programs know how to do without.
_ABSENT: dict[str, tuple[int | None, int | None]] = {
    "clone3": (435, 435),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
}
_CLONE = (56, 220)
_UNSHARE = (272, 97)
_IOCTL = (16, 29)
_PERSONALITY = (135, 92)
_SOCKET = (41, 198)
_SOCKETPAIR = (53, 199)
_SETRLIMIT = (160, 164)
_PRLIMIT = (302, 261)
_RLIMIT_CORE = 4
# Judged by their arguments, each under the label of its name.
_JUDGED = {
    "clone": _CLONE,
    "unshare": _UNSHARE,
    "ioctl": _IOCTL,
    "personality": _PERSONALITY,
    "socket": _SOCKET,
    "socketpair": _SOCKETPAIR,
    "setrlimit": _SETRLIMIT,
    "prlimit": _PRLIMIT,
}

_NAMESPACE_FLAGS = 0x7E020080
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6
_AF_UNIX, _AF_NETLINK, _NETLINK_ROUTE = 1, 16, 0
# Linux, 32-bit addresses, no address randomisation, and the query.
_PERSONALITIES = (0x0, 0x8, 0x20000, 0x20008, 0x40000, 0x40008, 0xFFFFFFFF)


class _Program:
    """Instructions with forward jumps to the few possible ends, resolved when all are there."""

    def __init__(self) -> None:
        self._code: list[tuple[int, str | int, str | int, int]] = []
        self._labels: dict[str, int] = {}

    def add(self, code: int, value: int, yes: str | int = 0, no: str | int = 0) -> None:
        self._code.append((code, yes, no, value))

    def label(self, name: str) -> None:
        self._labels[name] = len(self._code)

    def load_argument(self, index: int, *, high: bool = False) -> None:
        """One half of an argument (both machines are little-endian); of most, the kernel reads the low one alone."""
        self.add(_LD, _OFFSET_ARGS + 8 * index + 4 * high)

    def assemble(self) -> bytes:
        packed = []
        for place, (code, yes, no, value) in enumerate(self._code):
            jumps = [self._labels[to] - place - 1 if isinstance(to, str) else to for to in (yes, no)]
            if not all(0 <= jump <= 255 for jump in jumps):
                raise ValueError("a seccomp jump is out of reach")
            packed.append(struct.pack("=HBBI", code, jumps[0], jumps[1], value))
        return b"".join(packed)


def build_filter(machine: str | None = None) -> bytes:
    """The filter as an array of ``struct sock_filter``.

    Raises:
        KeyError: no filter is known for this machine.
    """
    machine = machine or os.uname().machine
    arch = _AUDIT_ARCH[machine]
    column = 0 if machine == "x86_64" else 1
    program = _Program()
    program.add(_LD, _OFFSET_ARCH)
    program.add(_JEQ, arch, 0, "absent")
    program.add(_LD, _OFFSET_NR)
    # Also catches x32, whose numbers carry a high bit.
    program.add(_JGE, _FIRST_UNKNOWN, "absent", 0)
    for numbers in _ABSENT.values():
        _refuse(program, numbers[column], "absent")
    for name, numbers in _JUDGED.items():
        program.add(_JEQ, numbers[column], name, 0)
    for numbers in _REFUSED.values():
        _refuse(program, numbers[column], "refused")
    program.add(_RET, _ALLOW)

    for name in ("clone", "unshare"):
        program.label(name)
        program.load_argument(0)
        program.add(_JSET, _NAMESPACE_FLAGS, "refused", "allowed")
    program.label("ioctl")
    program.load_argument(1)
    program.add(_JEQ, _TIOCSTI, "refused", 0)
    program.add(_JEQ, _TIOCLINUX, "refused", "allowed")
    program.label("personality")
    program.load_argument(0)
    for value in _PERSONALITIES:
        program.add(_JEQ, value, "allowed", 0)
    program.add(_RET, _ERRNO | errno.EPERM)
    program.label("socket")
    program.load_argument(0)
    for family in _FAMILIES:
        program.add(_JEQ, family, "allowed", 0)
    program.add(_JEQ, _AF_NETLINK, 0, "no-family")
    program.load_argument(2)
    program.add(_JEQ, _NETLINK_ROUTE, "allowed", "no-family")
    program.label("socketpair")
    program.load_argument(0)
    program.add(_JEQ, _AF_UNIX, "allowed", "no-family")

    # The limit on cores stays as it is. Programs that forbid their own cores are told that they have.
    program.label("setrlimit")
    program.load_argument(0)
    program.add(_JEQ, _RLIMIT_CORE, "pretend", "allowed")
    # One's own limits alone: with those of process 1 or of a command on its way in, the inside could end them.
    program.label("prlimit")
    program.load_argument(0)
    program.add(_JEQ, 0, 0, "refused")
    program.load_argument(1)
    program.add(_JEQ, _RLIMIT_CORE, 0, "allowed")
    program.load_argument(2)
    program.add(_JEQ, 0, 0, "pretend")
    program.load_argument(2, high=True)
    program.add(_JEQ, 0, "allowed", "pretend")

    program.label("pretend")
    program.add(_RET, _ERRNO | 0)
    program.label("no-family")
    program.add(_RET, _ERRNO | errno.EAFNOSUPPORT)
    program.label("absent")
    program.add(_RET, _ERRNO | errno.ENOSYS)
    program.label("refused")
    program.add(_RET, _ERRNO | errno.EPERM)
    program.label("allowed")
    program.add(_RET, _ALLOW)
    return program.assemble()


def _refuse(program: _Program, number: int | None, end: str) -> None:
    if number is not None:
        program.add(_JEQ, number, end, 0)

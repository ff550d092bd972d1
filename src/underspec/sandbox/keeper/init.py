"""Process 1 of a sandbox: a fork of the keeper that waits for orphans and does nothing else.

It is forked before anything of the sandbox runs, needs nothing of the image, cannot be killed or traced from inside
(the first process of a process namespace ignores its own namespace's signals, and its memory belongs to the host's
user namespace), is in no group of the sandbox, and dies with the keeper. When it dies, the kernel kills all inside.
"""

from __future__ import annotations

import _socket
import os
import sys
import time

from underspec.sandbox.keeper import identity, kernel
from underspec.sandbox.keeper.wire import receive, send

# What a process file system shows of the host's kernel and hardware, or lets its root change.
_COVERED_FILES = (
    "kallsyms",
    "kcore",
    "keys",
    "key-users",
    "kmsg",
    "latency_stats",
    "sched_debug",
    "sysrq-trigger",
    "timer_list",
    "timer_stats",
)
_COVERED_FOLDERS = ("acpi", "bus", "driver", "fs", "irq", "scsi")
_REST = 0.005
_SEALED = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC


class Init:
    """The keeper's view: ``pid`` on the host, and descriptors of its user namespace (root) and process namespace."""

    def __init__(self, base: int | None, ids: int) -> None:
        """Fork it, into a process namespace of its own.

        Args:
            base: the host id of root inside, for a user namespace of its own; None to stay in the keeper's.
            ids: how many users that namespace has.
        """
        self._line, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        self.user: int | None = None
        between = os.fork()
        if between == 0:
            try:
                self._line.close()
                _between(theirs, base)
            finally:
                os._exit(0)
        theirs.close()
        try:
            if base is not None:
                if receive(self._line) is None:
                    raise PermissionError("user namespaces are not available")
                identity.write_maps(between, identity.plain_map(base, ids), identity.plain_map(base, ids))
                self.user = os.open(f"/proc/{between}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
                send(self._line, {})
            forked = receive(self._line)
        finally:
            os.waitpid(between, 0)
        if forked is None:
            raise PermissionError("process namespaces are not available")
        self.pid = int(forked[0]["pid"])
        self.namespace = forked[1][0]

    def settle(self, namespaces: list[int]) -> int:
        """Let it join the sandbox's other namespaces and do its work; returns a descriptor of the inside's /proc."""
        send(self._line, {}, namespaces)
        settled = receive(self._line)
        if settled is None or not settled[1]:
            raise ProcessLookupError("process 1 of the sandbox did not settle")
        send(self._line, {})
        self._line.close()
        return settled[1][0]


def _between(line: _socket.socket, base: int | None) -> None:
    """Make the namespaces and fork into them; the keeper, which adopts orphans, becomes the parent."""
    if base is None:
        kernel.unshare(kernel.CLONE_NEWPID)
    else:
        kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWPID)
        send(line, {})
        if receive(line) is None:
            return
        identity.take_root()
    kernel.hide_memory()
    child = os.fork()
    if child == 0:
        _run(line)
    namespace = os.open("/proc/self/ns/pid_for_children", os.O_RDONLY | os.O_CLOEXEC)
    send(line, {"pid": child}, [namespace])


def _run(line: _socket.socket) -> None:
    try:
        sys.path.clear()
        sys.meta_path.clear()  # nothing is imported from files that the inside may have made
        message = receive(line)
        if message is None:
            return
        for descriptor in message[1]:
            kernel.setns(descriptor)
        os.chdir("/")
        _cover_proc()
        proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        kernel.set_name("init")
        kernel.default_signals()
        kernel.set_signal_mask(2**64 - 1)
        kernel.keep_capabilities(())
        kernel.no_new_privileges()
        kernel.die_with_parent()
        send(line, {}, [proc])
        if receive(line) is None:
            return
        os.closerange(0, 65536)
        while True:
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                pass
            kernel.wait_signal(1 << (kernel.SIGCHLD - 1))
            time.sleep(_REST)  # or the inside could make it spin, beside its own limit on CPU
    finally:
        os._exit(1)


def _cover_proc() -> None:
    for name in _COVERED_FILES:
        if os.path.exists(f"/proc/{name}"):
            kernel.mount("/dev/null", f"/proc/{name}", None, kernel.MS_BIND)
    for name in _COVERED_FOLDERS:
        if os.path.isdir(f"/proc/{name}"):
            kernel.mount("tmpfs", f"/proc/{name}", "tmpfs", _SEALED, "size=4k,nr_inodes=2,mode=0755")
    kernel.mount("/proc/sys", "/proc/sys", None, kernel.MS_BIND | kernel.MS_REC)
    kernel.mount("none", "/proc/sys", None, kernel.MS_BIND | kernel.MS_REMOUNT | _SEALED)

"""Start bubblewrap once, to turn the stage into a sandbox, and keep the namespaces that it made.

Bubblewrap enters the prepared user and process namespaces, makes network (loopback up), IPC, host name and control
group namespaces, pivots into the tree, mounts ``/proc`` and drops what is not needed. Its command only says that all
is done and ends: from then on the keeper's descriptors and process 1 hold the namespaces.
"""

from __future__ import annotations

import _socket
import os
import select
import sys

from underspec.sandbox.keeper import identity, kernel
from underspec.sandbox.keeper.ground import ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from underspec.sandbox.keeper.groups import Group

NAMESPACES = ("mnt", "net", "ipc", "uts", "cgroup")
_SO_PASSCRED, _SCM_CREDENTIALS = 16, 2
_HOSTNAME = "sandbox"
_PATIENCE_MS = 60_000


class BubblewrapError(Exception):
    """bubblewrap did not come up; carries what it said."""


def launch(program: int, namespace: int | None, pid_namespace: int, group: Group, seccomp: bytes) -> dict[str, int]:
    """Run bubblewrap (an open file) and return descriptors of the namespaces that it made, by name."""
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    ours.setsockopt(_socket.SOL_SOCKET, _SO_PASSCRED, 1)
    errors = os.memfd_create("bubblewrap", os.MFD_CLOEXEC)
    filter_file = os.memfd_create("seccomp", os.MFD_CLOEXEC)
    os.write(filter_file, seccomp)
    os.lseek(filter_file, 0, os.SEEK_SET)
    arguments = _arguments(pid_namespace, filter_file)
    child = os.fork()
    if child == 0:
        try:
            prefer_as_victim()
            group.join()
            identity.become_inside_root(namespace)
            kernel.unshare(kernel.CLONE_NEWNS)  # what is mounted so far is locked for the inside
            identity.limit_shares()
            kernel.default_signals()
            os.dup2(theirs.fileno(), 0)
            os.dup2(theirs.fileno(), 1)
            os.dup2(errors, 2)
            for descriptor in (filter_file, pid_namespace):
                os.set_inheritable(descriptor, True)
            os.execve(program, arguments, {})  # by descriptor, since its path may be out of reach by now
        except OSError as error:
            os.write(errors, f"{error}\n".encode())
        finally:
            os._exit(127)
    theirs.close()
    os.close(filter_file)
    failed = True
    status = None
    try:
        inside = _ready(ours)
        if inside is None:
            _, status = os.waitpid(child, 0)
            said = os.pread(errors, 4000, 0).decode(errors="replace").strip()
            raise BubblewrapError(f"it ended with {os.waitstatus_to_exitcode(status)}: {said or 'without a word'}")
        failed = False
        return _namespaces(inside, pid_namespace)
    finally:
        ours.close()  # its command reads the end of its input, and ends
        os.close(errors)
        if status is None:
            if failed:
                os.kill(child, kernel.SIGKILL)
            os.waitpid(child, 0)


def _namespaces(inside: int, pid_namespace: int) -> dict[str, int]:
    """Namespaces of a process, by name, if it is one of the sandbox's and not a later one of its number."""
    found = {
        name: os.open(f"/proc/{inside}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC)
        for name in NAMESPACES
        if os.path.exists(f"/proc/{inside}/ns/{name}")
    }
    if os.stat(f"/proc/{inside}/ns/pid").st_ino != os.fstat(pid_namespace).st_ino:
        raise BubblewrapError("its command ended too early")
    return found


def _ready(line: _socket.socket) -> int | None:
    """Wait for the first word of bubblewrap's command; the kernel says which process spoke. None when it ended."""
    poll = select.poll()
    poll.register(line.fileno(), select.POLLIN)
    if not poll.poll(_PATIENCE_MS):
        raise BubblewrapError("it did not come up in time")
    word, ancillary, _, _ = line.recvmsg(16, _socket.CMSG_SPACE(12))
    if not word:
        return None
    for level, kind, data in ancillary:
        if level == _socket.SOL_SOCKET and kind == _SCM_CREDENTIALS:
            return int.from_bytes(data[:4], sys.byteorder)
    return None


def prefer_as_victim() -> None:
    """When the host runs out of memory, the inside goes before anything else."""
    try:
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.write(descriptor, b"500")
    finally:
        os.close(descriptor)


def _arguments(pid_namespace: int, filter_file: int) -> list[str]:
    # Not --die-with-parent: with --pidns, bubblewrap's child would be bound to an intermediate process which only has
    # to fork it and then ends, and would now and then be killed with it. It ends with our end of its input anyhow.
    arguments = ["bwrap", "--dev-bind", ROOT, "/", "--proc", "/proc"]
    arguments += ["--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    arguments += ["--pidns", str(pid_namespace), "--hostname", _HOSTNAME, "--new-session"]
    arguments += ["--cap-drop", "ALL"]
    for name in kernel.INSIDE_CAPABILITY_NAMES:
        arguments += ["--cap-add", name]
    return [*arguments, "--seccomp", str(filter_file), "--chdir", "/", "--", "/bin/sh", "-c", "echo; read -r _"]

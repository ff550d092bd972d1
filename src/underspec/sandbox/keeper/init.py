"""Process 1 of a sandbox: a fork of the keeper that waits for orphans and does nothing else.

It is forked before anything of the sandbox runs, needs nothing of the image, cannot be killed or traced from inside
(the first process of a process namespace ignores its own namespace's signals, and its memory belongs to the host's
user namespace), is in no group of the sandbox, and dies with the keeper. When it dies, the kernel kills all inside.
"""

from __future__ import annotations

import _socket
import os
import sys

from underspec.sandbox.keeper import identity, kernel
from underspec.sandbox.keeper.wire import receive, send


class Init:
    """The keeper's view: ``pid`` on the host, and the line over which its last steps are told."""

    def __init__(self, namespace: int | None) -> None:
        """Fork it into a process namespace of its own."""
        self._line, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        reading, writing = os.pipe()
        between = os.fork()
        if between == 0:
            try:
                identity.become_inside_root(namespace)
                kernel.hide_memory()
                kernel.unshare(kernel.CLONE_NEWPID)
                child = os.fork()
                if child == 0:
                    _run(theirs)
                os.write(writing, str(child).encode())
            finally:
                os._exit(0)
        theirs.close()
        os.close(writing)
        number = os.read(reading, 20)
        os.close(reading)
        os.waitpid(between, 0)
        if not number:
            raise PermissionError("process namespaces are not available")
        self.pid = int(number)
        self.namespace = os.open(f"/proc/{self.pid}/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def enter(self, namespaces: list[int]) -> None:
        """Let it join the sandbox's other namespaces and settle for life."""
        send(self._line, {}, namespaces)
        if receive(self._line) is None:
            raise ProcessLookupError("process 1 of the sandbox did not settle")
        send(self._line, {})
        self._line.close()


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
        os.closerange(0, line.fileno())
        os.closerange(line.fileno() + 1, 65536)
        kernel.set_name("init")
        kernel.default_signals()
        kernel.set_signal_mask(2**64 - 1)
        kernel.keep_capabilities(())
        kernel.no_new_privileges()
        kernel.die_with_parent()
        send(line, {})
        if receive(line) is None:
            return
        line.close()
        while True:
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                pass
            kernel.wait_signal(1 << (kernel.SIGCHLD - 1))
    finally:
        os._exit(1)

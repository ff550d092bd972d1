"""Run a command inside: a fork of the keeper enters the sandbox, gives up everything and becomes the command.

Between entering the process namespace and exec it can be seen from inside, and is then nothing to gain: its memory
cannot be read or traced, its descriptors are its three streams and one pipe, no module is imported any more, and a
killed one is only a command that was killed.
"""

from __future__ import annotations

import errno
import os
import resource
import sys

from underspec.sandbox.keeper import identity, kernel
from underspec.sandbox.keeper.launch import NAMESPACES, prefer_as_victim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from underspec.sandbox.keeper.groups import Group, SubGroup


class Command:
    """What to run: ``argv``, ``cwd``, whole environment; ``limits`` are (resource, soft, hard)."""

    def __init__(self, argv: list[str], cwd: str, env: dict[str, str], limits: list[tuple[int, int, int]]) -> None:
        self.argv = argv
        self.cwd = cwd
        self.env = env
        self.limits = limits


class Entrance:
    """How to get in: namespaces as descriptors, the filter, and the groups to be in."""

    def __init__(
        self, user: int | None, pid: int, others: dict[str, int], seccomp: bytes, group: Group, sub: SubGroup | None
    ) -> None:
        self.user = user
        self.pid = pid
        self.others = others
        self.seccomp = seccomp
        self.group = group
        self.sub = sub


def start(command: Command, entrance: Entrance, streams: tuple[int | None, int, int]) -> tuple[int, int, int]:
    """Fork it. Returns its process id on the host and inside, and a descriptor that ends at exec, or holds why there
    was none.

    From its first instant the inside can stop or kill it: so nothing here waits for it, and its ids come from the
    kernel.

    Raises:
        OSError: the host has no process or memory left.
        ChildProcessError: it did not get into the sandbox; says why.
    """
    number_read, number_write = os.pipe()
    told_read, told_write = os.pipe()
    between = os.fork()
    if between == 0:
        try:
            _enter(command, entrance, streams, number_write, told_write)
        finally:
            os._exit(70)
    os.close(number_write)
    os.close(told_write)
    os.waitpid(between, 0)
    said = _what_is_there(number_read)
    os.close(number_read)
    if not said:
        reason = _what_is_there(told_read).decode(errors="replace")
        os.close(told_read)
        raise ChildProcessError(reason or "a process died on the way into the sandbox")
    return int(said), _number_inside(int(said)), told_read


def _what_is_there(descriptor: int) -> bytes:
    """What a pipe holds now, whoever may still have its other end."""
    os.set_blocking(descriptor, False)
    try:
        return os.read(descriptor, 1000)
    except BlockingIOError:
        return b""


def _number_inside(pid: int) -> int:
    """The number that a child of this process, dead or alive, has in the innermost process namespace."""
    child = os.pidfd_open(pid)
    try:
        with open(f"/proc/self/fdinfo/{child}") as stream:
            fields = dict(line.split(":", 1) for line in stream.read().splitlines())
    finally:
        os.close(child)
    return int(fields["NSpid"].split()[-1])


def _enter(command: Command, entrance: Entrance, streams: tuple[int | None, int, int], number: int, told: int) -> None:
    """The way in, up to the process namespace; the child goes on and this process ends."""
    try:
        sys.path.clear()
        sys.meta_path.clear()
        prefer_as_victim()
        entrance.group.join(entrance.sub)
        os.setsid()
        identity.become_inside_root(entrance.user)
        kernel.hide_memory()
        kernel.setns(entrance.pid, kernel.CLONE_NEWPID)
        child = os.fork()
    except OSError as error:
        os.write(told, f"{error.errno} {error}".encode())
        return
    if child == 0:
        said_why = False
        try:
            _become(command, entrance, streams, told)
            said_why = True
        finally:
            if not said_why:
                os.write(told, b"0 cannot enter the sandbox: the way in broke down")
            os._exit(70)
    os.write(number, str(child).encode())


def _become(command: Command, entrance: Entrance, streams: tuple[int | None, int, int], told: int) -> None:
    """Inside: join the other namespaces, give everything up, exec. Writes to ``told`` why it could not."""
    step = "enter the sandbox"
    try:
        for name in NAMESPACES[::-1]:
            if name in entrance.others:
                kernel.setns(entrance.others[name])
        os.setsid()
        os.umask(0o022)
        stdin, stdout, stderr = streams
        source = os.open("/dev/null", os.O_RDONLY) if stdin is None else stdin
        for descriptor, wanted in ((source, 0), (stdout, 1), (stderr, 2)):
            os.dup2(descriptor, wanted)
        os.closerange(3, told)
        os.closerange(told + 1, 65536)
        step = f"enter the folder {command.cwd!r}"
        os.chdir(command.cwd)
        step = "give up privileges"
        for kind, soft, hard in command.limits:
            _limit(kind, soft, hard)
        kernel.keep_capabilities(kernel.INSIDE_CAPABILITIES)
        kernel.no_new_privileges()
        kernel.default_signals()
        kernel.load_seccomp(entrance.seccomp)
        step = f"run {command.argv[0]!r}"
        _exec(command)
    except OSError as error:
        os.write(told, f"{error.errno} cannot {step}: {error.strerror}".encode(errors="backslashreplace"))


def _limit(kind: int, soft: int, hard: int) -> None:
    """Set a limit, or the lower one that is in force already."""
    most = resource.getrlimit(kind)[1]
    if most != resource.RLIM_INFINITY:
        hard = most if hard == resource.RLIM_INFINITY else min(hard, most)
        soft = min(soft, hard)
    resource.setrlimit(kind, (soft, hard))


def _exec(command: Command) -> None:
    """Find the program as a shell does and become it."""
    name = command.argv[0]
    folders = command.env.get("PATH", "").split(":")
    candidates = [name] if "/" in name else [f"{folder or '.'}/{name}" for folder in folders]
    denied: OSError | None = None
    for candidate in candidates:
        try:
            try:
                os.execve(candidate, command.argv, command.env)
            except OSError as error:
                if error.errno != errno.ENOEXEC:
                    raise
                os.execve("/bin/sh", ["sh", candidate, *command.argv[1:]], command.env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as error:
            denied = error
    raise denied or FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

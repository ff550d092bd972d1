"""One sandbox as the keeper holds it: its stage, process 1, namespaces and groups."""

from __future__ import annotations

import _socket
import errno
import os
import resource
import time

from underspec.sandbox.keeper import identity, kernel
from underspec.sandbox.keeper.copying import CopyError
from underspec.sandbox.keeper.ground import BOX, ROOT, Ground
from underspec.sandbox.keeper.groups import Group, Place, find_place
from underspec.sandbox.keeper.init import Init
from underspec.sandbox.keeper.launch import BubblewrapError, launch
from underspec.sandbox.keeper.police import Police
from underspec.sandbox.keeper.seccomp import build_filter
from underspec.sandbox.keeper.stage import Stage, TargetError
from underspec.sandbox.keeper.wire import send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_BACKLOG = 128
_PATIENCE = 10.0
_CONNECT_PATIENCE = 1.0
_STACK = 8 * 1024**2


class SetupError(Exception):
    """A sandbox could not be set up. ``kind`` is ``lacks``, ``exhausted``, ``usage``, ``agent`` or ``sandbox``."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Box:
    """Not started until :meth:`start`; gone after :meth:`remove`."""

    def __init__(self) -> None:
        self.user: int | None = None
        self.others: dict[str, int] = {}
        self.pid_namespace = -1
        self.proc = -1
        self.init_pid: int | None = None
        self.group = Group(Place(0, {}), "")
        self.police: Police | None = None
        self.seccomp = b""
        self.limits: dict[str, Any] = {}
        self.inside_root = 0
        self._root = -1
        self._state: int | None = None
        self._state_parent = -1
        self._name = ""

    def start(self, order: dict[str, Any]) -> dict[str, Any]:
        """Set everything up; returns notes on how. Raises SetupError or OSError."""
        self._state = os.open(order["state"], os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._state_parent = os.open(os.path.dirname(order["state"]), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._name = os.path.basename(order["state"])
        self.limits = limits = order["limits"]
        self.seccomp = build_filter()
        program = os.open(order["bubblewrap"], os.O_RDONLY | os.O_CLOEXEC)
        place = find_place()
        self.group = Group(place, order["group"])
        self.group.create(
            memory=limits["memory"], disk=limits["disk"], processes=limits["processes"], cpus=limits["cpus"]
        )
        self.police = Police(self.group, limits["memory"])
        init = self._enter_namespaces()
        stage = Stage(Ground(self.user, self.inside_root), order["workspace"])
        try:
            stage.build(
                order["entries"],
                lower=order["lower"],
                mounts=order["mounts"],
                disk=limits["disk"],
                files=limits["files"],
            )
        except TargetError as error:
            raise SetupError("usage", str(error)) from error
        except CopyError as error:
            raise SetupError("sandbox", f"a folder could not be copied in: {error}") from error
        try:
            self.others = launch(program, self.user, init.namespace, self.group, self.seccomp)
        except BubblewrapError as error:
            raise SetupError("sandbox", f"bubblewrap: {error}") from error
        finally:
            os.close(program)
        self.proc = init.settle(list(self.others.values()))
        self._root = os.open(ROOT, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        return {"notes": stage.notes}

    def _enter_namespaces(self) -> Init:
        """Leave the host's mounts (as an ordinary user, its user namespace too), and fork process 1."""
        base = None
        try:
            if identity.is_real_root():
                self.inside_root = base = identity.base_id()
            else:
                identity.enter_own_namespace()
            # Without groups the number of processes is limited for each user: let there be one.
            init = Init(base, identity.INSIDE_IDS if "pids" in self.group.folders else 1)
            self.user, self.init_pid, self.pid_namespace = init.user, init.pid, init.namespace
            kernel.unshare(kernel.CLONE_NEWNS)
            kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        except OSError as error:
            if error.errno in (errno.EPERM, errno.EACCES, errno.ENOSPC, errno.EUSERS, errno.EINVAL):
                raise SetupError("lacks", f"user namespaces are not available to this user: {error}") from error
            raise
        return init

    def resource_limits(self) -> list[tuple[int, int, int]]:
        """Limits for each process: resource, soft, hard. They stand in for groups, where none are, as far as they can.

        One byte of core is no core, and, unlike none, keeps the host's handler of cores from being started.
        """
        files, memory, processes = self.limits["open_files"], self.limits["memory"], self.limits["processes"]
        limits = [
            (resource.RLIMIT_CORE, 1, 1),
            (resource.RLIMIT_NOFILE, files, files),
            (resource.RLIMIT_STACK, _STACK, resource.RLIM_INFINITY),
        ]
        if "pids" not in self.group.folders:
            limits.append((resource.RLIMIT_NPROC, processes, processes))
        if "memory" not in self.group.folders:
            limits.append((resource.RLIMIT_DATA, memory, memory))
        return limits

    def counters(self) -> tuple[int, int]:
        """How often somebody inside was killed for memory, and how often a new process was refused."""
        kills, refusals = self.group.counters()
        return kills + (self.police.kills if self.police else 0), refusals

    def is_disk_full(self) -> bool:
        """Whether no byte or no file more can be written inside."""
        status = os.statvfs(BOX)
        return status.f_bavail == 0 or status.f_favail == 0

    def alive(self) -> bool:
        """Whether commands can still be run."""
        return self.init_pid is not None

    def init_ended(self) -> None:
        """Process 1 was reaped: nothing is left inside."""
        self.init_pid = None

    def ended_elsewhere(self) -> bool:
        """Whether process 1 has ended without this process being told, since it is no child of it."""
        return False

    def kill(self) -> None:
        """Kill process 1; the kernel kills the rest."""
        if self.init_pid is not None:
            try:
                os.kill(self.init_pid, kernel.SIGKILL)
            except ProcessLookupError:
                return

    def work_on_files(self, order: dict[str, Any], descriptors: list[int]) -> int:
        """Fork a helper on the tree; ``descriptors`` are where content comes from or goes to, and the answer."""
        content, answer = descriptors
        child = os.fork()
        if child == 0:
            try:
                from underspec.sandbox.keeper.inside import serve

                serve(self._root, self.user, self.seccomp, order, content, answer)
            finally:
                os._exit(1)
        return child

    def listen(self, port: int, line: _socket.socket, number: int) -> int:
        """Fork a helper that listens on the sandbox's loopback and hands the socket to the harness."""

        def listening(socket: _socket.socket) -> None:
            socket.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
            socket.bind(("127.0.0.1", port))
            socket.listen(_BACKLOG)

        return self._loopback(listening, line, number, ("sandbox", f"cannot listen on port {port}"))

    def connect(self, port: int, line: _socket.socket, number: int) -> int:
        """Fork a helper that connects to a port of the sandbox's loopback and hands the socket to the harness."""

        def connected(socket: _socket.socket) -> None:
            socket.settimeout(_CONNECT_PATIENCE)
            socket.connect(("127.0.0.1", port))
            socket.settimeout(None)

        return self._loopback(connected, line, number, ("agent", f"cannot connect to port {port}"))

    def _loopback(
        self,
        prepare: Callable[[_socket.socket], None],
        line: _socket.socket,
        number: int,
        blame: tuple[str, str],
    ) -> int:
        """Fork a helper that prepares a socket in the sandbox's network; ``blame`` is kind and text of its failure."""
        if not self.alive():
            raise SetupError("gone", "the sandbox has ended")
        child = os.fork()
        if child == 0:
            try:
                identity.become_inside_root(self.user)
                kernel.setns(self.others["net"], kernel.CLONE_NEWNET)
                socket = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
                prepare(socket)
                send(line, {"id": number}, [socket.fileno()])
            except OSError as error:
                send(line, {"id": number, "error": blame[0], "text": f"{blame[1]}: {error}"})
            finally:
                os._exit(0)
        return child

    def remove(self) -> None:
        """Remove groups and state folder. Everything inside is dead already."""
        until = time.monotonic() + _PATIENCE
        while not self.group.remove() and time.monotonic() < until:
            time.sleep(0.002)
        if self._state is not None:
            for name, remove in (("owner.json", os.unlink), ("empty", os.rmdir)):
                try:
                    remove(name, dir_fd=self._state)
                except FileNotFoundError:
                    continue
            try:
                os.rmdir(self._name, dir_fd=self._state_parent)
            except FileNotFoundError:
                return

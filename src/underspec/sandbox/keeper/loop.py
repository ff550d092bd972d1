"""The keeper's loop: orders from the harness, ends of commands, time limits, and the end of it all.

Everything hangs on the line to the harness. When that ends, even because the harness was killed, the keeper kills the
sandbox, removes its control groups and its state folder, and ends.
"""

from __future__ import annotations

import _socket
import errno
import os
import select
import time

from underspec.sandbox.keeper import kernel
from underspec.sandbox.keeper.box import Box, SetupError
from underspec.sandbox.keeper.running import NotStartedError, Running
from underspec.sandbox.keeper.wire import receive, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TICK = 0.002
_REST = 0.01
_NOT_RUN = 126
_HOST_EXHAUSTED = (errno.ENOSPC, errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.EDQUOT, errno.EUSERS)


def main(line_number: int, kind: str) -> None:
    """Serve one harness until it goes. ``kind`` says what the sandbox is made with: ``bubblewrap`` or ``container``."""
    line = _socket.socket(fileno=line_number)
    line.setblocking(True)
    os.set_inheritable(line_number, False)
    kernel.wipe_command_line()
    kernel.become_subreaper()
    keeper = _Keeper(line, _make_box(kind))
    try:
        keeper.serve()
    finally:
        keeper.end()


def _make_box(kind: str) -> Box:
    if kind == "container":
        from underspec.sandbox.keeper.container import ContainerBox

        return ContainerBox()
    return Box()


class _Keeper:
    def __init__(self, line: _socket.socket, box: Box) -> None:
        self._line = line
        self._box = box
        self._running: dict[int, Running] = {}
        # Outputs of ended commands that background processes hold; until when each is left alone.
        self._drained: dict[int, float | None] = {}
        self._poll = select.poll()
        self._poll.register(line.fileno(), select.POLLIN)
        # Another descendant of the harness may hold its end of the line; its death shows here all the same.
        self._harness = os.pidfd_open(os.getppid())
        self._poll.register(self._harness, select.POLLIN)
        self._watched: dict[int, int] = {}
        self._killed_at: int | None = None

    def serve(self) -> None:
        """Run until the harness is gone."""
        while True:
            for descriptor, _ in self._poll.poll(self._patience()):
                if descriptor == self._harness:
                    return
                if descriptor == self._line.fileno():
                    message = receive(self._line)
                    if message is None:
                        return
                    self._obey(*message)
                elif descriptor in self._drained:
                    self._drain(descriptor)
            self._wake_rested()
            self._reap()
            for running in list(self._running.values()):
                self._advance(running)
            police = self._box.police
            if police and police.due is not None and time.monotonic() >= police.due and self._box.alive():
                police.look()

    def _patience(self) -> int | None:
        """Milliseconds until something is due."""
        if any(running.dying for running in self._running.values()):
            return max(1, int(_TICK * 1000))
        due = [running.deadline for running in self._running.values() if running.deadline is not None]
        if self._box.police and self._box.police.due is not None and self._box.alive():
            due.append(self._box.police.due)
        due += [rested for rested in self._drained.values() if rested is not None]
        if not due:
            return None
        return max(0, int((min(due) - time.monotonic()) * 1000) + 1)

    def _obey(self, order: dict[str, Any], descriptors: list[int]) -> None:
        number, what = order["id"], order["do"]
        kept: tuple[int, ...] = ()
        try:
            if what == "start":
                notes = self._box.start(order)
                if self._box.init_pid is not None:
                    self._watch(self._box.init_pid)
                send(self._line, {"id": number, **notes})
            elif what == "exec":
                self._exec(number, order, descriptors)
            elif what == "stop":
                running = self._running.get(order["exec"])
                if running is not None:
                    running.kill(order["limit"])
                send(self._line, {"id": number})
            elif what == "drain":
                kept = tuple(descriptors)
                for descriptor in descriptors:
                    self._drained[descriptor] = None
                    self._poll.register(descriptor, select.POLLIN)
                send(self._line, {"id": number})
            elif what == "files":
                self._watch(self._box.work_on_files(order, descriptors))
                send(self._line, {"id": number})
            elif what == "listen":
                self._watch(self._box.listen(order["port"], self._line, number))
            elif what == "connect":
                self._watch(self._box.connect(order["port"], self._line, number))
            elif what == "kill_all":
                self._kill_all()
                send(self._line, {"id": number})
            else:
                raise ValueError(f"unknown order {what!r}")
        except SetupError as error:
            send(self._line, {"id": number, "error": error.kind, "text": str(error)})
        except OSError as error:
            kind = "exhausted" if error.errno in _HOST_EXHAUSTED else "sandbox"
            send(self._line, {"id": number, "error": kind, "text": str(error)})
        finally:
            for descriptor in descriptors:
                if descriptor not in kept:
                    os.close(descriptor)

    def _exec(self, number: int, order: dict[str, Any], descriptors: list[int]) -> None:
        if not self._box.alive():
            send(self._line, {"id": number, "error": "gone", "text": "the sandbox has ended"})
            return
        try:
            running = Running(number, order, self._box, descriptors)
        except NotStartedError as error:
            if error.limit is None:
                raise SetupError("sandbox", str(error)) from error
            report = {"code": _NOT_RUN, "signal": None, "seconds": 0.0, "limit": error.limit, "gone": False}
            send(self._line, {"id": number, **report, "failure": "", "said": f"sandbox: {error}\n"})
            return
        self._running[number] = running
        self._watch(running.pid)

    def _watch(self, pid: int) -> None:
        """Wake up when a child ends."""
        descriptor = os.pidfd_open(pid)
        self._watched[pid] = descriptor
        self._poll.register(descriptor, select.POLLIN)

    def _forget(self, pid: int) -> None:
        descriptor = self._watched.pop(pid, None)
        if descriptor is not None:
            self._poll.unregister(descriptor)
            os.close(descriptor)

    def _reap(self) -> None:
        if self._box.init_pid is not None and self._box.ended_elsewhere():
            self._forget(self._box.init_pid)
            self._box.init_ended()
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._forget(pid)
            if pid == self._box.init_pid:
                self._box.init_ended()
            for running in self._running.values():
                if running.pid == pid:
                    running.ended(status)

    def _advance(self, running: Running) -> None:
        """Kill what is over time, and report what is over."""
        if running.deadline is not None and time.monotonic() >= running.deadline:
            running.kill("time")
        others = {other.root for other in self._running.values() if other is not running}
        report = running.report(others)
        if report is not None:
            del self._running[running.number]
            send(self._line, {"id": running.number, **report})

    def _drain(self, descriptor: int) -> None:
        """Throw away what background processes still print, so that they live on as they would; and rest a little."""
        self._poll.unregister(descriptor)
        try:
            over = not os.read(descriptor, 1 << 20)
        except BlockingIOError:
            over = False  # the inside can open its streams for reading, too, and was faster
        if not over:
            self._drained[descriptor] = time.monotonic() + _REST
        else:
            del self._drained[descriptor]
            os.close(descriptor)

    def _wake_rested(self) -> None:
        for descriptor, due in self._drained.items():
            if due is not None and time.monotonic() >= due:
                self._drained[descriptor] = None
                self._poll.register(descriptor, select.POLLIN)

    def _kill_all(self) -> None:
        """Kill process 1 and with it everything inside; returns when all is gone."""
        self._box.kill()
        while self._box.init_pid is not None:
            self._poll.poll(int(_TICK * 1000))
            self._reap()

    def end(self) -> None:
        """Leave nothing behind."""
        self._kill_all()
        self._box.remove()

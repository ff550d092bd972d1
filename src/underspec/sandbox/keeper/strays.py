"""Find and kill all that one command started, where there are no control groups to hold it.

What counts is evidence that the inside cannot forge: start times, parents and sessions from the kernel's process list.
A process belongs to a command if it came after that command's start and neither its ancestors nor its session lead to
another running command. (A daemon that left both, while several commands ran at once, counts to whichever is killed.)
"""

from __future__ import annotations

import os

from underspec.sandbox.keeper import kernel

_STOP_ROUNDS = 50


class _Process:
    __slots__ = ("parent", "pid", "session", "started", "state")

    def __init__(self, pid: int, stat: bytes) -> None:
        fields = stat.rpartition(b")")[2].split()
        self.pid = pid
        self.state = fields[0]
        self.parent = int(fields[1])
        self.session = int(fields[3])
        self.started = int(fields[19])


class Strays:
    """``proc`` is a descriptor of the inside's /proc; process ids here are those of the inside."""

    def __init__(self, proc: int) -> None:
        """Remember what runs before the command does."""
        self._proc = proc
        self._before = {(process.pid, process.started) for process in _processes(proc)}
        self.root = 0

    def kill_once(self, other_roots: set[int]) -> bool:
        """Kill what is there; returns whether nothing was. Call again until so.

        All are stopped before any is killed: a process that multiplies cannot outrun that, as its kind fill their
        share of processes and no more can be made.
        """
        stopped: set[tuple[int, int]] = set()
        found: list[_Process] = []
        for _ in range(_STOP_ROUNDS):
            found = self._find(other_roots)
            fresh = [process for process in found if (process.pid, process.started) not in stopped]
            if not fresh:
                break
            for process in fresh:
                _signal(self._proc, process, kernel.SIGSTOP)
                stopped.add((process.pid, process.started))
        for process in found:
            _signal(self._proc, process, kernel.SIGKILL)
        return not found

    def _find(self, other_roots: set[int]) -> list[_Process]:
        processes = {process.pid: process for process in _processes(self._proc)}
        return [
            process
            for process in processes.values()
            if process.pid != 1
            and process.state not in (b"Z", b"X")
            and (process.pid, process.started) not in self._before
            and _command_of(process, processes) not in other_roots
        ]


def _command_of(process: _Process, processes: dict[int, _Process]) -> int:
    """The process through which the ancestors of this one came in, or the session it is left with."""
    seen = set()
    current = process
    while current.parent > 1 and current.parent in processes and current.pid not in seen:
        seen.add(current.pid)
        current = processes[current.parent]
    return current.pid if current.parent == 0 else process.session


def _processes(proc: int) -> list[_Process]:
    found = []
    for name in os.listdir(proc):
        if name.isdigit():
            stat = _stat(proc, name)
            if stat is not None:
                found.append(_Process(int(name), stat))
    return found


def _stat(proc: int, name: str) -> bytes | None:
    try:
        descriptor = os.open(f"{name}/stat", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    except (FileNotFoundError, ProcessLookupError):
        return None
    try:
        return os.read(descriptor, 4096) or None
    except ProcessLookupError:
        return None
    finally:
        os.close(descriptor)


def _signal(proc: int, process: _Process, number: int) -> None:
    """Signal exactly this process and not a later one of its number."""
    try:
        handle = os.open(str(process.pid), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=proc)
    except FileNotFoundError:
        return
    try:
        stat = _stat(handle, ".")
        if stat is not None and _Process(process.pid, stat).started == process.started:
            kernel.signal_process(handle, number)
    except ProcessLookupError:
        return
    finally:
        os.close(handle)

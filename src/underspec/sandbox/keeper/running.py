"""One command inside, from its start to the report of its end."""

from __future__ import annotations

import errno
import os
import time

from underspec.sandbox.keeper import join
from underspec.sandbox.keeper.strays import Strays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from underspec.sandbox.keeper.box import Box

# When what a command started is not dead by then, the whole sandbox is killed: nothing may stay behind.
_PATIENCE = 10.0


class NotStartedError(Exception):
    """A command did not get into the sandbox. ``limit`` is what stood in its way, if a limit did."""

    def __init__(self, limit: str | None, text: str) -> None:
        super().__init__(text)
        self.limit = limit


class Running:
    """Starts at once. ``deadline`` is monotonic seconds or None; ``dying`` says that it is being killed."""

    def __init__(self, number: int, order: dict[str, Any], box: Box, descriptors: list[int]) -> None:
        """Start it. ``descriptors`` are its stdout, stderr and, if it has any, stdin.

        Raises:
            NotStartedError: it did not get in.
            OSError: the host has no process or memory left.
        """
        self.number = number
        self.dying = False
        self.pid = self.root = 0
        self._box = box
        self._before = box.counters()
        self._status: int | None = None
        self._limit: str | None = None
        self._told = -1
        self._give_up = 0.0
        self._sub = box.group.sub(f"e{number}")
        self._strays = Strays(box.proc) if self._sub is None else None
        for descriptor in descriptors:
            os.fchown(descriptor, box.inside_root, box.inside_root)  # so that /dev/stdout can be opened inside
        entrance = join.Entrance(box.user, box.pid_namespace, box.others, box.seccomp, box.group, self._sub)
        command = join.Command(order["argv"], order["cwd"], order["env"], box.resource_limits())
        stdin = descriptors[2] if len(descriptors) > 2 else None
        self._started = time.monotonic()
        self.deadline = None if order["timeout"] is None else self._started + order["timeout"]
        try:
            self.pid, self.root, self._told = join.start(command, entrance, (stdin, descriptors[0], descriptors[1]))
        except ChildProcessError as error:
            # The way in leads through the sandbox's own limits: what fills them is to blame, not the host.
            limit = self._limit_met(failed=False) or self._limit_behind(error)
            raise NotStartedError(limit, str(error)) from error
        finally:
            if self.pid == 0 and self._sub is not None:
                box.group.retire(self._sub)

    def kill(self, limit: str) -> None:
        """Kill it and all that it started, for having met ``limit``."""
        if self._status is None and not self.dying:
            self._limit = limit
            self.dying = True
            self._give_up = time.monotonic() + _PATIENCE
        self.deadline = None

    def ended(self, status: int) -> None:
        """The command itself was reaped."""
        self._status = status
        self._seconds = time.monotonic() - self._started
        self.deadline = None

    def report(self, other_roots: set[int]) -> dict[str, Any] | None:
        """How it ended, once it has and what had to die with it is dead; None before."""
        if self.dying and not self._kill_once(other_roots):
            if time.monotonic() > self._give_up:
                self._box.kill()
            return None
        if self._status is None:
            return None
        failure = os.read(self._told, 4000).decode(errors="replace")
        os.close(self._told)
        code = os.WEXITSTATUS(self._status) if os.WIFEXITED(self._status) else None
        limit = self._limit or self._limit_met(failed=code != 0)
        if self._sub is not None:
            self._box.group.retire(self._sub)
        return {
            "code": code,
            "signal": os.WTERMSIG(self._status) if os.WIFSIGNALED(self._status) else None,
            "seconds": self._seconds,
            "limit": limit,
            "failure": failure,
            "gone": not self._box.alive(),
        }

    def _kill_once(self, other_roots: set[int]) -> bool:
        if not self._box.alive():
            return True
        if self._sub is not None:
            return self._sub.kill()
        return self._strays is None or self._strays.kill_once(other_roots)

    def _limit_behind(self, error: ChildProcessError) -> str | None:
        """The limit of the group that an error on the way in speaks of, for one was in the group by then."""
        number = str(error).partition(" ")[0]
        if "memory" in self._box.group.folders and number == str(errno.ENOMEM):
            return "memory"
        return "processes" if "pids" in self._box.group.folders and number == str(errno.EAGAIN) else None

    def _limit_met(self, *, failed: bool) -> str | None:
        """The limit that the kernel's own counters say was met since the start.

        A full disk leaves no counter: it is named when it is full at the end of a command that failed.
        """
        kills, refusals = self._box.counters()
        if kills > self._before[0]:
            return "memory"
        if refusals > self._before[1] or (self._sub is not None and self._sub.refusals()):
            return "processes"
        return "disk" if failed and self._box.is_disk_full() else None

"""One command inside, from its start to the report of its end."""

from __future__ import annotations

import os
import time

from underspec.sandbox.keeper import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from underspec.sandbox.keeper.box import Box


class Running:
    """Starts at once. ``deadline`` is monotonic seconds or None; ``dying`` says that it is being killed."""

    def __init__(self, number: int, order: dict[str, Any], box: Box, descriptors: list[int]) -> None:
        if box.group is None:
            raise ValueError("the sandbox was not started")
        self.number = number
        self._box = box
        self._group = box.group
        self._sub = box.group.sub(f"e{number}")
        self._before = box.group.counters()
        self._status: int | None = None
        self._limit: str | None = None
        self.dying = False
        self._left = True
        entrance = join.Entrance(box.user, box.pid_namespace, box.others, box.seccomp, box.group, self._sub)
        stdin = descriptors[2] if len(descriptors) > 2 else None
        if box.user is not None:
            for descriptor in descriptors:
                os.fchown(descriptor, box.inside_root, box.inside_root)  # /dev/stdout can be opened inside
        command = join.Command(order["argv"], order["cwd"], order["env"], box.resource_limits())
        self._started = time.monotonic()
        self.deadline = None if order["timeout"] is None else self._started + order["timeout"]
        self._seconds = 0.0
        self.pid, self._told = join.start(command, entrance, (stdin, descriptors[0], descriptors[1]))

    def kill(self, limit: str) -> None:
        """Kill it and all that it started, for having met ``limit``."""
        self.deadline = None
        if self._status is None and not self.dying:
            self._limit = limit
            self.dying = True

    def ended(self, status: int) -> None:
        """The command itself was reaped."""
        self._status = status
        self._seconds = time.monotonic() - self._started
        self.deadline = None

    def report(self) -> dict[str, Any] | None:
        """How it ended, once it has and what had to die with it is dead; None before."""
        if self.dying:
            self._kill_once()
            if not self._nothing_left():
                return None
        if self._status is None:
            return None
        failure = os.read(self._told, 4000).decode(errors="replace")
        os.close(self._told)
        kills, refusals = self._group.counters()
        limit = self._limit
        if limit is None and kills > self._before[0]:
            limit = "memory"
        elif limit is None and refusals > self._before[1]:
            limit = "processes"
        if self._sub is not None:
            self._sub.remove()
        signal = os.WTERMSIG(self._status) if os.WIFSIGNALED(self._status) else None
        code = os.WEXITSTATUS(self._status) if os.WIFEXITED(self._status) else None
        return {
            "code": code,
            "signal": signal,
            "seconds": self._seconds,
            "limit": limit,
            "failure": failure,
            "gone": not self._box.alive(),
        }

    def _kill_once(self) -> None:
        if self._sub is not None:
            self._left = not self._sub.kill()
            return
        try:
            os.killpg(self.pid, 9)
        except ProcessLookupError:
            self._left = False

    def _nothing_left(self) -> bool:
        return self._status is not None and not self._left

"""Hold a sandbox to its memory although its disk is memory too.

The group's hard limit must leave room for the disk, whose pages the kernel charges to the same group. So the keeper
itself looks, several times a second and faster when it gets close, at what is held besides the disk: anonymous memory,
and shared memory that is no file of the disk. Beyond ``memory``, it kills the largest process, as the kernel would.
"""

from __future__ import annotations

import os
import time

from underspec.sandbox.keeper.ground import BOX
from underspec.sandbox.keeper.groups import kill_members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from underspec.sandbox.keeper.groups import Group

_CALM, _ALERT, _AFTER_KILL = 0.25, 0.02, 0.1


class Police:
    """Counts its ``kills``. ``due`` is when to look next (monotonic seconds), or None where there is no group."""

    def __init__(self, group: Group, memory: int) -> None:
        self._group = group
        self._memory = memory
        self.kills = 0
        self.due: float | None = time.monotonic() + _CALM if group.counts_memory else None

    def look(self) -> None:
        """Look, and kill if need be."""
        total, anonymous, shared = self._group.memory_use()
        pause = _CALM
        if total > self._memory // 2:
            pause = _ALERT
            status = os.statvfs(BOX)
            on_disk = (status.f_blocks - status.f_bfree) * status.f_frsize
            if anonymous + max(0, shared - on_disk) > self._memory and self._kill_largest():
                self.kills += 1
                pause = _AFTER_KILL
        self.due = time.monotonic() + pause

    def _kill_largest(self) -> bool:
        sizes = []
        for pid in self._group.members():
            resident = _resident(pid)
            if resident is None:
                return False  # one is just ending, by the kernel's hand perhaps: what it held is not given back yet
            sizes.append((resident, pid))
        size, pid = max(sizes, default=(0, 0))
        if size == 0:
            return False
        return kill_members(self._group.all_folders(), [pid]) > 0


def _resident(pid: int) -> int | None:
    """Kilobytes that a process holds in memory, files apart; None while it is ending."""
    try:
        with open(f"/proc/{pid}/status") as stream:
            lines = stream.read().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    if "RssAnon" not in fields and fields["State"].split()[0] not in "ZX":
        return None
    return sum(int(fields.get(name, "0 kB").split()[0]) for name in ("RssAnon", "RssShmem"))

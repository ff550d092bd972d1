"""Claims: at most one worker on a phase, on one machine or on many that share a store.

A claim is a file that its owner touches every few seconds. It lapses when the owner is seen to be dead (where its
process can be seen: same boot, same process ids) or has not touched it for :data:`EXPIRY` seconds. Taking and touching
happen under a file lock, so that two workers that find the same lapsed claim cannot both take it, and none is taken
that was touched just now; publication by create-if-absent stands behind that as a second guard.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import secrets
import socket
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from underspec.artifact.files import host_exhaustion, read_regular, write_atomic
from underspec.errors import ClaimLostError

HEARTBEAT = 5.0
EXPIRY = 60.0


def process_start(pid: int) -> int | None:
    """Start time of a process in clock ticks since boot, or None when there is no such (living) process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


def _place() -> dict[str, str]:
    """Where a process id means the same process: host, boot, and namespace (each container has its own)."""
    return {
        "host": socket.gethostname(),
        "boot": Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip(),
        "pids": str(Path("/proc/self/ns/pid").readlink()),
    }


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Alone among all processes while the block runs; ``path`` is made, and stays."""
    with path.open("ab") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


class Claim:
    """The right to work on one phase."""

    def __init__(self, path: Path):
        self.path = path
        self.owner = secrets.token_hex(16)

    def acquire(self) -> bool:
        """Try once. Returns whether the claim is ours now."""
        with host_exhaustion(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._lock():
                if self._held_by_another():
                    return False
                write_atomic(self.path, json.dumps(self._content()).encode())
        return True

    def _lock(self) -> contextlib.AbstractContextManager[None]:
        return locked(self.path.with_name("claim.lock"))

    def _content(self) -> dict[str, Any]:
        pid = os.getpid()
        return {"owner": self.owner, **_place(), "pid": pid, "start": process_start(pid)}

    def _read(self) -> dict[str, Any] | None:
        """The claim that stands there, empty when it is damaged; None when there is none."""
        try:
            held = json.loads(read_regular(self.path))
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError):
            return {}
        return held if isinstance(held, dict) else {}

    def _held_by_another(self) -> bool:
        held = self._read()
        if held is None or held.get("owner") == self.owner:
            return False
        seen = all(held.get(name) == value for name, value in _place().items())
        if seen and isinstance(held.get("pid"), int):
            return process_start(held["pid"]) == held.get("start")
        # Written whole or not at all, so one without a place is no torn write but damage: age decides there too.
        return time.time() - self.path.stat().st_mtime < EXPIRY

    def _is_ours(self) -> bool:
        return (self._read() or {}).get("owner") == self.owner

    def check(self) -> None:
        """Touch the claim.

        Raises:
            ClaimLostError: it is no longer ours.
        """
        with self._lock():
            if self._is_ours():
                os.utime(self.path)
                return
        raise ClaimLostError("another process took over this phase", file=str(self.path))

    def release(self) -> None:
        """Give the claim back if it is still ours."""
        with self._lock():
            if self._is_ours():
                self.path.unlink(missing_ok=True)

    @contextlib.asynccontextmanager
    async def kept_alive(self) -> AsyncIterator[None]:
        """Keep an acquired claim alive for the length of the block; a lost claim cancels the block.

        Raises:
            ClaimLostError: the claim was lost while the block ran.
        """
        worker = asyncio.current_task()
        assert worker is not None
        cancelled_before = worker.cancelling()
        lost: list[ClaimLostError] = []

        async def beat() -> None:
            while True:
                await asyncio.sleep(HEARTBEAT)
                try:
                    self.check()
                except ClaimLostError as error:
                    lost.append(error)
                    worker.cancel()
                    return
                except OSError:
                    # A hiccup of the disk is no loss yet. If it lasts, the claim lapses, and publishing finds that out.
                    continue

        beating = asyncio.create_task(beat())
        try:
            yield
        except asyncio.CancelledError:
            # Somebody else may have cancelled us too (Ctrl-C, a failed run): that must not be swallowed.
            if lost and worker.uncancel() <= cancelled_before:
                raise lost[0] from None
            raise
        finally:
            beating.cancel()
            self.release()

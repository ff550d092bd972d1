"""Claims: at most one worker on a phase, on one machine or on many that share a store.

A claim is a file that its owner touches every few seconds. It lapses when the owner is seen to be dead (same host) or
has not touched it for :data:`EXPIRY` seconds. Acquisition happens under a file lock, so that two workers that find the
same lapsed claim cannot both take it; publication by create-if-absent stands behind that as a second guard.
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

from underspec.artifact.files import host_exhaustion, write_atomic
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


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
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
            with _locked(self.path.with_name("claim.lock")):
                if self._held_by_another():
                    return False
                write_atomic(self.path, json.dumps(self._content()).encode())
        return True

    def _content(self) -> dict[str, Any]:
        pid = os.getpid()
        return {
            "owner": self.owner,
            "host": socket.gethostname(),
            "boot": _boot_id(),
            "pid": pid,
            "start": process_start(pid),
        }

    def _held_by_another(self) -> bool:
        try:
            age = time.time() - self.path.stat().st_mtime
            held = json.loads(self.path.read_bytes())
            if held["owner"] == self.owner:
                return False
            same_boot = held["host"] == socket.gethostname() and held["boot"] == _boot_id()
            if same_boot:
                return bool(process_start(held["pid"]) == held["start"])
        except FileNotFoundError:
            return False
        except (ValueError, KeyError, TypeError):
            # Written whole or not at all, so this is no torn write of ours but damage: let the age decide.
            return age < EXPIRY
        return age < EXPIRY

    def check(self) -> None:
        """Touch the claim.

        Raises:
            ClaimLostError: it is no longer ours.
        """
        try:
            held = json.loads(self.path.read_bytes())
            if held["owner"] == self.owner:
                os.utime(self.path)
                return
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            pass
        raise ClaimLostError("another process took over this phase", file=str(self.path))

    def release(self) -> None:
        """Give the claim back if it is still ours."""
        with _locked(self.path.with_name("claim.lock")):
            try:
                held = json.loads(self.path.read_bytes())
            except (FileNotFoundError, ValueError):
                return
            if held.get("owner") == self.owner:
                self.path.unlink(missing_ok=True)

    @contextlib.asynccontextmanager
    async def kept_alive(self) -> AsyncIterator[None]:
        """Keep an acquired claim alive for the length of the block; a lost claim cancels the block.

        Raises:
            ClaimLostError: the claim was lost while the block ran.
        """
        worker = asyncio.current_task()
        lost: list[ClaimLostError] = []

        async def beat() -> None:
            while True:
                await asyncio.sleep(HEARTBEAT)
                try:
                    self.check()
                except ClaimLostError as error:
                    lost.append(error)
                    if worker is not None:
                        worker.cancel()
                    return

        beating = asyncio.create_task(beat())
        try:
            yield
        except asyncio.CancelledError:
            if lost:
                if worker is not None:
                    worker.uncancel()
                raise lost[0] from None
            raise
        finally:
            beating.cancel()
            self.release()

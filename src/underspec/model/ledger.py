"""The ledger's writing end: every model call becomes one synced line before its answer is used."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path
from typing import Any, Self

from underspec.artifact.files import host_exhaustion, sync_folder
from underspec.artifact.ledger import ModelCall, parse_ledger
from underspec.artifact.threads import in_thread
from underspec.errors import StoreError, UnderspecError

FILE = "ledger.jsonl"

_MEND = "remove the attempt that holds it and run the same command again"


class Ledger:
    """An append-only file of :class:`ModelCall` lines, held by one process. All models of a phase may share it."""

    def __init__(self, path: Path | None, handle: int) -> None:
        self._path = path
        self._handle = handle
        self._end = 0
        self._lock = threading.Lock()
        self._calls: list[ModelCall] = []
        self._broken: UnderspecError | None = None

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or create the file. A torn last line, which a kill leaves, is cut off.

        Raises:
            StoreError: it is damaged elsewhere, in use, or no regular file.
            HostExhaustedError: the host has no room.
        """
        try:
            with host_exhaustion(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise _unusable(path, error) from error
        ledger = cls(path, handle)
        try:
            ledger._restore()
        except BaseException:
            ledger.close()
            raise
        return ledger

    @classmethod
    def in_memory(cls) -> Self:
        """A ledger without a file, for use outside runs."""
        return cls(None, -1)

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """Every call so far, in the order in which they ended."""
        with self._lock:
            return tuple(self._calls)

    async def store(self, **fields: Any) -> ModelCall:
        """Append and sync one line, made of :class:`ModelCall`'s fields but its number. Ends even if cancelled.

        Raises:
            StoreError, HostExhaustedError: it could not be written, and nothing will be any more.
        """
        return await in_thread(self.store_now, **fields)

    def store_now(self, **fields: Any) -> ModelCall:
        """The same, blocking: for whoever is being cancelled and may not wait."""
        with self._lock:
            if self._broken is not None:
                raise self._broken
            call = ModelCall(number=len(self._calls) + 1, **fields)
            try:
                self._append(call.to_bytes())
            except UnderspecError as error:
                self._broken = error
                raise
            self._calls.append(call)
            return call

    def _append(self, line: bytes) -> None:
        if self._path is None:
            return
        try:
            with host_exhaustion(self._path):
                try:
                    done = 0
                    while done < len(line):
                        done += os.pwrite(self._handle, line[done:], self._end + done)
                    os.fsync(self._handle)
                except OSError:
                    os.ftruncate(self._handle, self._end)
                    raise
        except OSError as error:
            raise _unusable(self._path, error) from error
        self._end += len(line)

    def _restore(self) -> None:
        assert self._path is not None
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            mend = "wait until the other process has ended"
            raise StoreError("another process holds this ledger", file=str(self._path), mend=mend) from error
        with open(self._handle, "rb", closefd=False) as stream:
            data = stream.read()
        self._calls = list(parse_ledger(data, file=str(self._path)))
        self._end = data.rfind(b"\n") + 1
        if self._end < len(data):
            os.ftruncate(self._handle, self._end)
        os.fsync(self._handle)
        sync_folder(self._path.parent)

    def close(self) -> None:
        """Let go of the file. May be called more than once."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"cannot be used: {error.strerror}", file=str(path), mend=_MEND)

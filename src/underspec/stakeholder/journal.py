"""A session on disk: one JSON line for the session, then one for each turn, each synced before its reply leaves.

This is the log of a session inside a run, and what a served session is published as. A run has one session an item and
one writer a session, and its folder may be shared by nodes, where a database's locks and shared memory do not work; a
file that only grows needs neither. Thousands of sessions at once are another matter: `underspec.stakeholder.service`.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Self, TypeVar

from pydantic import ValidationError

from underspec.artifact.base import Artifact
from underspec.artifact.files import host_exhaustion, sync_folder
from underspec.artifact.session import HiddenPoint, Turn
from underspec.artifact.threads import in_thread
from underspec.errors import StoreError, UnderspecError

_MEND = "remove the attempt that holds it and run the same command again"

Line = TypeVar("Line", bound=Artifact)


class SessionHeader(Artifact):
    """The first line: which session this is. ``records`` is the digest of the records that it answers from."""

    schema_version: Literal[2] = 2
    task: str
    level: str
    router: str
    budget: int
    points: tuple[HiddenPoint, ...]
    records: str


class Journal:
    """The append-only file behind a session, held by one process at a time."""

    def __init__(self, path: Path, handle: int, header: SessionHeader) -> None:
        self._path = path
        self._handle = handle
        self._end = 0
        self._turns: list[Turn] = []
        self._by_request_id: dict[str, Turn] = {}
        self._broken: UnderspecError | None = None
        self._header = header

    @classmethod
    def open(cls, path: Path, header: SessionHeader) -> Self:
        """Open or create ``path``. A torn last line, which a crash leaves, is cut off; its reply never left.

        Raises:
            StoreError: damaged elsewhere, in use by another process, or another session's.
        """
        try:
            with host_exhaustion(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        except OSError as error:
            raise _unusable(path, error) from error
        journal = cls(path, handle, header)
        try:
            journal._lock()
            journal._restore()
        except BaseException:
            journal.close()
            raise
        return journal

    @property
    def header(self) -> SessionHeader:
        """Which session this is."""
        return self._header

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The stored turns, oldest first."""
        return tuple(self._turns)

    def by_request_id(self, request_id: str) -> Turn | None:
        """The stored turn that carries this request id."""
        return self._by_request_id.get(request_id)

    async def store(self, turn: Turn) -> None:
        """Append and sync one turn. Once begun it ends, even if the caller is cancelled.

        Raises:
            StoreError, HostExhaustedError: nothing was stored, and nothing will be any more.
        """
        if self._broken is not None:
            raise self._broken
        # A sync may take long; other sessions go on meanwhile.
        await in_thread(self._keep, turn)

    def _keep(self, turn: Turn) -> None:
        try:
            self._append(turn.to_bytes())
        except UnderspecError as error:
            self._broken = error
            raise
        self._remember(turn)

    def extend(self, turns: Sequence[Turn]) -> None:
        """Append and sync those of ``turns``, all turns of the session from its first, that are not here yet.

        Raises:
            StoreError: what is here is no beginning of ``turns``.
        """
        if tuple(turns[: len(self._turns)]) != self.turns:
            raise StoreError("it holds turns that the session does not have", file=str(self._path), mend=_MEND)
        lacking = turns[len(self._turns) :]
        if lacking:
            self._append(b"".join(turn.to_bytes() for turn in lacking))
        for turn in lacking:
            self._remember(turn)

    def close(self) -> None:
        """Close the file and let others have it."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _remember(self, turn: Turn) -> None:
        self._turns.append(turn)
        if turn.request_id is not None:
            self._by_request_id[turn.request_id] = turn

    def _lock(self) -> None:
        if not stat.S_ISREG(os.fstat(self._handle).st_mode):
            raise StoreError("not a regular file", file=str(self._path), mend=_MEND)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            mend = "wait until the other process has ended"
            raise StoreError("another process holds this session", file=str(self._path), mend=mend) from error

    def _append(self, line: bytes) -> None:
        try:
            with host_exhaustion(self._path):
                try:
                    self._write(line)
                except OSError:
                    self._cut()
                    raise
        except OSError as error:
            raise _unusable(self._path, error) from error
        self._end += len(line)

    def _write(self, line: bytes) -> None:
        done = 0
        while done < len(line):
            done += os.pwrite(self._handle, line[done:], self._end + done)
        os.fsync(self._handle)

    def _cut(self) -> None:
        os.ftruncate(self._handle, self._end)
        os.fsync(self._handle)

    def _restore(self) -> None:
        with open(self._handle, "rb", closefd=False) as stream:
            data = stream.read()
        whole = data.rfind(b"\n") + 1
        lines = data[:whole].split(b"\n")[:-1]
        self._end = whole
        if whole < len(data):
            self._cut()
        if not lines:
            self._append(self.header.to_bytes())
            sync_folder(self._path.parent)
            return
        self._check_header(lines[0])
        for number, line in enumerate(lines[1:], 1):
            turn = _parse(Turn, line, self._path, number + 1)
            if turn.number != number or turn.remaining != self.header.budget - number:
                raise _damaged(self._path, number + 1, f"this should be turn {number} of the session")
            self._remember(turn)

    def _check_header(self, line: bytes) -> None:
        stored = _parse(SessionHeader, line, self._path, 1)
        for name in SessionHeader.model_fields:
            if getattr(stored, name) != getattr(self.header, name):
                raise _damaged(self._path, 1, f"it belongs to a session with another {name}")


def _parse(kind: type[Line], line: bytes, path: Path, number: int) -> Line:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise _damaged(path, number, f"not a valid {kind.__name__}: {error.errors()[0]['msg']}") from error


def _damaged(path: Path, number: int, message: str) -> StoreError:
    return StoreError(message, file=str(path), where=f"line {number}", mend=_MEND)


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"cannot be used: {error.strerror}", file=str(path), mend=_MEND)

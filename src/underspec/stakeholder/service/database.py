"""One SQLite file on this node: a writer that syncs many rows at once, and a reader that never waits for it.

Every write is one statement. Those that arrive while a sync is under way share the next one (group commit), so that the
rate of writes does not hang on the time that a sync takes. A write is reported done after it is durable.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import queue
import secrets
import sqlite3
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Self

from underspec.artifact.files import host_exhaustion, sync_folder
from underspec.artifact.threads import to_the_end
from underspec.errors import HostExhaustedError, StoreError, UnderspecError, UsageError
from underspec.stakeholder.service.mounts import on_a_network

APPLICATION_ID = 0x75737061
SCHEMA_VERSION = 1
_MOST_IN_ONE_SYNC = 512
_BUSY_SECONDS = 5.0
_MEND = "restore the file, or serve with another --db; sessions in this one are lost without it"

_SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
CREATE TABLE groups (
    id INTEGER PRIMARY KEY,
    credential BLOB NOT NULL UNIQUE,
    model TEXT NOT NULL,
    difficulty TEXT NOT NULL,
    budget INTEGER NOT NULL,
    task TEXT
);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    credential BLOB UNIQUE,
    grouped INTEGER REFERENCES groups (id),
    task TEXT NOT NULL,
    header BLOB NOT NULL,
    closed INTEGER NOT NULL DEFAULT 0,
    UNIQUE (grouped, task)
);
CREATE TABLE turns (
    session INTEGER NOT NULL REFERENCES sessions (id),
    number INTEGER NOT NULL,
    request_id TEXT,
    turn BLOB NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
CREATE UNIQUE INDEX turns_by_request_id ON turns (session, request_id) WHERE request_id IS NOT NULL;
"""

Row = tuple[Any, ...]


class _Write(NamedTuple):
    statement: str
    values: Sequence[Any]
    done: asyncio.Future[int]


class Database:
    """The open file, held by one process at a time. Used from one event loop, which must live until :meth:`close`."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock
        self._queue: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._broken: UnderspecError | None = None
        self._closed = False
        self._writing = _connect(path)
        self._reading = _connect(path)
        self._reading.execute("PRAGMA query_only = ON")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="stakeholder-reader")
        self._writer = threading.Thread(target=self._write_on, name="stakeholder-writer", daemon=True)
        self._writer.start()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the database, or make it. Only its own kind is opened, and nothing damaged is ever begun anew.

        Raises:
            UsageError: it lies on a network file system, or another process serves from it.
            StoreError: it is damaged, or something else.
            HostExhaustedError: the host has no room.
        """
        with host_exhaustion(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        kind = on_a_network(path.parent)
        if kind is not None:
            mend = "choose a --db on a disk of this machine"
            raise UsageError(f"a database of sessions cannot lie on {kind}", file=str(path), mend=mend)
        lock = _hold(path)
        try:
            if not path.exists():
                _make(path)
            _check(path)
            return cls(path, lock)
        except BaseException:
            os.close(lock)
            raise

    async def write(self, statement: str, values: Sequence[Any]) -> int:
        """Run one INSERT or UPDATE; gives the id of the inserted row. Durable on return.

        Once begun it ends, even if the caller is cancelled.

        Raises:
            StoreError: it was refused, or the file is of no more use. Nothing was stored.
            HostExhaustedError: no room; nothing was stored, and trying again later is fine.
        """
        if self._broken is not None:
            raise self._broken
        if self._closed:
            raise StoreError("the database is closed", file=str(self.path))
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._queue.put(_Write(statement, values, done))
        return await to_the_end(done)

    async def read(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """Rows of a query, as of the last durable write.

        Raises:
            StoreError: the file is of no more use.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reader, self._read, statement, values)

    def _read(self, statement: str, values: Sequence[Any]) -> list[Row]:
        try:
            return self._reading.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise _typed(error, self.path) from error

    async def close(self) -> None:
        """Finish what was begun, fold the log into the file, let others have it. May be called more than once."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._let_go)

    def _let_go(self) -> None:
        self._reader.shutdown()
        self._reading.close()
        self._writing.close()
        os.close(self._lock)

    def _write_on(self) -> None:
        last = False
        while not last:
            batch: list[_Write] = []
            write = self._queue.get()
            while write is not None:
                batch.append(write)
                if len(batch) >= _MOST_IN_ONE_SYNC or self._queue.empty():
                    break
                write = self._queue.get()
            last = write is None
            if batch:
                outcomes = self._commit(batch)
                batch[0].done.get_loop().call_soon_threadsafe(_settle, batch, outcomes)

    def _commit(self, batch: list[_Write]) -> list[int | UnderspecError]:
        if self._broken is not None:
            return [self._broken] * len(batch)
        outcomes: list[int | UnderspecError] = []
        try:
            self._writing.execute("BEGIN IMMEDIATE")
            for write in batch:
                try:
                    outcomes.append(self._writing.execute(write.statement, write.values).lastrowid or 0)
                except sqlite3.IntegrityError as error:
                    # This row alone; its statement has left nothing behind.
                    outcomes.append(StoreError(f"the database refused a row: {error}", file=str(self.path)))
            self._writing.execute("COMMIT")
        except sqlite3.Error as error:
            failure = _typed(error, self.path)
            self._roll_back(failure)
            return [failure] * len(batch)
        return outcomes

    def _roll_back(self, failure: UnderspecError) -> None:
        try:
            if self._writing.in_transaction:
                self._writing.execute("ROLLBACK")
        except sqlite3.Error:
            self._broken = failure
        if not isinstance(failure, HostExhaustedError):
            # After a failed sync nobody knows what the disk holds; a restart finds out.
            self._broken = failure


def _settle(batch: list[_Write], outcomes: list[int | UnderspecError]) -> None:
    for write, outcome in zip(batch, outcomes, strict=True):
        if write.done.done():
            continue
        if isinstance(outcome, UnderspecError):
            write.done.set_exception(outcome)
        else:
            write.done.set_result(outcome)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    # FULL: a commit is synced before it is reported, as a reply may leave then.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _hold(path: Path) -> int:
    """Lock a file beside the database: SQLite's own locks would be lost by opening and closing the file again."""
    name = path.with_name(f"{path.name}.lock")
    with host_exhaustion(name):
        lock = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        mend = "stop it, or choose another --db"
        raise UsageError("another process serves from this database", file=str(path), mend=mend) from error
    return lock


def _make(path: Path) -> None:
    """Make the file whole or not at all, readable by its owner only: it holds what tasks hide."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        with host_exhaustion(path):
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        connection = _connect(temporary)
        try:
            connection.executescript(_SCHEMA)
        finally:
            connection.close()
        with host_exhaustion(path):
            temporary.rename(path)
            sync_folder(path.parent)
    except sqlite3.Error as error:
        raise _typed(error, path) from error
    finally:
        for name in (temporary, *(temporary.with_name(temporary.name + end) for end in ("-wal", "-shm"))):
            name.unlink(missing_ok=True)


def _check(path: Path) -> None:
    if not path.is_file() or path.stat().st_size == 0:
        raise StoreError("this is no database of sessions (any more)", file=str(path), mend=_MEND)
    try:
        connection = _connect(path)
        try:
            kind = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise _typed(error, path) from error
    if kind != APPLICATION_ID:
        mend = "choose a file of its own as --db"
        raise StoreError("this is a database of something else", file=str(path), mend=mend)
    if version != SCHEMA_VERSION:
        mend = "serve it with the version of underspec that made it, or choose another --db"
        raise StoreError(f"its schema is {version}, and this version reads {SCHEMA_VERSION}", file=str(path), mend=mend)
    if verdict != "ok":
        raise StoreError(f"the database is damaged: {verdict}", file=str(path), mend=_MEND)


def _typed(error: sqlite3.Error, path: Path) -> UnderspecError:
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
        mend = "free some disk"
        return HostExhaustedError("no space left on the host", file=str(path), mend=mend)
    return StoreError(f"the database cannot be used: {error}", file=str(path), mend=_MEND)

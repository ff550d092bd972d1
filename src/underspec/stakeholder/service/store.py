"""Sessions, groups of sessions and turns as rows: what is written, and how it is read back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from underspec.artifact.canonical import canonical_json
from underspec.artifact.session import SessionLog, Turn
from underspec.artifact.threads import to_the_end
from underspec.stakeholder.journal import SessionHeader
from underspec.stakeholder.service.database import Database
from underspec.stakeholder.session import session_log


@dataclass(frozen=True)
class SessionRow:
    """One minted session. ``name`` is what the operator calls it by; it authorises nothing."""

    id: int
    name: str
    header: SessionHeader
    closed: bool
    asked: int


@dataclass(frozen=True)
class GroupRow:
    """An ``append_id`` of the published protocol: one budget for each task that is asked about with it."""

    id: int
    model: str
    difficulty: str
    budget: int
    task: str | None


_SESSION = (
    "SELECT id, name, header, closed, (SELECT count(*) FROM turns WHERE session = sessions.id) FROM sessions WHERE "
)


class SessionStore:
    """Rows of one database. All methods raise StoreError or HostExhaustedError when it fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def mint(self, name: str, credential: bytes | None, header: SessionHeader, group: int | None = None) -> int:
        """Store a new session; gives its row id."""
        return await self._database.write(
            "INSERT INTO sessions (name, credential, grouped, task, header) VALUES (?, ?, ?, ?, ?)",
            (name, credential, group, header.task, header.to_bytes()),
        )

    async def mint_group(self, credential: bytes, model: str, difficulty: str, budget: int, task: str | None) -> int:
        """Store a new group; gives its row id."""
        return await self._database.write(
            "INSERT INTO groups (credential, model, difficulty, budget, task) VALUES (?, ?, ?, ?, ?)",
            (credential, model, difficulty, budget, task),
        )

    async def close_session(self, session: int) -> None:
        """Mark that no more questions are taken."""
        await self._database.write("UPDATE sessions SET closed = 1 WHERE id = ?", (session,))

    async def by_id(self, session: int) -> SessionRow | None:
        """The session of a row id."""
        return await self._one("id = ?", session)

    async def by_name(self, name: str) -> SessionRow | None:
        """The session that the operator calls so."""
        return await self._one("name = ?", name)

    async def by_credential(self, credential: bytes) -> SessionRow | None:
        """The session whose credential hashes to this."""
        return await self._one("credential = ?", credential)

    async def in_group(self, group: int, task: str) -> SessionRow | None:
        """A group's session about one task."""
        return await self._one("grouped = ? AND task = ?", group, task)

    async def of_group(self, group: int) -> list[SessionRow]:
        """All sessions of a group, oldest first."""
        rows = await self._database.read(_SESSION + "grouped = ? ORDER BY id", (group,))
        return [_session(row) for row in rows]

    async def group(self, credential: bytes) -> GroupRow | None:
        """The group whose ``append_id`` hashes to this."""
        found = await self._database.read(
            "SELECT id, model, difficulty, budget, task FROM groups WHERE credential = ?", (credential,)
        )
        return GroupRow(*found[0]) if found else None

    async def page(self, after: int, limit: int, task: str | None = None) -> list[SessionRow]:
        """Sessions minted after the row ``after``, oldest first."""
        wanted, values = ("id > ? AND task = ?", (after, task)) if task is not None else ("id > ?", (after,))
        rows = await self._database.read(_SESSION + wanted + " ORDER BY id LIMIT ?", (*values, limit))
        return [_session(row) for row in rows]

    async def turns(self, session: int) -> tuple[Turn, ...]:
        """The stored turns of a session, oldest first."""
        rows = await self._database.read("SELECT turn FROM turns WHERE session = ? ORDER BY number", (session,))
        return tuple(Turn.from_bytes(turn, file=str(self._database.path)) for (turn,) in rows)

    async def log(self, session: SessionRow) -> SessionLog:
        """The session as an artifact."""
        return session_log(session.header, await self.turns(session.id))

    async def keep(self, session: int, turn: Turn) -> None:
        """Store one turn."""
        await self._database.write(
            "INSERT INTO turns (session, number, request_id, turn) VALUES (?, ?, ?, ?)",
            (session, turn.number, turn.request_id, canonical_json(turn.model_dump(mode="json"))),
        )

    async def _one(self, condition: str, *values: Any) -> SessionRow | None:
        found = await self._database.read(_SESSION + condition, values)
        return _session(found[0]) if found else None


def _session(row: tuple[Any, ...]) -> SessionRow:
    number, name, header, closed, asked = row
    return SessionRow(number, name, SessionHeader.from_bytes(header, file=f"session {name}"), bool(closed), asked)


class StoredTurns:
    """The turns of one open session (:class:`underspec.stakeholder.session.TurnStore`)."""

    def __init__(self, store: SessionStore, row: SessionRow, turns: tuple[Turn, ...]) -> None:
        self._store = store
        self._row = row
        self._turns = turns
        self._by_request_id = {turn.request_id: turn for turn in turns if turn.request_id is not None}

    @property
    def header(self) -> SessionHeader:
        """Which session this is."""
        return self._row.header

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The stored turns, oldest first."""
        return self._turns

    def by_request_id(self, request_id: str) -> Turn | None:
        """The stored turn that carries this request id."""
        return self._by_request_id.get(request_id)

    async def store(self, turn: Turn) -> None:
        """Make one turn durable; see :meth:`Database.write`."""
        # As one: a caller that is cancelled between the two would leave a stored turn that nobody here knows of.
        await to_the_end(asyncio.ensure_future(self._keep(turn)))

    async def _keep(self, turn: Turn) -> None:
        await self._store.keep(self._row.id, turn)
        self._turns += (turn,)
        if turn.request_id is not None:
            self._by_request_id[turn.request_id] = turn

    def close(self) -> None:
        """Nothing is held that others wait for."""

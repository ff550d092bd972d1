"""Session logs as files: the append-only log of a session, and once it is closed the artifact that it amounts to."""

from __future__ import annotations

from pathlib import Path

from underspec.artifact.files import create_if_absent
from underspec.artifact.session import Turn
from underspec.artifact.threads import in_thread
from underspec.stakeholder.journal import Journal, SessionHeader
from underspec.stakeholder.service.store import SessionRow, SessionStore
from underspec.stakeholder.session import session_log

LOG_FILE = "session.jsonl"
ARTIFACT_FILE = "session.json"


async def publish(store: SessionStore, row: SessionRow, folder: Path) -> None:
    """Bring ``folder/<session>`` up to the database: turns that it lacks are appended, none is ever rewritten.

    Raises:
        StoreError: the log there is damaged, another session's, or further than the database.
        HostExhaustedError: no room.
    """
    turns = await store.turns(row.id)
    await in_thread(_bring_up, folder / row.name, row.header, turns, row.closed)


async def publish_all(store: SessionStore, folder: Path) -> None:
    """The same for every session."""
    last = 0
    while rows := await store.page(last, 200):
        for row in rows:
            await publish(store, row, folder)
        last = rows[-1].id


def _bring_up(folder: Path, header: SessionHeader, turns: tuple[Turn, ...], closed: bool) -> None:
    journal = Journal.open(folder / LOG_FILE, header)
    try:
        journal.extend(turns)
    finally:
        journal.close()
    if closed:
        create_if_absent(folder / ARTIFACT_FILE, session_log(header, turns).to_bytes())

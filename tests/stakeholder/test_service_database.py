"""The database: durable before it is told, whole or damaged and never begun anew, one process at a time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from tests.stakeholder.service_kit import Served, run, served
from underspec.errors import HostExhaustedError, StoreError, UsageError
from underspec.stakeholder.service.credentials import OPERATOR_VARIABLE, operator_token
from underspec.stakeholder.service.database import Database
from underspec.stakeholder.service.limits import RateLimit
from underspec.stakeholder.service.mounts import on_a_network
from underspec.stakeholder.service.publish import publish_all

INSERT = "INSERT INTO groups (credential, model, difficulty, budget) VALUES (?, 'm', 'normal', 16)"


def rows(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM groups").fetchone()[0])


def test_writes_are_durable_when_they_are_told(tmp_path: Path) -> None:
    async def work() -> None:
        database = Database.open(tmp_path / "db")
        for number in range(3):
            await database.write(INSERT, (bytes([number]),))
            # Another connection, as a process that starts after a crash would be.
            assert rows(tmp_path / "db") == number + 1
        await database.close()

    asyncio.run(work())


def test_commits_are_synced_and_shared(tmp_path: Path) -> None:
    async def work() -> None:
        database = Database.open(tmp_path / "db")
        assert database._writing.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert database._writing.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        commits = []
        database._writing.set_trace_callback(lambda said: commits.append(said) if said == "COMMIT" else None)
        await asyncio.gather(*(database.write(INSERT, (number.to_bytes(2),)) for number in range(500)))
        assert rows(tmp_path / "db") == 500
        assert len(commits) < 100
        await database.close()

    asyncio.run(work())


def test_a_row_that_is_refused_takes_no_other_with_it(tmp_path: Path) -> None:
    async def work() -> None:
        database = Database.open(tmp_path / "db")
        outcomes = await asyncio.gather(
            *(database.write(INSERT, (name,)) for name in (b"a", b"b", b"a", b"c")), return_exceptions=True
        )
        assert [isinstance(outcome, StoreError) for outcome in outcomes] == [False, False, True, False]
        await database.write(INSERT, (b"d",))
        assert rows(tmp_path / "db") == 4
        await database.close()

    asyncio.run(work())


def test_a_writer_that_is_cancelled_has_still_written(tmp_path: Path) -> None:
    async def work() -> None:
        database = Database.open(tmp_path / "db")
        writing = asyncio.ensure_future(database.write(INSERT, (b"a",)))
        await asyncio.sleep(0)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        assert rows(tmp_path / "db") == 1
        await database.close()

    asyncio.run(work())


def test_no_room_is_said_charges_nothing_and_passes(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        session, credential = await service.mint()
        await service.ask(credential, "C1")
        writing = service.database._writing
        pages = writing.execute("PRAGMA page_count").fetchone()[0]
        writing.execute(f"PRAGMA max_page_count = {pages}")
        full = []
        for number in range(40):
            told = await service.ask(credential, "C1 " + str(number) * 4000)
            full.append(told.json()["status"]["error"] if not told.json()["status"]["ok"] else None)
            if full[-1]:
                break
        assert full[-1] == "unavailable"
        stored = (await service.as_operator("GET", f"/v1/sessions/{session}")).json()["asked"]
        writing.execute("PRAGMA max_page_count = 1000000")
        told = await service.ask(credential, "C1")
        assert told.json()["status"] == {"ok": True, "remaining": 15 - stored}

    run(tmp_path, work)


def test_no_room_is_its_own_error(tmp_path: Path) -> None:
    async def work() -> None:
        database = Database.open(tmp_path / "db")
        database._writing.execute("PRAGMA max_page_count = 1")
        writing = asyncio.gather(*(database.write(INSERT, (number.to_bytes(2) * 1000,)) for number in range(200)))
        with pytest.raises(HostExhaustedError):
            await writing
        await database.close()

    asyncio.run(work())


def test_a_published_log_grows_by_what_it_lacks_and_is_never_rewritten(tmp_path: Path) -> None:
    logs = tmp_path / "logs"

    async def work(service: Served) -> None:
        session, credential = await service.mint()
        file = logs / session / "session.jsonl"
        seen = b""
        for number in range(3):
            await service.ask(credential, f"C1 {number}")
            await publish_all(service.store, logs)
            assert file.read_bytes().startswith(seen)
            seen = file.read_bytes()
            assert len(seen.splitlines()) == number + 2
        assert not (logs / session / "session.json").exists()
        file.write_bytes(seen.replace(b"C1 1", b"C1 7"))
        with pytest.raises(StoreError):
            await publish_all(service.store, logs)

    run(tmp_path, work)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    async def work() -> None:
        database = Database.open(tmp_path / "db")
        with pytest.raises(UsageError, match="another process"):
            Database.open(tmp_path / "db")
        await database.close()
        await Database.open(tmp_path / "db").close()

    asyncio.run(work())


def damage(path: Path, how: str) -> None:
    whole = path.read_bytes()
    if how == "emptied":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif how == "overwritten":
        path.write_bytes(whole[:4096] + os.urandom(len(whole) - 4096))
    elif how == "text":
        path.write_text("no database\n" * 1000)
    else:
        path.unlink()
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE t (x)")


@pytest.mark.parametrize("how", ["emptied", "cut", "overwritten", "text", "another's"])
def test_what_is_damaged_or_anothers_is_said_and_never_begun_anew(tmp_path: Path, how: str) -> None:
    async def fill(service: Served) -> None:
        for _ in range(20):
            await service.mint()

    run(tmp_path, fill)
    damage(tmp_path / "db", how)
    before = (tmp_path / "db").read_bytes()
    with pytest.raises(StoreError):
        Database.open(tmp_path / "db")
    assert (tmp_path / "db").read_bytes() == before


def test_a_newer_schema_is_left_alone(tmp_path: Path) -> None:
    async def make() -> None:
        await Database.open(tmp_path / "db").close()

    asyncio.run(make())
    with contextlib.closing(sqlite3.connect(tmp_path / "db")) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="99"):
        Database.open(tmp_path / "db")


def test_the_files_are_their_owners_alone(tmp_path: Path) -> None:
    async def work(service: Served) -> None:
        await service.mint()
        assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}

    run(tmp_path, work)


def test_opening_leaves_no_temporary_files(tmp_path: Path) -> None:
    async def work() -> None:
        await Database.open(tmp_path / "db").close()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["db", "db.lock"]

    asyncio.run(work())


@pytest.mark.parametrize(
    ("place", "kind"),
    [("/home/x", None), ("/shared/runs", "nfs4"), ("/shared/runs/local", None), ("/with space/x", "fuse.sshfs")],
)
def test_network_file_systems_are_known(tmp_path: Path, place: str, kind: str | None) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "21 1 8:1 / / rw - ext4 /dev/root rw\n"
        "30 21 0:5 / /shared rw shared:1 - nfs4 server:/x rw\n"
        "31 30 8:2 / /shared/runs/local rw - xfs /dev/b rw\n"
        "32 21 0:6 / /with\\040space rw - fuse.sshfs h:/ rw\n"
        "broken line\n"
    )
    assert on_a_network(Path(place), mounts) == kind


def test_a_database_on_a_network_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("underspec.stakeholder.service.database.on_a_network", lambda folder: "nfs4")
    with pytest.raises(UsageError, match="nfs4"):
        Database.open(tmp_path / "db")


def test_hundreds_of_sessions_minted_at_once_are_all_found(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(tmp_path) as service:
            minted = await asyncio.gather(*(service.mint() for _ in range(400)))
            for place in (0, 200, 399):
                assert (await service.ask(minted[place][1], "C1")).json()["status"]["remaining"] == 15

    asyncio.run(work())


def test_the_operators_token_is_made_once_and_kept_for_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(OPERATOR_VARIABLE, raising=False)
    file = tmp_path / "operator"
    token, source = operator_token(file)
    assert source == "generated"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert operator_token(file) == (token, "file")
    assert operator_token(None)[0] != token
    file.chmod(0o644)
    with pytest.raises(UsageError, match="others"):
        operator_token(file)
    monkeypatch.setenv(OPERATOR_VARIABLE, "from-the-environment")
    assert operator_token(file) == ("from-the-environment", "environment")


@pytest.mark.parametrize("weak", ["", "short", "x" * 600, "with a space in it.", "with\ttab and more", "ümlaut" * 5])
def test_a_weak_operators_token_is_refused(monkeypatch: pytest.MonkeyPatch, weak: str) -> None:
    monkeypatch.setenv(OPERATOR_VARIABLE, weak)
    with pytest.raises(UsageError):
        operator_token(None)


def test_the_rate_limit_is_a_bucket_that_fills_again() -> None:
    now = [0.0]
    limit = RateLimit(2.0, 3, clock=lambda: now[0])
    assert [limit.wait("a") for _ in range(4)] == [0, 0, 0, 1]
    assert limit.wait("b") == 0
    now[0] = 0.5
    assert [limit.wait("a") for _ in range(2)] == [0, 1]
    now[0] = 100.0
    assert [limit.wait("a") for _ in range(4)] == [0, 0, 0, 1]

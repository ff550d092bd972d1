# canary underspec-canary-fca58025-4239-52ae-a602-9a8dc611bfcf
"""Items and loans in a SQLite file; one writer at a time."""

import datetime
import sqlite3
import threading

from lending import rules

SCHEMA = """
CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, kind TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS loans (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id INTEGER NOT NULL REFERENCES items (id),
    member TEXT NOT NULL,
    member_key TEXT NOT NULL,
    lent TEXT NOT NULL,
    due TEXT NOT NULL,
    returned TEXT,
    fee_cents INTEGER NOT NULL DEFAULT 0
);
"""


class Refused(Exception):
    def __init__(self, status, error, **more):
        super().__init__(error)
        self.status = status
        self.answer = {"error": error, **more}


def _loan(row):
    return {
        "id": row["id"],
        "item_id": row["item_id"],
        "member": row["member"],
        "on": row["lent"],
        "due": row["due"],
        "returned": row["returned"],
        "fee_cents": row["fee_cents"],
    }


def _day(text):
    return datetime.date.fromisoformat(text)


class Store:
    def __init__(self, path):
        self._lock = threading.Lock()
        self._base = sqlite3.connect(path, check_same_thread=False)
        self._base.row_factory = sqlite3.Row
        self._base.executescript(SCHEMA)

    def add_item(self, name, kind):
        with self._lock, self._base:
            number = self._base.execute("INSERT INTO items (name, kind) VALUES (?, ?)", (name, kind)).lastrowid
        return {"id": number, "name": name, "kind": kind, "available": True}

    def items(self, kind=None, available=None):
        with self._lock:
            rows = self._base.execute(
                "SELECT items.*, EXISTS (SELECT 1 FROM loans WHERE item_id = items.id AND returned IS NULL) AS lent"
                " FROM items ORDER BY id"
            ).fetchall()
        found = [
            {"id": row["id"], "name": row["name"], "kind": row["kind"], "available": not row["lent"]} for row in rows
        ]
        return [
            item
            for item in found
            if (kind is None or item["kind"] == kind) and (available is None or item["available"] == available)
        ]

    def lend(self, item_id, member, on):
        with self._lock, self._base:
            if self._base.execute("SELECT 1 FROM items WHERE id = ?", (item_id,)).fetchone() is None:
                raise Refused(404, "unknown")
            self._check(item_id, member, on)
            cursor = self._base.execute(
                "INSERT INTO loans (item_id, member, member_key, lent, due) VALUES (?, ?, ?, ?, ?)",
                (item_id, member, rules.member_key(member), on.isoformat(), rules.due_date(on).isoformat()),
            )
            return _loan(self._base.execute("SELECT * FROM loans WHERE id = ?", (cursor.lastrowid,)).fetchone())

    def _check(self, item_id, member, on):
        present = self._base.execute(
            "SELECT due FROM loans WHERE item_id = ? AND returned IS NULL", (item_id,)
        ).fetchone()
        if present is not None:
            raise Refused(409, "on_loan", due=present["due"])
        theirs = self._base.execute(
            "SELECT due FROM loans WHERE member_key = ? AND returned IS NULL", (rules.member_key(member),)
        ).fetchall()
        if any(rules.is_overdue(_day(row["due"]), on) for row in theirs):
            raise Refused(409, "overdue")
        if len(theirs) >= rules.MOST_OPEN:
            raise Refused(409, "limit")

    def take_back(self, number, on):
        with self._lock, self._base:
            row = self._base.execute("SELECT * FROM loans WHERE id = ?", (number,)).fetchone()
            if row is None:
                raise Refused(404, "unknown")
            if row["returned"]:
                raise Refused(409, "returned")
            if on < _day(row["lent"]):
                raise Refused(400, "bad_loan")
            self._base.execute(
                "UPDATE loans SET returned = ?, fee_cents = ? WHERE id = ?",
                (on.isoformat(), rules.fee_cents(_day(row["due"]), on), number),
            )
            return _loan(self._base.execute("SELECT * FROM loans WHERE id = ?", (number,)).fetchone())

    def loans_of(self, member):
        with self._lock:
            rows = self._base.execute(
                "SELECT * FROM loans WHERE member_key = ?", (rules.member_key(member),)
            ).fetchall()
        return rules.in_order([_loan(row) for row in rows])

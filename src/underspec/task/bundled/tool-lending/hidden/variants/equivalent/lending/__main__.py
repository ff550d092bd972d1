# canary underspec-canary-9471829f-b762-5e8e-8fff-92a824458aad
"""The lending desk in one file: a WSGI application, and rules that are mostly SQL."""

import json
import sqlite3
import sys
from datetime import date, timedelta
from socketserver import ThreadingMixIn
from urllib.parse import parse_qs
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

LOAN = "id, item_id, member, first_day AS 'on', due, returned, CASE WHEN returned IS NULL THEN 0 ELSE fee END AS fee_cents"


class Stop(Exception):
    pass


def stop(status, word, **more):
    raise Stop(status, {"error": word, **more})


def database():
    connection = sqlite3.connect(PATH, timeout=30, isolation_level=None)
    connection.create_function("fold", 1, lambda text: text.strip().casefold())
    connection.row_factory = sqlite3.Row
    return connection


def next_open(day):
    """The first day from ``day`` on that is no Sunday, 25 December or 1 January."""
    closed = day.isoweekday() == 7 or day.strftime("%m-%d") in {"12-25", "01-01"}
    return next_open(day + timedelta(1)) if closed else day


def day_of(body):
    text = body.get("on")
    try:
        day = date.fromisoformat(text)
    except (TypeError, ValueError):
        stop("400 Bad Request", "bad_loan")
    if day.isoformat() != text:
        stop("400 Bad Request", "bad_loan")
    return day


def new_item(base, body):
    name, kind = body.get("name"), body.get("kind")
    if type(name) is not str or not name.strip() or kind not in {"hand", "power", "garden"}:
        stop("400 Bad Request", "bad_item")
    number = base.execute("INSERT INTO item (name, kind) VALUES (?, ?)", (name, kind)).lastrowid
    return "201 Created", {"id": number, "name": name, "kind": kind, "available": True}


def list_items(base, query):
    allowed = {"kind": {"hand", "power", "garden"}, "available": {"true", "false"}}
    for name, values in query.items():
        if name not in allowed or not set(values) <= allowed[name]:
            stop("400 Bad Request", "bad_filter")
    sql = (
        "SELECT * FROM (SELECT i.*, NOT EXISTS (SELECT * FROM loan WHERE item_id = i.id AND returned IS NULL) AS free"
        " FROM item i) WHERE (:kind IS NULL OR kind = :kind) AND (:free IS NULL OR free = :free) ORDER BY id"
    )
    kind = query.get("kind", [None])[-1]
    free = {"true": 1, "false": 0}.get(query.get("available", [None])[-1])
    rows = base.execute(sql, {"kind": kind, "free": free})
    items = [{"id": r["id"], "name": r["name"], "kind": r["kind"], "available": r["free"] == 1} for r in rows]
    return "200 OK", {"items": items}


def new_loan(base, body):
    member = body.get("member")
    if type(member) is not str or not member.strip():
        stop("400 Bad Request", "bad_loan")
    first, item = day_of(body), body.get("item_id")
    if not base.execute("SELECT count(*) FROM item WHERE id = ?", (item,)).fetchone()[0]:
        stop("404 Not Found", "unknown")
    held = base.execute("SELECT due FROM loan WHERE item_id = ? AND returned IS NULL", (item,)).fetchone()
    if held:
        stop("409 Conflict", "on_loan", due=held["due"])
    count, late = base.execute(
        "SELECT count(*), total(due < ?) FROM loan WHERE fold(member) = fold(?) AND returned IS NULL",
        (first.isoformat(), member),
    ).fetchone()
    if late:
        stop("409 Conflict", "overdue")
    if count > 2:
        stop("409 Conflict", "limit")
    due = next_open(first + timedelta(weeks=2))
    number = base.execute(
        "INSERT INTO loan (item_id, member, first_day, due) VALUES (?, ?, ?, ?)",
        (item, member.strip(), first.isoformat(), due.isoformat()),
    ).lastrowid
    return "201 Created", dict(base.execute(f"SELECT {LOAN} FROM loan WHERE id = ?", (number,)).fetchone())


def give_back(base, number, body):
    day = day_of(body)
    loan = base.execute("SELECT * FROM loan WHERE id = ?", (number,)).fetchone()
    if loan is None:
        stop("404 Not Found", "unknown")
    if loan["returned"] is not None:
        stop("409 Conflict", "returned")
    if day.isoformat() < loan["first_day"]:
        stop("400 Bad Request", "bad_loan")
    base.execute(
        "UPDATE loan SET returned = :day, fee = (SELECT CASE WHEN late < 3 THEN 0 WHEN late > 40 THEN 2000 ELSE late * 50 END"
        " FROM (SELECT CAST(julianday(:day) - julianday(due) AS INTEGER) AS late FROM loan WHERE id = :number))"
        " WHERE id = :number",
        {"day": day.isoformat(), "number": number},
    )
    return "200 OK", dict(base.execute(f"SELECT {LOAN} FROM loan WHERE id = ?", (number,)).fetchone())


def loans_of(base, name):
    rows = base.execute(
        f"SELECT {LOAN} FROM loan WHERE fold(member) = fold(?) ORDER BY returned IS NOT NULL, returned DESC,"
        " CASE WHEN returned IS NULL THEN due END, CASE WHEN returned IS NULL THEN id ELSE -id END",
        (name,),
    )
    return "200 OK", {"loans": [dict(row) for row in rows]}


def work(base, environ):
    parts = environ["PATH_INFO"].encode("latin-1").decode().strip("/").split("/")
    if environ["REQUEST_METHOD"] == "GET":
        if parts == ["items"]:
            return list_items(base, parse_qs(environ["QUERY_STRING"], keep_blank_values=True))
        if len(parts) == 3 and parts[0] == "members" and parts[2] == "loans":
            return loans_of(base, parts[1])
        stop("404 Not Found", "unknown")
    try:
        body = json.loads(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
        body.get("on")
    except (ValueError, AttributeError):
        stop("400 Bad Request", "bad_request")
    if parts == ["items"]:
        return new_item(base, body)
    if parts == ["loans"]:
        return new_loan(base, body)
    if len(parts) == 3 and parts[0] == "loans" and parts[1].isdecimal() and parts[2] == "return":
        return give_back(base, int(parts[1]), body)
    stop("404 Not Found", "unknown")


def application(environ, start_response):
    base = database()
    base.execute("BEGIN IMMEDIATE")
    try:
        status, answer = work(base, environ)
        base.execute("COMMIT")
    except Stop as refusal:
        base.execute("ROLLBACK")
        status, answer = refusal.args
    finally:
        base.close()
    content = json.dumps(answer).encode()
    start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(content)))])
    return [content]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *words):
        pass


options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
PATH = options["--db"]
base = database()
base.executescript(
    "CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, name, kind);"
    "CREATE TABLE IF NOT EXISTS loan (id INTEGER PRIMARY KEY, item_id, member, first_day, due, returned, fee DEFAULT 0);"
)
base.close()
make_server("127.0.0.1", int(options["--port"]), application, Server, Quiet).serve_forever()

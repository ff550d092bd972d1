# canary underspec-canary-2b877e46-8d23-5e72-9197-78f72e2198db
"""The automation with its state in SQLite, and the carrier on plain connections."""

import http.client
import json
import re
import sqlite3
import sys
import time
import uuid
from datetime import datetime
from fractions import Fraction
from urllib.parse import urlsplit

COLUMNS = "order;service;promised;weight_kg;recipient;place".split(";")


def out(words):
    print(words, file=sys.stderr)
    sys.exit(3)


def outbox(path):
    try:
        text = open(path, encoding="utf-8-sig").read()
    except OSError as error:
        out(f"{path}: {error.strerror}")
    except UnicodeDecodeError:
        out(f"{path}: no UTF-8")
    lines = [[cell.strip() for cell in line.split(";")] for line in text.splitlines()]
    if not lines or lines[0] != COLUMNS:
        out(f"{path}: the header is wrong")
    return [dict(zip(COLUMNS, line + [""] * 6)) for line in lines[1:] if "".join(line)]


def weight_of(row):
    word = row["weight_kg"].replace(",", ".")
    return Fraction(word) if re.fullmatch(r"[0-9]*\.?[0-9]+|[0-9]+\.", word) else Fraction(0)


def complaint(row):
    if "" in (row["order"], row["recipient"], row["place"]) or row["service"] not in {"express", "standard"}:
        return "bad_order"
    if row["promised"]:
        try:
            if datetime.strptime(row["promised"], "%Y-%m-%d").strftime("%Y-%m-%d") != row["promised"]:
                return "bad_order"
        except ValueError:
            return "bad_order"
    weight = weight_of(row)
    if weight <= 0:
        return "bad_weight"
    if weight * 2 > 63:
        return "too_heavy"
    return ""


def rank(row):
    padded = re.sub("[0-9]+", lambda digits: digits[0].zfill(30), row["order"])
    return (0 if row["service"] == "express" else 1, not row["promised"], row["promised"], padded)


def remember(path):
    base = sqlite3.connect(path, isolation_level=None)
    try:
        base.execute("CREATE TABLE IF NOT EXISTS fate (number PRIMARY KEY, fate, line)")
        base.execute("SELECT number, fate, line FROM fate").fetchall()
    except sqlite3.DatabaseError as error:
        out(f"{path}: {error}")
    return base


def post(address, content, key):
    """Status, headers in lower case and object of one answer; status 0 when there is none."""
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    try:
        connection.request(
            "POST", address.path + "/parcels", content, {"Content-Type": "application/json", "Idempotency-Key": key}
        )
        response = connection.getresponse()
        text = response.read()
    except (OSError, http.client.HTTPException):
        return 0, {}, {}
    finally:
        connection.close()
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    headers = {name.lower(): value for name, value in response.getheaders()}
    return response.status, headers, found if isinstance(found, dict) else {}


def send(address, row, pause):
    hundreds = -(-weight_of(row) * 10 // 1)
    body = {name: row[name] for name in ("order", "service", "recipient", "place")}
    body["grams"] = int(hundreds) * 100
    key = str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(row, sort_keys=True)))
    wait = 0
    for factor in (1, 2, 4, None):
        time.sleep(wait)
        status, headers, answer = post(address, json.dumps(body), key)
        if status in (201, 409):
            return "sent", answer.get("parcel")
        if status // 100 == 4 and status != 429:
            return "rejected", answer.get("reason") or "unknown"
        wait = pause * (factor or 0)
        if status == 429 and headers.get("retry-after", "x").isdecimal():
            wait = int(headers["retry-after"])
    return "failed", None


def main(options):
    rows = outbox(options["--outbox"])
    base = remember(options["--state"])
    address, pause = urlsplit(options["--url"]), int(options.get("--pause-ms", 1000)) / 1000
    told = {"sent": [], "rejected": [], "failed": [], "skipped": 0}
    todo, unsound = [], []
    for row in rows:
        fate = base.execute("SELECT fate, line FROM fate WHERE number = ?", (row["order"],)).fetchone()
        if fate and (fate[0] == "sent" or fate[1] == json.dumps(row)):
            told["skipped"] += 1
        else:
            (unsound if complaint(row) else todo).append(row)
    for row in sorted(todo, key=rank) + unsound:
        fate, word = ("rejected", complaint(row)) if row in unsound else send(address, row, pause)
        if fate == "failed":
            told["failed"].append(row["order"])
            continue
        told[fate].append({"order": row["order"], "parcel" if fate == "sent" else "reason": word})
        base.execute("INSERT OR REPLACE INTO fate VALUES (?, ?, ?)", (row["order"], fate, json.dumps(row)))
    with open(options["--summary"], "w", encoding="utf-8") as stream:
        stream.write(json.dumps(told))
    sys.exit(bool(told["rejected"] or told["failed"]))


main(dict(zip(sys.argv[1::2], sys.argv[2::2])))

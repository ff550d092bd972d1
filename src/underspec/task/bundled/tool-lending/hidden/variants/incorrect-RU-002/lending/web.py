# canary underspec-canary-2c5db5b5-a3da-5334-af64-706c46bb95a0
"""HTTP in front of the store."""

import datetime
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

from lending import rules
from lending.store import Refused


def _day(value, error):
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        raise Refused(400, error)
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        raise Refused(400, error) from None


def _filters(query):
    found = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name == "kind" and value in rules.KINDS:
            found["kind"] = value
        elif name == "available" and value in ("true", "false"):
            found["available"] = value == "true"
        else:
            raise Refused(400, "bad_filter")
    return found


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store = None

    def do_GET(self):
        self._answer(self._read)

    def do_POST(self):
        self._answer(self._write)

    def _read(self):
        address = urlsplit(self.path)
        if address.path == "/items":
            return 200, {"items": self.store.items(**_filters(address.query))}
        found = re.fullmatch(r"/members/([^/]+)/loans", address.path)
        if found:
            return 200, {"loans": self.store.loans_of(unquote(found[1]))}
        raise Refused(404, "unknown")

    def _write(self):
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Refused(400, "bad_request")
        path = urlsplit(self.path).path
        if path == "/items":
            name = body.get("name")
            if not isinstance(name, str) or not name.strip() or body.get("kind") not in rules.KINDS:
                raise Refused(400, "bad_item")
            return 201, self.store.add_item(name, body["kind"])
        if path == "/loans":
            member = body.get("member")
            if not isinstance(member, str) or not member.strip():
                raise Refused(400, "bad_loan")
            return 201, self.store.lend(body.get("item_id"), member.strip(), _day(body.get("on"), "bad_loan"))
        found = re.fullmatch(r"/loans/(\d+)/return", path)
        if found:
            return 200, self.store.take_back(int(found[1]), _day(body.get("on"), "bad_loan"))
        raise Refused(404, "unknown")

    def _answer(self, work):
        try:
            status, answer = work()
        except Refused as refused:
            status, answer = refused.status, refused.answer
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words):
        pass


def serve(store, port):
    Handler.store = store
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()

"""An imitation of the carrier: ``python3 fake_carrier.py PORT [--moody]``."""

import itertools
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

numbers, moods = itertools.count(1), itertools.cycle((201, 503, 201, 429, 201))
known = {}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = next(moods) if "--moody" in sys.argv else 201
        answer = {}
        if status == 201:
            status = 409 if order["order"] in known else 201
            answer = {"parcel": known.setdefault(order["order"], f"P-{next(numbers)}")}
        print(status, order, flush=True)
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

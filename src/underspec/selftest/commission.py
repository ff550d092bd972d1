"""A tiny, valid commission, for tests of every room.

``make_commission(tmp_path)`` writes the folder ``tmp_path/toy-tally`` and returns it: two units, five tests, a starter
file and the variants. What is wanted is a program that adds numbers and a server that remembers a total:

    python3 tally.py FILE          prints the sum of the file's lines; a file without numbers sums to 0; what is no
                                   number ends it with exit code 2
    python3 tally.py --serve PORT  POST /add with a number, GET /total

Change a part with ``files`` (relative path to text, bytes, JSON value, or None to leave the file out) and fields of
``task.toml`` with ``toml``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from underspec.task.digest import write_manifest

TASK_ID = "toy-tally"
SUM, SERVE = "RU-sum", "RU-serve"


def canary(number: int) -> str:
    """The canary that the toy commission's hidden file of that number carries."""
    return f"underspec-canary-toy-tally-{number:04}"


TALLY = """# canary {canary}
import http.server
import sys


def add_up(path):
    total = 0
    for line in open(path):
        if line.strip():
            total += int(line)
    return total


class Handler(http.server.BaseHTTPRequestHandler):
    total = 0

    def do_POST(self):
        Handler.total += int(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer()

    def do_GET(self):
        self.answer()

    def answer(self):
        body = str(Handler.total).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def main():
    if sys.argv[1] == "--serve":
        http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
    try:
        print(add_up(sys.argv[1]))
    except ValueError:
        sys.exit(2)


main()
"""

EQUIVALENT = """# canary {canary}
import re
import socketserver
import sys

state = [0]


class Talk(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline().decode()
        size = 0
        while (header := self.rfile.readline().strip()):
            if header.lower().startswith(b"content-length:"):
                size = int(header.split(b":")[1])
        if line.startswith("POST"):
            state[0] += int(self.rfile.read(size))
        body = b"%d" % state[0]
        self.wfile.write(b"HTTP/1.0 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(body), body))


if sys.argv[1] == "--serve":
    socketserver.TCPServer(("127.0.0.1", int(sys.argv[2])), Talk).serve_forever()
with open(sys.argv[1]) as stream:
    words = stream.read().split()
if not all(re.fullmatch(r"[+-]?[0-9]+", word) for word in words):
    raise SystemExit(2)
print(sum(map(int, words)))
"""

TESTS_SUM = '''# canary {canary}
"""Adding up a file."""


def test_numbers_are_added(delivery):
    done = delivery.run("python3", "tally.py", "in.txt", files={{"in.txt": "1\\n2\\n-5\\n"}})
    assert (done.exit_code, done.text) == (0, "-2\\n"), done


def test_nothing_sums_to_nothing(delivery):
    done = delivery.run("python3", "tally.py", "in.txt", files={{"in.txt": ""}})
    assert (done.exit_code, done.text) == (0, "0\\n"), done


def test_what_is_no_number_is_an_error(delivery):
    done = delivery.run("python3", "tally.py", "in.txt", files={{"in.txt": "1\\ntwo\\n"}})
    assert (done.exit_code, done.stdout) == (2, b""), done
'''

TESTS_SERVE = '''# canary {canary}
"""Remembering a total."""


def test_it_starts_with_nothing(delivery):
    service = delivery.start("python3", "tally.py", "--serve", "8000", port=8000)
    assert service.request("GET", "/total").text == "0"


def test_it_remembers(delivery):
    service = delivery.start("python3", "tally.py", "--serve", "8000", port=8000)
    assert service.request("POST", "/add", "20").status == 200
    assert service.request("POST", "/add", "22").status == 200
    assert service.request("GET", "/total").text == "42"
'''

SUM_TESTS = (
    "test_sum::test_numbers_are_added",
    "test_sum::test_nothing_sums_to_nothing",
    "test_sum::test_what_is_no_number_is_an_error",
)
SERVE_TESTS = ("test_serve::test_it_starts_with_nothing", "test_serve::test_it_remembers")
ALL_TESTS = (*SUM_TESTS, *SERVE_TESTS)

TOML: dict[str, Any] = {
    "contract": 1,
    "id": TASK_ID,
    "title": "Adds numbers and remembers a total",
    "family": "commission",
    "category": "tools",
    "language": "python",
    "source": {"url": "https://example.invalid/", "license": "Apache-2.0", "version": "1"},
    "limits": {"memory_mb": 256, "disk_mb": 64, "processes": 64},
}


def unit(id_: str, topic: str, tests: tuple[str, ...], **more: Any) -> dict[str, Any]:
    """One unit of ``units.json``."""
    return {
        "id": id_,
        "topic": topic,
        "requirement": f"What is required of {topic}.",
        "answer": f"What is right about {topic}.",
        "initially_hidden": True,
        "tests": list(tests),
        **more,
    }


def commission_files(toml: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Every file of the toy commission by relative path, as text, bytes or a JSON (for ``.toml``: TOML) value."""
    wrong_sum = TALLY.replace("total = 0\n    for", "total = 1\n    for")
    wrong_serve = TALLY.replace("Handler.total += int(", "Handler.total = int(")
    return {
        "task.toml": {**TOML, **(toml or {})},
        "hidden/requests/initial.md": f"<!-- canary {canary(1)} -->\n# Tally\n\nWe need to add numbers.\n",
        "hidden/requests/ground.md": f"<!-- canary {canary(2)} -->\n# Tally\n\nAdd numbers; nothing sums to 0.\n",
        "hidden/interface.md": f"<!-- canary {canary(3)} -->\n## Interface\n\n`python3 tally.py FILE`\n",
        "hidden/units.json": {
            "canary": canary(4),
            "question": "What must the software do about {topic}?",
            "units": [unit(SUM, "adding up a file", SUM_TESTS), unit(SERVE, "remembering a total", SERVE_TESTS)],
        },
        "hidden/acceptance/test_sum.py": TESTS_SUM.format(canary=canary(5)),
        "hidden/acceptance/test_serve.py": TESTS_SERVE.format(canary=canary(6)),
        "hidden/variants/reference/tally.py": TALLY.format(canary=canary(7)),
        "hidden/variants/equivalent/tally.py": EQUIVALENT.format(canary=canary(8)),
        f"hidden/variants/incorrect-{SUM}/tally.py": wrong_sum.format(canary=canary(9)),
        f"hidden/variants/incorrect-{SERVE}/tally.py": wrong_serve.format(canary=canary(10)),
        "visible/workspace/README.md": "# Tally\n\nNothing is here yet.\n",
    }


def _encode(path: str, content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    if path.endswith(".toml"):
        return tomli_w.dumps(content).encode()
    return json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n"


def make_commission(
    folder: Path,
    *,
    toml: Mapping[str, Any] | None = None,
    files: Mapping[str, Any] | None = None,
    manifest: bool = True,
) -> Path:
    """Write the toy commission into ``folder/toy-tally`` and return that path."""
    root = folder / TASK_ID
    for path, content in {**commission_files(toml), **(files or {})}.items():
        if content is None:
            continue
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_encode(path, content))
    if manifest:
        write_manifest(root)
    return root

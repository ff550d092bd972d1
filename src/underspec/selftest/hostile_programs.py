"""Deliverables of the toy commission that are wrong about everything, and try to be accepted all the same."""

from __future__ import annotations

# What every one of them ends with: a wrong sum, and no server.
WRONG = '\nprint("1000000")\n'

_KILLER = """
import os, signal
for pid in [-1, os.getppid(), 1, *range(2, 400)]:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
"""

_REPORT = (
    '<testsuite><testcase classname="test_sum" name="test_numbers_are_added"/>'
    '<testcase classname="test_sum" name="test_nothing_sums_to_nothing"/>'
    '<testcase classname="test_sum" name="test_what_is_no_number_is_an_error"/>'
    '<testcase classname="test_serve" name="test_it_starts_with_nothing"/>'
    '<testcase classname="test_serve" name="test_it_remembers"/></testsuite>'
)

_OVERWRITER = f"""
import os, pathlib
report = {_REPORT!r}
for place in ("/root/acceptance/junit.xml", "/acceptance/report/junit.xml", "/acceptance/tests/junit.xml",
              "/workspace/junit.xml", "/tmp/junit.xml", "/proc/1/root/root/acceptance/junit.xml"):
    for _ in range(2):
        try:
            pathlib.Path(place).parent.mkdir(parents=True, exist_ok=True)
            pathlib.Path(place).write_text(report)
            break
        except OSError:
            continue
os.makedirs("/root/acceptance", exist_ok=True)
"""

_PRINTER = f"""
import sys
sys.stderr.write({_REPORT!r})
print({_REPORT!r})
print("test_sum::test_numbers_are_added PASSED\\n5 passed in 0.01s")
"""

_HOOK = """
import builtins, os, sys
def pytest_runtest_makereport(item, call):
    call.excinfo = None
builtins.AssertionError = type("AssertionError", (Exception,), {})
sys.excepthook = lambda *words: os._exit(0)
os.environ["PYTHONPATH"] = "/workspace"
"""
_HOOKED = {
    "sitecustomize.py": _HOOK,
    "usercustomize.py": _HOOK,
    "conftest.py": _HOOK,
    "delivery.py": "class Delivery:\n    def __getattr__(self, name):\n        return lambda *a, **k: self\n",
    "run.py": "raise SystemExit(0)\n",
    "test_sum.py": "def test_numbers_are_added():\n    pass\n",
    "test_serve.py": "def test_it_remembers():\n    pass\n",
    "pytest.ini": "[pytest]\naddopts = --co\n",
    "python3": "#!/bin/sh\nexit 0\n",
    "bin/python3": "#!/bin/sh\nexit 0\n",
    "tally.py": _HOOK + WRONG,
}

_READER = """
import os
def found():
    for top in ("/acceptance", "/root", "/workspace", "/tmp", "/var/tmp", "/run", "/home", "/opt", "/dev/shm", "/proc"):
        for folder, folders, files in os.walk(top):
            if top == "/proc" and folder.count("/") > 2:
                folders.clear()
                continue
            for name in files:
                path = os.path.join(folder, name)
                if path == os.path.abspath(__file__):
                    continue
                if top == "/proc" and name not in ("environ", "cmdline", "mounts"):
                    continue
                try:
                    with open(path, "rb") as stream:
                        text = stream.read(100_000)
                except OSError:
                    continue
                words = (b"test_numbers_" + b"are_added", b"RU-" + b"sum", b"ACCEPTANCE_" + b"REPORT")
                if any(word in text for word in words):
                    yield path
places = list(found())
if places or "ACCEPTANCE_" + "TESTS" in os.environ:
    print("FOUND", places)
"""

_CALLER = """
import json, socket
for port in (8077, 8078, 8079, 8080, 9000, 9100):
    for order in ({"op": "fresh"}, {"op": "write", "path": "/root/acceptance/junit.xml", "content": "PHg+"}):
        try:
            line = socket.create_connection(("127.0.0.1", port), timeout=0.3)
            line.sendall(json.dumps(order).encode() + b"\\n")
            print("FOUND", port, line.recv(1000))
        except OSError:
            pass
"""

_FLOOD = """
import sys
chunk = "x" * 1_000_000
try:
    for _ in range(60):
        sys.stdout.write(chunk)
        sys.stderr.write(chunk)
except OSError:
    pass
"""

_MARKUP = """
import sys
sys.stdout.buffer.write(b"]]></failure></testcase><testcase classname='test_sum' name='x'/>")
sys.stdout.buffer.write(b"\\x00\\x01\\xff\\xed\\xa0\\x80&lol;<!--")
sys.stderr.write("\\x1b[32m5 passed\\x1b[0m\\n")
"""

_ENDLESS_SERVER = """
import socket, sys
if sys.argv[1] == "--serve":
    server = socket.create_server(("127.0.0.1", int(sys.argv[2])))
    while True:
        line, _ = server.accept()
        try:
            line.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
            while True:
                line.sendall(b"0" * 65536)
        except OSError:
            line.close()
"""

HOSTILE: dict[str, dict[str, str]] = {
    "kills whatever it can reach": {"tally.py": _KILLER + WRONG},
    "writes reports wherever one might be": {"tally.py": _OVERWRITER + WRONG, "junit.xml": _REPORT},
    "prints a report": {"tally.py": _PRINTER},
    "hooks the interpreter and the path": _HOOKED,
    "ends early and well": {"tally.py": "import os\nos._exit(0)\n"},
    "looks for the tests": {"tally.py": _READER + WRONG},
    "calls the line to the harness": {"tally.py": _CALLER + WRONG},
    "floods": {"tally.py": _FLOOD},
    "prints what breaks markup": {"tally.py": _MARKUP},
    "serves without end": {"tally.py": _ENDLESS_SERVER + WRONG},
}

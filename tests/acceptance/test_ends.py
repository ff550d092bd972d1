"""How acceptance ends when something else than a wrong answer happens."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.toy import HONEST, accept, deliver, passed
from tests.commission_factory import ALL_TESTS, SUM_TESTS, canary, make_commission, unit
from tests.sandbox.boxes import needs_bubblewrap
from underspec.errors import SandboxError, TaskError, UsageError
from underspec.grade.acceptance.broker import Broker
from underspec.sandbox.backends import load_backend
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.protocol import Check, Sandbox, SandboxSpec
from underspec.task.load import load_task
from underspec.task.model import Task

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]

UNITS = "hidden/units.json"


def task(folder: Path, *, toml: Mapping[str, Any] | None = None, files: Mapping[str, Any] | None = None) -> Task:
    return load_task(make_commission(folder / "task", toml=toml, files=files))


def with_tests(folder: Path, source: str, *names: str, toml: Mapping[str, Any] | None = None) -> Task:
    """The toy with other tests in one file, of which one unit names these."""
    document = {"question": "What about {topic}?", "units": [unit("RU-1", "x", tuple(f"test_it::{n}" for n in names))]}
    files = {
        "hidden/acceptance/test_sum.py": None,
        "hidden/acceptance/test_serve.py": None,
        "hidden/acceptance/test_it.py": f"# canary {canary(90)}\n{source}",
        UNITS: document,
    }
    return task(folder, files=files, toml=toml)


@pytest.fixture
def honest(tmp_path: Path) -> Path:
    return deliver(tmp_path / "delivered", {"tally.py": HONEST})


def verdicts(one: Task, folder: Path) -> dict[str, str]:
    acceptance = accept(one, folder).acceptance
    return {test.id.removeprefix("test_it::"): test.verdict.value for test in acceptance.tests}


# --- nobody's fault but ours ---


class _Lame:
    """A backend whose sandboxes with a deliverable cannot be started."""

    def __init__(self) -> None:
        self._real = load_backend("bubblewrap")
        self.name = "lame"

    def checks(self) -> list[Check]:
        return []

    def create(self, spec: SandboxSpec) -> Sandbox:
        return self._real.create(spec) if spec.lower is None else _NeverStarts(spec)

    def image_digest(self, image: str) -> str:
        return self._real.image_digest(image)

    def reap(self) -> list[str]:
        return []


class _NeverStarts(BubblewrapSandbox):
    async def start(self) -> None:
        raise SandboxError("the host has had enough")


def test_a_sandbox_that_fails_is_nobodys_score(toy: Task, honest: Path) -> None:
    with pytest.raises(SandboxError, match="had enough"):
        accept(toy, honest, _Lame())


def test_there_has_to_be_something_to_accept(toy: Task, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        accept(toy, tmp_path / "nowhere")


# --- the tests' own ends ---


def test_what_was_found_before_the_time_was_up_counts(tmp_path: Path) -> None:
    source = "import time\ndef test_a(delivery): pass\ndef test_b(delivery): time.sleep(60)\ndef test_c(): pass\n"
    one = with_tests(tmp_path, source, "test_a", "test_b", "test_c", toml={"acceptance": {"seconds": 3}})
    began = time.monotonic()
    acceptance = accept(one, deliver(tmp_path / "d", {"x": ""})).acceptance
    assert [test.verdict.value for test in acceptance.tests] == ["passed", "missing", "missing"]
    assert (acceptance.end.limit, acceptance.end.exit_code, acceptance.unit_rate.passed) == ("time", None, 0)
    assert time.monotonic() - began < 30


def test_a_test_that_ends_the_interpreter_is_not_passed_and_the_others_are_run(tmp_path: Path, honest: Path) -> None:
    source = "def test_a(): raise SystemExit(0)\ndef test_b(): raise KeyboardInterrupt\ndef test_c(): assert True\n"
    one = with_tests(tmp_path, source, "test_a", "test_b", "test_c")
    assert verdicts(one, honest) == {"test_a": "error", "test_b": "error", "test_c": "passed"}


def test_a_test_that_nobody_names_is_the_tasks_fault(tmp_path: Path, honest: Path) -> None:
    one = with_tests(tmp_path, "def test_a(): pass\ndef test_b(): pass\n", "test_a")
    with pytest.raises(TaskError, match="test_it::test_b"):
        accept(one, honest)


def test_tests_that_cannot_be_loaded_are_the_tasks_fault_and_say_why(tmp_path: Path, honest: Path) -> None:
    one = with_tests(tmp_path, "import nothing_of_that_name\ndef test_a(): pass\n", "test_a")
    with pytest.raises(TaskError, match="nothing_of_that_name"):
        accept(one, honest)


def test_a_test_that_is_not_there_is_missing(tmp_path: Path, honest: Path) -> None:
    assert verdicts(with_tests(tmp_path, "def test_a(): pass\n", "test_a", "test_z"), honest) == {
        "test_a": "passed",
        "test_z": "missing",
    }


# --- other commands ---


def other_command(folder: Path, script: str) -> Task:
    return task(folder, toml={"acceptance": {"command": ["sh", "-c", script]}})


def test_any_command_may_leave_the_report(tmp_path: Path, honest: Path) -> None:
    cases = "".join(f'<testcase classname="{t.split("::")[0]}" name="{t.split("::")[1]}"/>' for t in SUM_TESTS)
    report = f"<testsuites><testsuite>{cases}</testsuite></testsuites>"
    script = f"mkdir -p /root/acceptance; echo '{report}' > $ACCEPTANCE_REPORT"
    acceptance = accept(other_command(tmp_path, script), honest).acceptance
    assert passed(acceptance) == list(SUM_TESTS)
    assert [unit.passed for unit in acceptance.units] == [True, False]


def test_a_command_of_ones_own_drives_the_deliverable_with_the_kit(tmp_path: Path, honest: Path) -> None:
    program = f"""# canary {canary(91)}
import os
from pathlib import Path
from delivery import Delivery

done = Delivery.fresh().run("python3", "tally.py", "n", files={{"n": "40\\n2\\n"}})
word = "" if done.text == "42\\n" else "<failure/>"
report = Path(os.environ["ACCEPTANCE_REPORT"])
report.parent.mkdir()
report.write_text(f'<testcase classname="test_sum" name="test_numbers_are_added">{{word}}</testcase>')
"""
    one = task(
        tmp_path,
        toml={"acceptance": {"command": ["python3", "own.py"]}},
        files={"hidden/acceptance/own.py": program},
    )
    assert passed(accept(one, honest).acceptance) == [SUM_TESTS[0]]


@pytest.mark.parametrize(
    ("script", "note"),
    [
        ("exit 0", "no report"),
        ("mkdir -p /root/acceptance; echo '<testsuite><testcase' > $ACCEPTANCE_REPORT", "damaged"),
        ("mkdir -p $ACCEPTANCE_REPORT", "no report"),
        ("mkdir -p /root/acceptance; ln -s /dev/zero $ACCEPTANCE_REPORT", "no report"),
    ],
)
def test_without_a_whole_report_nothing_passes(script: str, note: str, tmp_path: Path, honest: Path) -> None:
    acceptance = accept(other_command(tmp_path, script), honest).acceptance
    assert {test.verdict for test in acceptance.tests} == {"missing"}
    assert len(acceptance.tests) == len(ALL_TESTS)
    assert note in acceptance.notes[0]


# --- the line between tests and deliverable ---

_LINE = """
import json, socket
from delivery import LINE, Answer, Delivery, DeliveryError, LineError, _ask

def refused(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise RuntimeError("it was done")

def test_orders_that_make_no_sense_are_refused_and_the_line_lives_on(delivery):
    for order in ({}, {"op": "fly"}, {"op": "run"}, {"op": "run", "argv": 5, "stdin": "", "seconds": 1},
                  {"op": "kill", "number": "x"}, {"op": "read", "path": "relative", "most": 5}, {"op": 7}):
        refused(LineError, lambda: _ask(order))
    for rubbish in (b"\\n", b"[]\\n", b"\\xff\\n", b"{"):
        with socket.create_connection(LINE) as line:
            line.sendall(rubbish)
            line.shutdown(socket.SHUT_WR)
            assert line.recv(10) == b""
    assert delivery.run("echo", "here").text == "here\\n"

def test_each_test_has_the_deliverable_as_it_was_delivered(delivery):
    assert delivery.names() == ["tally.py"]
    delivery.run("sh", "-c", "rm tally.py; echo x > left; echo x > /tmp/left; sleep 100 & ")
    Delivery.fresh()
    assert delivery.names() == ["tally.py"] and delivery.names("/tmp") == []
    assert delivery.run("sh", "-c", "ps ax 2>/dev/null | grep -c 'sleep 10[0]'").text in ("0\\n", "")

def test_limits_are_told(delivery):
    late = delivery.run("sleep", "30", seconds=0.3)
    assert (late.limit, late.exit_code) == ("time", None)
    assert delivery.run("sh", "-c", "exit 7").exit_code == 7
    assert delivery.run("no-such-program").exit_code == 127

def test_what_the_deliverable_does_to_its_files_is_its_own_doing(delivery):
    delivery.run("sh", "-c", "mkdir in.txt; ln -s /etc/passwd link; mkfifo pipe")
    refused(DeliveryError, lambda: delivery.write("in.txt", "x"))
    assert delivery.read("in.txt") is None and delivery.read("pipe") is None and delivery.read("nothing") is None
    assert delivery.read("tally.py").startswith(b"# canary")

def test_a_server_that_does_not_come_up_is_told_with_what_it_said(delivery):
    said = refused(DeliveryError, lambda: delivery.start("sh", "-c", "echo no luck >&2; exit 3", port=8000))
    assert "no luck" in said and "ended with 3" in said

def test_what_the_deliverable_calls_is_played_by_the_test(delivery):
    fake = delivery.fake(9100, lambda request: Answer(418, {"got": request.json()}, {"X-A": "b"}))
    code = ("import urllib.request as u\\n"
            "for n in range(3):\\n"
            "  try: u.urlopen(u.Request('http://127.0.0.1:9100/a?b=1', b'[1]', {'X-Key': str(n)}))\\n"
            "  except u.HTTPError as e: print(e.code, e.headers['X-A'], e.read().decode())\\n")
    done = delivery.run("python3", "-c", code)
    assert done.text == '418 b {"got": [1]}\\n' * 3, done
    seen = [(request.method, request.path, request.headers["x-key"]) for request in fake.requests]
    assert seen == [("POST", "/a?b=1", str(number)) for number in range(3)]

def test_a_fake_survives_what_is_no_request(delivery):
    fake = delivery.fake(9100, lambda request: Answer(204))
    code = ("import socket, http.client as h\\n"
            "for rubbish in (b'POST / HTTP/1.1\\\\nContent-Length: x\\\\n\\\\n', b'\\\\0' * 99, b'') * 4:\\n"
            "  s = socket.create_connection(('127.0.0.1', 9100)); s.sendall(rubbish); s.close()\\n"
            "c = h.HTTPConnection('127.0.0.1', 9100); c.request('GET', '/ok'); print(c.getresponse().status)\\n")
    done = delivery.run("python3", "-c", code)
    assert done.text == "204\\n" and [request.path for request in fake.requests] == ["/ok"], done

def test_a_port_that_the_deliverable_holds_cannot_be_played(delivery):
    delivery.start("python3", "tally.py", "--serve", "9100", port=9100)
    refused(DeliveryError, lambda: delivery.fake(9100, lambda request: Answer()))

def test_a_fake_that_breaks_down_is_an_error_of_the_test(delivery):
    def answer(request):
        raise ZeroDivisionError
    delivery.fake(9100, answer)
    code = ("import http.client as h\\nc = h.HTTPConnection('127.0.0.1', 9100)\\n"
            "c.request('GET', '/')\\nc.getresponse()")
    delivery.run("python3", "-c", code)
"""


def test_the_line_does_what_it_is_told(tmp_path: Path, honest: Path) -> None:
    names = [line.split("(")[0].removeprefix("def ") for line in _LINE.splitlines() if line.startswith("def test_")]
    accepted = accept(with_tests(tmp_path, _LINE, *names), honest)
    told = {test.id: test.message for test in accepted.failures.tests}
    last = "test_it::test_a_fake_that_breaks_down_is_an_error_of_the_test"
    assert set(told) == {last}, json.dumps(told, indent=1)
    assert "ZeroDivisionError" in told[last]


def test_a_broker_that_is_closed_early_leaves_nothing_behind(toy: Task, honest: Path) -> None:
    async def run() -> None:
        from underspec.grade.acceptance.subjects import Subjects
        from underspec.sandbox.protocol import Owner

        backend = load_backend("bubblewrap")
        spec = SandboxSpec(owner=Owner("tests", "broker"), lower=honest)
        made: list[Sandbox] = []

        def create() -> Sandbox:
            made.append(backend.create(spec))
            return made[-1]

        broker = Broker(Subjects(create))
        await broker._fresh({})
        await broker._start({"argv": ["sleep", "100"], "env": {}, "number": 0})
        await broker.close()
        for sandbox in made:
            with pytest.raises(SandboxError):
                await sandbox.exec(["true"])
        assert len(made) == 2

    asyncio.run(run())

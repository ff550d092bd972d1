"""A killed build is a new attempt from a clean workspace; what it cost stays on record, and nothing else is redone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.agent.scripts import shell, turn, write_script
from tests.agent.toy_scripts import ASK_CALL, builds
from tests.task_factory import make_task
from underspec.artifact.ledger import read_ledger
from underspec.report.collect import collect
from underspec.run.store import RunStore

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")


def test_a_run_killed_in_a_build_goes_on_with_a_new_attempt(tmp_path: Path) -> None:
    # The second attempt finds neither what the first wrote nor a budget that the first has used.
    stale = shell("test ! -e rcb_tests && touch first-attempt && sleep 2")
    script = [turn(text="I ask.", calls=[ASK_CALL]), stale, *builds(ask=ASK_CALL)]
    model = write_script(tmp_path / "script.jsonl", script)
    command = [str(Path(sys.executable).with_name("underspec")), "run", "--task", str(make_task(tmp_path))]
    command += ["--agent", "react", "--model", model, "--run", "run", "--runs", str(tmp_path), "--json"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        ledger = _wait_for_calls(tmp_path / "run", 2)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    before = read_ledger(ledger)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["planned"], document["scored"]) == (1, 1)
    [found] = collect(RunStore(tmp_path / "run"))
    assert found.outcomes is not None
    assert found.outcomes.overall.rate == 1.0
    assert found.attempts == {"build": 2, "grade": 1}
    assert found.session is not None
    assert len(found.session.turns) == 2
    assert read_ledger(ledger) == before
    assert found.task_cost.calls == len(before) + len(script)
    again = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0
    assert json.loads(again.stdout) == document


def _wait_for_calls(run: Path, calls: int) -> Path:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for ledger in run.glob("items/*/build/attempts/1/ledger.jsonl"):
            if len(read_ledger(ledger)) >= calls:
                return ledger
        time.sleep(0.05)
    raise AssertionError("the build did not begin")

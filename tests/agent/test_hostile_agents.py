"""Agents that do their worst: each ends with the right outcome, leaves nothing, and harms no other item."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scripts import shell, turn
from tests.agent.test_with_models import OWN_COMMAND, by_script, context_of, run
from tests.agent.toy_scripts import ASK_CALL, ASK_COMMAND, builds, write_command
from underspec.artifact.ledger import read_ledger
from underspec.sandbox.bubblewrap.state import owner_document, state_home

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")

END = turn(text="All is done.")
WHOLE, PART = 1.0, pytest.approx(5 / 7)
BUILD = shell(write_command(knows=False))


SLEEPERS: dict[str, tuple[list[dict[str, Any]], str, object]] = {
    "sleeps-for-ever": ([BUILD, shell("sleep 100000"), END], "time", PART),
    "ignores-its-end": ([BUILD, shell("trap '' TERM INT HUP; while :; do sleep 1; done"), END], "time", PART),
}

# What the model has the loop do, how the build ends, and what is scored of what lay there by then.
LOOP: dict[str, tuple[list[dict[str, Any]], str, object]] = {
    "kills-everything": ([BUILD, shell("kill -9 -1; sleep 1; kill -9 $$"), END], "done", PART),
    "fills-the-disk": ([BUILD, shell("cat /dev/zero > /workspace/full; rm -f /workspace/full"), END], "done", PART),
    "leaves-the-disk-full": ([BUILD, shell("cat /dev/zero > /tmp/full"), END], "done", PART),
    "forks": ([BUILD, shell("f() { f | f & }; f; sleep 2", arguments={"timeout": 3}), END], "done", PART),
    "prints-without-end": ([BUILD, shell("yes"), END], "done", PART),
    "leaves-servers": (
        [
            BUILD,
            shell("for port in 9001 9002; do (setsid python3 -m http.server $port >/dev/null 2>&1 &); done; sleep 1"),
            END,
        ],
        "done",
        PART,
    ),
    "deletes-its-workspace": ([BUILD, shell("rm -rf /workspace/* /workspace/.[a-z]* /workspace"), END], "done", 0.0),
    "links-to-the-host": (
        [BUILD, shell("ln -s /etc/shadow secret; ln -s /root all; ln -s ../../../../etc up; ln /etc/passwd hard"), END],
        "done",
        PART,
    ),
    "takes-the-ports": (
        [BUILD, shell("(setsid python3 -m http.server 8077 >/dev/null 2>&1 &); sleep 1"), END],
        "done",
        PART,
    ),
    "floods-the-stakeholder": ([shell(f"for i in $(seq 8); do {ASK_COMMAND}; done"), *builds()], "done", PART),
    "is-honest": (builds(ask=ASK_CALL), "done", WHOLE),
}


def left_by_us() -> list[Path]:
    """Sandboxes of this process; others may run at the same time."""
    return [state for state in state_home().iterdir() if _owner(state) == os.getpid()]


def _owner(state: Path) -> int | None:
    try:
        owner = json.loads(owner_document(state))["owner"]
    except FileNotFoundError:
        return None  # somebody else's, just ended
    return int(owner["pid"]) if owner else None


@pytest.mark.parametrize(("corpus", "seconds"), [(LOOP, 60), (SLEEPERS, 3)], ids=["busy", "asleep"])
def test_a_hostile_loop_ends_as_it_should_and_harms_nobody(
    tmp_path: Path, corpus: dict[str, tuple[list[dict[str, Any]], str, object]], seconds: int
) -> None:
    context, items = context_of(
        tmp_path, {name: turns for name, (turns, _, _) in corpus.items()}, build_seconds=seconds, budget=4
    )
    run(context, items, concurrency=3)
    found = by_script(tmp_path)
    ends = {name: each.end.limit or each.end.ended for name, each in found.items() if each.end}
    assert ends == {name: end for name, (_, end, _) in corpus.items()}
    rates = {name: each.outcomes.overall.rate for name, each in found.items() if each.outcomes}
    assert rates == {name: rate for name, (_, _, rate) in corpus.items()}
    asked = {name: len(each.session.turns) for name, each in found.items() if each.session}
    assert asked.get("floods-the-stakeholder", 4) == 4
    assert {found[name].attempts["build"] for name in corpus} == {1}
    assert left_by_us() == []


def test_a_hidden_process_that_calls_the_model_ends_with_the_build(tmp_path: Path) -> None:
    caller = (
        "import json, os, time, urllib.request as u\n"
        "body = json.dumps({'model': 'x', 'messages': [{'role': 'user', 'content': 'more'}]}).encode()\n"
        "url = os.environ['OPENAI_BASE_URL'] + '/chat/completions'\n"
        "while True:\n"
        "    u.urlopen(u.Request(url, body, {'Content-Type': 'application/json'})).read()\n"
        "    open('/workspace/calls', 'a').write('x')\n"
    )
    command = (
        f"cat > /tmp/caller.py <<'CALLER'\n{caller}CALLER\n"
        "(setsid python3 /tmp/caller.py >/dev/null 2>&1 &)\n"
        "while [ ! -s /workspace/calls ]; do sleep 0.1; done"
    )
    script = [turn(text="x", repeat=True)]
    context, items = context_of(tmp_path, {"hidden": script}, agent="command", command=command, build_seconds=60)
    run(context, items)
    end = by_script(tmp_path)["hidden"].end
    assert end is not None
    assert end.ended == "done"
    (ledger,) = (tmp_path / "run" / "items").glob("*/build/attempts/1/ledger.jsonl")
    calls = read_ledger(ledger)
    assert calls  # what it used is on the agent's account
    assert {call.role for call in calls} == {"builder"}


def test_a_program_that_kills_everything_and_dies_is_graded_and_not_retried(tmp_path: Path) -> None:
    scripts = {"killer": [BUILD, shell("kill -9 -1"), END]}
    context, items = context_of(tmp_path, scripts, agent="command", command=OWN_COMMAND, build_seconds=30)
    run(context, items)
    found = by_script(tmp_path)["killer"]
    assert found.outcomes is not None
    assert found.outcomes.overall.rate == PART
    assert found.attempts["build"] == 1

"""The Ray executor on a real cluster of two nodes, one of which is killed."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.nodes import Cluster, cluster, skip_where_impossible
from tests.run.toy_agents import attempts_that_published, published
from tests.task_factory import make_task

pytestmark = pytest.mark.sandbox
BURN = 'python3 -c "import time; end = time.process_time() + {seconds}\nwhile time.process_time() < end: pass"'


@pytest.fixture(scope="module")
def nodes() -> Iterator[Cluster]:
    """Two nodes, each with a core."""
    skip_where_impossible()
    with cluster(cores=(0, 1)) as made:
        yield made


def _run_arguments(*agents: str, epochs: int, run: str = "made", task: str = "data-sizes") -> list[str]:
    chosen = [part for agent in agents for part in ("--agent", agent)]
    return ["run", "--task", task, *chosen, "--epochs", str(epochs), "--run", run, "--runs", "runs", "--json"]


def _finished(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err.decode()[-2000:]
    document: dict[str, Any] = json.loads(out)
    return document


def _locally(arguments: list[str], cwd: Path) -> dict[str, Any]:
    command = [str(Path(sys.executable).parent / "underspec"), *arguments]
    return _finished(subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE))


def test_a_killed_node_costs_its_items_in_flight_and_the_rest_equals_a_local_run(
    nodes: Cluster, tmp_path: Path
) -> None:
    arguments = _run_arguments("eager", "nop", epochs=5)
    (tmp_path / "calm").mkdir()
    calm = _locally(arguments, tmp_path / "calm")
    (tmp_path / "stormy").mkdir()
    running = nodes.underspec(*arguments, "--executor", "ray", "--address", nodes.address, cwd=tmp_path / "stormy")
    run = tmp_path / "stormy" / "runs" / "made"
    deadline = time.monotonic() + 120
    while sum(attempts_that_published(run).values()) < 4:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    nodes.kill(1)
    stormy = _finished(running)
    assert stormy == calm
    assert stormy["scored"] == 10
    assert published(run) == published(tmp_path / "calm" / "runs" / "made")
    assert set(attempts_that_published(run).values()) == {1}
    # One core, so one item was in flight there, in one phase.
    assert len(list(run.glob("items/*/*/attempts/2"))) <= 1
    assert list(run.rglob("claim")) == []
    assert list(run.rglob("scratch")) == []


def test_a_node_that_cannot_take_part_is_named_with_its_reason(nodes: Cluster, tmp_path: Path) -> None:
    task = make_task(tmp_path, toml={"limits": {"memory_mb": 10_000_000}})
    arguments = _run_arguments("nop", epochs=1, task=str(task))
    process = nodes.underspec(*arguments, "--executor", "ray", "--address", nodes.address, cwd=tmp_path)
    _out, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert b"memory" in err
    assert b"are needed" in err


def test_what_models_need_never_enters_ray(tmp_path: Path) -> None:
    """A cluster of one's own: keys reach the worker, and neither Ray's processes nor what Ray writes."""
    skip_where_impossible()
    token = f"canary-{secrets.token_hex(12)}"
    script = f"""
import asyncio, json, os, pathlib, sys
from underspec.run.cluster.driver import _keys
from underspec.run.cluster.keys import fetch_keys
from underspec.run.cluster.ray_engine import connected

def ask(place):
    return "SOME_API_KEY" in os.environ, fetch_keys(pathlib.Path(place)).get("SOME_API_KEY")

def environments():
    found = {{}}
    for folder in pathlib.Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\\0", b" ").decode(errors="replace")
            if folder.name.isdigit() and int(folder.name) != os.getpid() and "ray" in command:
                found[command[:80]] = {token!r}.encode() in (folder / "environ").read_bytes()
        except OSError:
            continue
    return found

with _keys(os.environ, own_cluster=True) as place, connected(None) as ray:
    node = ray.nodes()[0]
    answer = asyncio.run(ray.result(ray.send(node.id, 1, 0, ask, place)))
    seen = environments()
    written = [str(path) for path in pathlib.Path(os.environ["TMPDIR"]).rglob("*")
               if path.is_file() and {token!r}.encode() in path.read_bytes()]
with_key = [command for command, holds in seen.items() if holds]
left = os.listdir(os.environ["TMPDIR"])
print(json.dumps({{"answer": answer, "daemons": len(seen), "with key": with_key, "files": written, "left": left}}))
"""
    environment = {**os.environ, "SOME_API_KEY": token, "TMPDIR": tempfile.mkdtemp(prefix="k-")}
    try:
        command = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$0" -c "$1"', sys.executable, script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr[-2000:]
        found = json.loads(done.stdout.splitlines()[-1])
    finally:
        shutil.rmtree(environment["TMPDIR"])
    assert found["answer"] == [False, token]
    assert found["daemons"] >= 2
    assert found["with key"] == []
    assert found["files"] == []
    assert found["left"] == []


@pytest.mark.proof
def test_ctrl_c_leaves_a_run_that_goes_on_and_nothing_else(nodes: Cluster, tmp_path: Path) -> None:
    arguments = [*_run_arguments("asker", epochs=6), "--executor", "ray", "--address", nodes.address]
    running = nodes.underspec(*arguments, cwd=tmp_path)
    run = tmp_path / "runs" / "made"
    deadline = time.monotonic() + 120
    while not list(run.glob("items/*/build/claim")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _out, err = running.communicate(timeout=120)
    assert running.returncode == 130
    assert b"the same command goes on" in err
    assert list(run.rglob("claim")) == []
    assert _finished(nodes.underspec(*arguments, cwd=tmp_path))["scored"] == 6
    assert set(attempts_that_published(run).values()) == {1}
    assert list(run.rglob("scratch")) == []


SCRIPT = """
[[turn]]
text = "I write."
calls = [{ name = "shell", arguments = { command = "mkdir -p rcb_tests && echo exit 0 > rcb_tests/test.sh" } }]
usage = { input = 500, output = 90 }

[[turn]]
when = { last = "exit code 0" }
text = "Done."
"""


@pytest.mark.proof
def test_items_with_scripted_models_come_out_as_locally(nodes: Cluster, tmp_path: Path) -> None:
    arguments = [*_run_arguments("react", epochs=6), "--model", "scripted/build.toml"]
    for place in ("calm", "spread"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "build.toml").write_text(SCRIPT)
    calm = _locally(arguments, tmp_path / "calm")
    ray = ["--executor", "ray", "--address", nodes.address]
    spread = _finished(nodes.underspec(*arguments, *ray, cwd=tmp_path / "spread"))
    for row in [*calm["rows"], *spread["rows"]]:
        for each in (row, *row["tasks"]):
            del each["spending"]  # has seconds
    assert spread == calm
    assert published(tmp_path / "spread" / "runs" / "made") == published(tmp_path / "calm" / "runs" / "made")


@pytest.mark.proof
def test_two_nodes_take_at_most_two_thirds_of_one_nodes_time(tmp_path: Path) -> None:
    skip_where_impossible()
    seconds = {}
    for cores in ((0,), (0, 1)):
        with cluster(cores=cores) as made:
            (tmp_path / str(len(cores))).mkdir()
            arguments = [*_run_arguments("asker", epochs=40), "--executor", "ray", "--address", made.address]
            started = time.monotonic()
            assert _finished(made.underspec(*arguments, cwd=tmp_path / str(len(cores))))["scored"] == 40
            seconds[len(cores)] = time.monotonic() - started
    print(json.dumps(seconds))
    assert seconds[2] <= seconds[1] / 1.5

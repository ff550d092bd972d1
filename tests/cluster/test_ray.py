"""The Ray executor on a real cluster of two nodes, one of which is killed."""

from __future__ import annotations

import json
import subprocess
import sys
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

"""A whole item with networks: the agent fetches while it builds, and the deliverable's test.sh while it is graded."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.egress.packages import registry
from tests.egress.world import LOOPBACK, lists, server
from tests.run.toy_agents import FunctionAgent, make_context, toy_agents
from tests.task_factory import make_task
from underspec.agent.protocol import Agent, Assignment
from underspec.artifact.network import HostUse, NetworkUse
from underspec.artifact.outcomes import Outcomes
from underspec.errors import UsageError
from underspec.phase.network import identity_of_network, network_policy
from underspec.run.executor import build_inputs, execute, grade_inputs, status
from underspec.run.experiment import make_experiment
from underspec.run.manifest import read_manifest
from underspec.run.prepare import begin, prepare
from underspec.sandbox.backends import load_backend
from underspec.sandbox.egress import proxy
from underspec.sandbox.egress.addresses import Address
from underspec.sandbox.egress.lists import packaged_lists
from underspec.task.load import load_task

needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

FETCH = """
import sys, urllib.error, urllib.request
for url in sys.argv[1:]:
    try:
        urllib.request.urlopen(url, timeout=20).read()
    except urllib.error.HTTPError as error:
        print(url, error.code)
    except OSError as error:
        print(url, error)
"""
TEST_SH = """
here="$(cd "$(dirname "$0")" && pwd)"
/usr/bin/python3 "$here/fetch.py" {url} >&2
exec /usr/bin/python3 "$here/program.py" "$here" "$2"
"""


class OnLoopback:
    """In place of the machine's."""

    async def __call__(self, host: str) -> Sequence[Address]:
        return [LOOPBACK]

    def close(self) -> None: ...


def fetching(url: str, *more: str) -> Agent:
    """The agent that asks nothing, with a fetch before its work, and one in its test.sh."""
    hasty = toy_agents()["hasty"]

    async def work(assignment: Assignment) -> None:
        await hasty.build(assignment)
        await assignment.sandbox.put("/workspace/rcb_tests/fetch.py", FETCH.encode())
        await assignment.sandbox.put("/workspace/rcb_tests/test.sh", TEST_SH.format(url=url).encode(), executable=True)
        done = await assignment.sandbox.exec(["python3", "rcb_tests/fetch.py", url, *more], timeout=60)
        assignment.log(done.stdout.decode())

    return FunctionAgent("fetching", work)


def uses(artifact: Path | None) -> dict[str, Any]:
    assert artifact is not None
    use = NetworkUse.read(artifact / "network.json")
    return {"network": use.network, "hosts": use.hosts}


@needs_bubblewrap
@pytest.mark.sandbox
def test_an_item_with_networks_leaves_a_log_and_counts_and_is_graded_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "SystemResolver", OnLoopback)
    task = make_task(tmp_path)

    async def run() -> list[str]:
        asked: list[str] = []
        async with server(registry(lambda: 0, asked)) as port:
            url = f"http://registry.test:{port}/simple/greetings-pkg/"
            agents = {"fetching": fetching(url, f"http://elsewhere.test:{port}/", "https://github.com/")}
            context, items = make_context(
                tmp_path / "run", task, agents, network="open", grade_network="registries", stakeholder="nobody"
            )
            context.lists = lists(port)
            await execute(context, items, concurrency=1)
            where = status(context, items[0])
            build, grade = uses(where.built), uses(where.graded)
            assert build["network"] == "open"
            allowed = HostUse(host="registry.test", outcome="allowed", rule="registry:test", requests=1)
            assert allowed in build["hosts"]
            refused = {each.host: each.rule for each in build["hosts"] if each.outcome == "refused"}
            assert refused == {"elsewhere.test": "port", "github.com": "private-address"}
            # One sandbox a suite, and test.sh fetched in each.
            assert grade == {"network": "registries", "hosts": (allowed.model_copy(update={"requests": 3}),)}
            assert where.graded is not None
            assert Outcomes.read(where.graded / "outcomes.json").overall.passed == 5
            logs = sorted((tmp_path / "run").rglob("network.jsonl"))
            assert len(logs) == 2
            assert all("attempts" in log.parts for log in logs)
            lines = [json.loads(line) for log in logs for line in log.read_text().splitlines()]
            assert len(lines) == sum(each.requests for each in (*build["hosts"], *grade["hosts"]))
            assert {line["part"].split()[0] for line in lines} == {"build", "grade"}
        return asked

    assert asyncio.run(run()) == ["/simple/greetings-pkg/"] * 4


def test_keys_say_which_network_was_granted_and_none_is_as_it_always_was(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    built = tmp_path / "built"
    built.mkdir()
    keys: dict[str, set[str]] = {"build": set(), "grade": set()}
    for number, (network, given) in enumerate(
        [("none", None), ("none", lists(1)), ("registries", None), ("open", None), ("registries", lists(1))]
    ):
        context, items = make_context(
            tmp_path / str(number), task, toy_agents(), network=network, grade_network=network
        )
        context.lists = given
        keys["build"].add(build_inputs(context, items[0]).key())
        inputs = grade_inputs(context, items[0], built)
        keys["grade"].add(str(identity_of_network(inputs.task, inputs.condition.grade_network, inputs.lists)))
    assert len(keys["build"]) == 4
    assert len(keys["grade"]) == 4
    assert "none" in keys["grade"]


def test_the_policy_of_a_task_knows_its_source_and_tells_nobody_inside(tmp_path: Path) -> None:
    loaded = load_task(make_task(tmp_path))
    assert network_policy(loaded, "none") is None
    policy = network_policy(loaded, "open")
    assert policy is not None
    assert policy.source is not None
    assert policy.source.url == loaded.toml.source.url
    assert policy.lists == packaged_lists()


def test_the_manifest_says_what_decides_where_a_network_is_granted(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    own = tmp_path / "registries.toml"
    own.write_text('[allow.ours]\nhosts = ["packages.example"]\n')

    def manifest(run: str, network: str, registries: Path | None = None) -> dict[str, Any]:
        grid = {"agent": ["nop"], "grade_network": [network]}
        experiment = make_experiment({"tasks": [str(task)], "grid": grid})
        backend = load_backend("bubblewrap")
        prepared = prepare(experiment, backend=backend, runs=tmp_path / "runs", run=run, registries=registries)
        return read_manifest(begin(prepared, concurrency=1).path)

    assert "network" not in manifest("none", "none")
    packaged = manifest("packaged", "registries")["network"]
    assert packaged == {"version": 1, "lists": packaged_lists().digest, "packaged": True}
    mine = manifest("own", "open", own)["network"]
    assert not mine["packaged"]
    assert mine["lists"] != packaged["lists"]
    assert manifest("packaged", "none")["network"] == packaged  # an earlier plan of the same run granted one


def test_a_damaged_file_of_registries_is_said_before_anything_runs(tmp_path: Path) -> None:
    own = tmp_path / "registries.toml"
    own.write_text("[allow.ours]\nhosts = 5\n")
    experiment = make_experiment({"tasks": [str(make_task(tmp_path))], "grid": {"agent": ["nop"]}})
    with pytest.raises(UsageError, match=r"registries\.toml"):
        prepare(experiment, backend=load_backend("bubblewrap"), runs=tmp_path / "runs", registries=own)
    assert not (tmp_path / "runs").exists()

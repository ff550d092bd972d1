"""What an agent could find if it looked everywhere: nothing hidden, no credential, no way to the host."""

from __future__ import annotations

import asyncio
import re
import socket
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scripts import turn, write_script
from tests.run.toy_agents import FunctionAgent, make_context
from underspec.agent.bridge import BRIDGE_PORT, bridged
from underspec.agent.protocol import Assignment
from underspec.artifact.build import BuildEnd
from underspec.model.spec import make_spec
from underspec.run.executor import execute
from underspec.sandbox.protocol import CHANNEL_PORT, WORKSPACE
from underspec.task.catalog import find_task
from underspec.task.load import load_task

pytestmark = pytest.mark.sandbox

SECRET = "needle-credential-51f0c7"
_CANARY = re.compile(rb"underspec-canary-[0-9a-f-]{36}")


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[int]]:
    """A host with credentials in its environment and files, and with sockets that listen."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    (tmp_path / "credentials").write_text(SECRET)
    (tmp_path / "credentials").chmod(0o644)
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_UNIX) as path,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        path.bind(str(tmp_path / "engine.sock"))
        path.listen()
        abstract.bind(f"\0underspec-{uuid.uuid4()}")
        abstract.listen()
        yield [tcp.getsockname()[1]]


def _needles(task: Path) -> list[str]:
    """Every canary in every hidden file, every string that names the golden library, and the credential."""
    canaries = {
        match.group().decode()
        for file in sorted((task / "hidden").rglob("*"))
        if file.is_file()
        for match in _CANARY.finditer(file.read_bytes())
    }
    assert len(canaries) > 60, "each hidden file should carry a canary of its own"
    return sorted({*canaries, *load_task(task).toml.identity, SECRET})


class _BridgedProbe(FunctionAgent):
    """One that works while a model is served inside, and talks to it first."""

    needs_model = True

    async def build(self, assignment: Assignment) -> BuildEnd:
        async with bridged(assignment, with_tools=True):
            said = await assignment.sandbox.exec(["bash", "-c", _TALK], timeout=60)
            assert b"MODEL SPEAKS" in said.stdout, said
            return await super().build(assignment)


_TALK = f"""
body='{{"model": "x", "messages": [{{"role": "user", "content": "hello"}}]}}'
exec 3<>/dev/tcp/127.0.0.1/{BRIDGE_PORT}
printf 'POST /v1/chat/completions HTTP/1.0\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n%s' \\
  "${{#body}}" "$body" >&3
cat <&3
"""


def _probe(
    tmp_path: Path, ports: list[int], depth: str, *, plant: str | None = None, with_model: bool = False
) -> list[str]:
    task = find_task("data-sizes")
    needles = [*_needles(task), str(tmp_path / "run"), "data-sizes--probe"]
    # What names the golden library may stand in a machine's own files under /usr, in lists of packages for example:
    # there, names of files are searched for it, and contents for what is secret.
    if depth == "full":
        needles = [each for each in needles if each.startswith(("underspec-canary", SECRET))]
    seen: list[str] = []

    async def look(assignment: Assignment) -> None:
        if plant is not None:
            await assignment.sandbox.put(f"{WORKSPACE}/planted", plant.encode())
        script = (Path(__file__).parent / "probe.sh").read_text()
        done = await assignment.sandbox.exec(
            ["bash", "-c", script, "probe", depth, *map(str, ports), str(CHANNEL_PORT), str(BRIDGE_PORT)],
            stdin="\n".join(needles).encode() + b"\n",
            timeout=600,
        )
        seen.extend(done.stdout.decode(errors="replace").splitlines())

    agent = _BridgedProbe("probe", look) if with_model else FunctionAgent("probe", look)
    model = write_script(tmp_path / "script.jsonl", [turn(text="MODEL SPEAKS", repeat=True)])
    condition: dict[str, Any] = {"model": model} if with_model else {}
    context, items = make_context(tmp_path / "run", task, {"probe": agent}, **condition)
    context.models[model] = make_spec(model)
    asyncio.run(execute(context, items, concurrency=1))
    assert seen[-1:] == ["PROBED"], seen[-5:]
    return seen[:-1]


def _harmless(lines: list[str]) -> list[str]:
    expected = {"INTERFACE lo", f"CONNECTED {CHANNEL_PORT}"}
    return [line for line in lines if line not in expected]


def test_a_probe_finds_nothing_hidden_and_reaches_nothing_but_the_question_channel(
    tmp_path: Path, host: list[int]
) -> None:
    seen = _probe(tmp_path, host, "quick")
    assert f"CONNECTED {CHANNEL_PORT}" in seen
    assert _harmless(seen) == []


def test_a_model_served_inside_is_one_port_more_and_nothing_else(tmp_path: Path, host: list[int]) -> None:
    pytest.importorskip("inspect_ai")
    seen = _probe(tmp_path, host, "quick", with_model=True)
    assert f"CONNECTED {BRIDGE_PORT}" in seen
    assert [line for line in _harmless(seen) if line != f"CONNECTED {BRIDGE_PORT}"] == []


def test_the_probe_would_find_what_is_there(tmp_path: Path, host: list[int]) -> None:
    seen = _probe(tmp_path, host, "quick", plant=f"prefix {SECRET} suffix")
    assert _harmless(seen) == [f"FOUND content of a file: {WORKSPACE}/planted"]


@pytest.mark.proof
def test_a_probe_that_reads_every_file_finds_nothing_either(tmp_path: Path, host: list[int]) -> None:
    assert _harmless(_probe(tmp_path, host, "full")) == []

"""With canaries in all that is hidden, and models that tell what they were given: none is in what trains a builder."""

from __future__ import annotations

import asyncio
import json
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")

from tests.clarify import spy
from tests.clarify.test_isolation import ALL, context_of
from underspec.errors import UsageError
from underspec.report.export.rewards import DEFAULT_WEIGHTS
from underspec.report.export.tables import FORMATS
from underspec.report.export.write import Wanted, export
from underspec.run.executor import execute
from underspec.task.model import TaskToml

pytestmark = pytest.mark.sandbox


def no_task(task: str) -> TaskToml:
    raise UsageError("no tasks here")


def told_in(folder: Path) -> str:
    """All that stands in the engine's logs, whatever role it was told to."""
    texts = []
    for log in folder.glob("*.eval"):
        with zipfile.ZipFile(log) as archive:
            texts += [archive.read(name).decode() for name in archive.namelist()]
    return "".join(texts)


@pytest.mark.parametrize("protocol", ["clarify-first", pytest.param("continued", marks=pytest.mark.proof)])
def test_no_canary_reaches_a_builders_messages_or_a_public_export(tmp_path: Path, protocol: str) -> None:
    spy.play(spy.Schedule([1, 0], look="ls"))
    context, item = context_of(tmp_path, protocol)
    asyncio.run(execute(context, [item], concurrency=1))
    run = context.store.path
    logged = told_in(run / "evidence")
    assert all(canary in logged for canary in ALL)
    export([run], tmp_path / "out", Wanted(FORMATS, DEFAULT_WEIGHTS), find_toml=no_task)
    (text,) = (tmp_path / "out" / "trajectories.jsonl").read_text().splitlines()
    line = json.loads(text)
    phases = {"clarify-first": ["clarify", "implement"], "continued": ["implement"]}[protocol]
    assert [phase["phase"] for phase in line["phases"]] == phases
    for phase in line["phases"]:
        assert (phase["why"], phase["complete"]) == (None, True)
        assert {message["role"] for message in phase["messages"]} >= {"system", "user", "assistant", "tool"}
    assert [each["question"] for each in line["questions"]] == ["question 0", "question 1"]
    for canary in (*ALL, "underspec-canary"):
        assert canary not in text, canary
    export([run], tmp_path / "public", Wanted(FORMATS, DEFAULT_WEIGHTS, public=True), find_toml=no_task)
    for path in (tmp_path / "public").rglob("*.*"):
        for canary in (*ALL, "underspec-canary", spy.REASON):
            assert canary.encode() not in path.read_bytes(), (path.name, canary)
